package io.lowkiq.reliability.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.lowkiq.reliability.history.HistoryWriter;

/**
 * An operator who acts while work continues: pauses and resumes queues; deletes some ids,
 * makes them due and takes them out of the morgue; corrects and releases what is on hold.
 * Repeats what was not certainly done. Resumes everything and prints {@code DONE} when it
 * gets a line on its standard input; from then on it only releases, until it is killed.
 */
public final class OperatorProgram {

	private OperatorProgram() {
	}

	/**
	 * Runs until a line comes.
	 * @param arguments {@code name}, {@code redis}, {@code prefix}, {@code history},
	 * {@code timeout} of a command in milliseconds, {@code seed}
	 */
	public static void main(String[] arguments) throws InterruptedException {
		ProgramSettings settings = new ProgramSettings(arguments);
		HistoryWriter history = new HistoryWriter(settings.historyDirectory(), settings.text("name"));
		Operator operator = new Operator(settings.store(), history, Surroundings.REAL,
				new Random(settings.number("seed")), OperatorProgram::hasLine);
		while (!hasLine()) {
			operator.actOnce();
			LockSupport.parkNanos(Operator.PAUSE);
		}
		// A failover may have forgotten that a queue was resumed
		operator.resumeAll();
		System.out.println("DONE");
		System.out.flush();
		while (true) {
			operator.releaseAllHeld();
			LockSupport.parkNanos(Operator.PAUSE);
		}
	}

	private static boolean hasLine() {
		try {
			return System.in.available() > 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
