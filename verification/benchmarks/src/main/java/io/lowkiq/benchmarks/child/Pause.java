package io.lowkiq.benchmarks.child;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits where the wait is part of what is measured. */
final class Pause {

	private Pause() {
	}

	static void millis(long millis) {
		untilNanos(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
	}

	/**
	 * Waits until a time.
	 * @param time the time, by {@link System#nanoTime()}
	 */
	static void untilNanos(long time) {
		for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
