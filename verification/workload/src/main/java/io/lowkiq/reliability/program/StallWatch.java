package io.lowkiq.reliability.program;

import java.util.concurrent.locks.LockSupport;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.history.HistoryWriter;

/**
 * Writes down when this process got no processor for a while. A lease that ends for that
 * reason is not the fault of who is on trial.
 */
final class StallWatch implements Runnable {

	/** Numbers of this process' own faults begin here. */
	private static final long FIRST = 1_000_000;

	private static final long INTERVAL = 50_000_000L;

	private static final long STALLED = 500_000_000L;

	private final HistoryWriter history;

	private final String process;

	private StallWatch(HistoryWriter history, String process) {
		this.history = history;
		this.process = process;
	}

	static void begin(HistoryWriter history, String process) {
		Thread thread = new Thread(new StallWatch(history, process), "stall-watch");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void run() {
		long number = FIRST;
		long last = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(INTERVAL);
			long now = System.nanoTime();
			if (now - last > STALLED) {
				number++;
				this.history.write(new Event.FaultBegun(last, number, FaultKind.STALL, this.process),
						new Event.FaultOver(now, number));
			}
			last = now;
		}
	}

}
