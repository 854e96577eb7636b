package io.lowkiq.reliability.program;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.lowkiq.engine.ServerStatus;
import io.lowkiq.engine.ServerStatus.State;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.HistoryWriter;

/**
 * Writes down when the health of a node changes: what the health indicator says of a
 * server that has not failed and serves all its queues.
 */
final class HealthWatch implements Runnable {

	private static final long INTERVAL = 100_000_000L;

	private final HistoryWriter history;

	private final Supplier<ServerStatus> status;

	private HealthWatch(HistoryWriter history, Supplier<ServerStatus> status) {
		this.history = history;
		this.status = status;
	}

	static void begin(HistoryWriter history, Supplier<ServerStatus> status) {
		Thread thread = new Thread(new HealthWatch(history, status), "health-watch");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void run() {
		boolean wasUp = true;
		while (true) {
			ServerStatus now = this.status.get();
			boolean isUp = now.storeProblem() == null && now.state() != State.STARTING && now.state() != State.FAILED;
			if (isUp != wasUp) {
				this.history.write(new Event.HealthSeen(System.nanoTime(), isUp));
				wasUp = isUp;
			}
			LockSupport.parkNanos(INTERVAL);
		}
	}

}
