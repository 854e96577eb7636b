package io.lowkiq.engine;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait after a failure: twice as long after each, up to a bound, less a
 * random part, so that nodes don't all come back at once. Used by one thread at a time.
 */
final class Backoff {

	private static final long FIRST = Duration.ofMillis(50).toNanos();

	private static final long MOST = Duration.ofSeconds(5).toNanos();

	private long bound = FIRST;

	/** The time to wait after one more failure, in nanoseconds. */
	long next() {
		long current = this.bound;
		this.bound = Math.min(MOST, current * 2);
		return current / 2 + ThreadLocalRandom.current().nextLong(current / 2);
	}

	/** Begins again with the shortest wait, after a success. */
	void reset() {
		this.bound = FIRST;
	}

}
