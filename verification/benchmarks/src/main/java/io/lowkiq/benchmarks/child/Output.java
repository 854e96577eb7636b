package io.lowkiq.benchmarks.child;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;

/** The lines by which a measured process talks to the suite. */
final class Output {

	/** Says nothing. */
	static final Output NONE = new Output(new PrintStream(OutputStream.nullOutputStream()));

	private final PrintStream out;

	/** An output. */
	Output(PrintStream out) {
		this.out = out;
	}

	void mark(String name) {
		this.out.println("MARK " + name);
		this.out.flush();
	}

	void result(String key, double value) {
		this.out.printf(Locale.ROOT, "RESULT %s %s%n", key, value);
	}

	void result(String key, long value) {
		this.out.printf(Locale.ROOT, "RESULT %s %d%n", key, value);
	}

	/**
	 * Begins a part of the run.
	 * @return the time, by {@link System#nanoTime()}
	 */
	long begin(String mark) {
		mark(mark);
		return System.nanoTime();
	}

	/**
	 * Ends a part of the run.
	 * @param key the key of the result, in seconds
	 */
	void end(String key, long start, String mark) {
		seconds(key, start);
		mark(mark);
	}

	/**
	 * Says how long something took.
	 * @param start when it began, by {@link System#nanoTime()}
	 */
	void seconds(String key, long start) {
		result(key, (System.nanoTime() - start) / 1e9);
	}

}
