package io.lowkiq.engine.runtime;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The time to wait after a failure: doubles with each failure up to a maximum, less a
 * random part, so that nodes don't all come back at once. Used by one thread at a time.
 */
public final class Backoff {

	private static final long MIN = Duration.ofMillis(50).toNanos();

	private static final long MAX = Duration.ofSeconds(5).toNanos();

	private long bound = MIN;

	/** The nanoseconds to wait after one more failure. */
	public long next(RandomGenerator random) {
		long current = this.bound;
		this.bound = Math.min(MAX, current * 2);
		return current / 2 + random.nextLong(current / 2);
	}

	/** Starts again with the shortest wait, after a success. */
	public void reset() {
		this.bound = MIN;
	}

}
