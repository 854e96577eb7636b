package io.lowkiq.engine.perform;

import java.time.Duration;

/**
 * How many jobs of a queue to fetch by one call: as many as are performed in a few
 * milliseconds, by a moving average, at least a batch. So quick jobs share a round trip,
 * and slow ones don't wait in a node's memory.
 */
final class FetchSize {

	private static final double SHARE = Duration.ofMillis(5).toNanos();

	private static final double WEIGHT_OF_LAST = 0.3;

	private final int batchSize;

	private final int most;

	/**
	 * Nanoseconds an id; 0 before the first. Written and read by all performing threads
	 * without a lock: a lost update does no harm.
	 */
	private volatile double average;

	FetchSize(int batchSize, int fetchAhead) {
		this.batchSize = batchSize;
		this.most = Math.max(batchSize, fetchAhead);
	}

	void performed(int ids, long nanos) {
		double each = Math.max(1.0, (double) nanos / ids);
		double before = this.average;
		this.average = (before == 0) ? each : before + (each - before) * WEIGHT_OF_LAST;
	}

	/** The mean run time of a job, in nanoseconds; 0 before the first. */
	double average() {
		return this.average;
	}

	/** A multiple of the batch size where that fits, at most twice the last number. */
	int next(int last) {
		double each = this.average;
		if (each == 0) {
			return this.batchSize;
		}
		long affordable = (long) Math.min(SHARE / each, (double) Math.min(this.most, last * 2L));
		return (int) Math.max(this.batchSize, affordable - affordable % this.batchSize);
	}

}
