package io.lowkiq.engine.perform;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * How long the runs of a queue took on this node, counted by powers of two: count 0 is of
 * those below 1 ms, count <i>n</i> of those from 2<sup>n-1</sup> ms to below
 * 2<sup>n</sup> ms. Thread-safe.
 */
public final class PerformTimes {

	/** The last count is also of all that took longer than 12 days. */
	private static final int COUNTS = 31;

	/** Written by all performing threads, read by the thread that reports. */
	private final AtomicLongArray counts = new AtomicLongArray(COUNTS);

	/** Counts a run. */
	public void performed(long nanos) {
		this.counts.getAndIncrement(place(nanos));
	}

	private static int place(long nanos) {
		long millis = TimeUnit.NANOSECONDS.toMillis(Math.max(nanos, 0));
		return Math.min(Long.SIZE - Long.numberOfLeadingZeros(millis), COUNTS - 1);
	}

	/** The runs since the node began to serve the queue. */
	public long[] counts() {
		return IntStream.range(0, COUNTS).mapToLong(this.counts::get).toArray();
	}

}
