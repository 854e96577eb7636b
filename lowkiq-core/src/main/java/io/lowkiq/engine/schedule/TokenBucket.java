package io.lowkiq.engine.schedule;

/**
 * Starts of runs that are saved up: one token in each interval, up to a capacity. Empty
 * at first. Goes by the monotonic clock. Used by one thread at a time.
 */
public final class TokenBucket {

	/** So that sums of times don't overflow, either. */
	private static final long LONGEST = Long.MAX_VALUE / 4;

	private final long interval;

	private final int capacity;

	/** When the bucket would have been empty if it had no capacity. */
	private long emptyAt;

	/** An empty bucket, which gets a token in each interval of nanoseconds. */
	public TokenBucket(long interval, int capacity, long nanos) {
		this.interval = interval;
		this.capacity = capacity;
		this.emptyAt = nanos;
	}

	public int tokens(long nanos) {
		return (int) Math.min(this.capacity, (nanos - this.emptyAt) / this.interval);
	}

	/** Whether no more tokens come until some are taken. */
	boolean isFull(long nanos) {
		return nanos - this.emptyAt >= time(this.capacity);
	}

	/** Takes tokens that are there. */
	public void take(int tokens, long nanos) {
		long saved = Math.min(nanos - this.emptyAt, time(this.capacity));
		this.emptyAt = nanos - saved + time(tokens);
	}

	/**
	 * The nanoseconds until there will be so many tokens; the largest number if never.
	 */
	public long until(int tokens, long nanos) {
		return (tokens <= this.capacity) ? Math.max(0, this.emptyAt + time(tokens) - nanos) : Long.MAX_VALUE;
	}

	/** The time in which tokens come; 73 years if it is longer. */
	private long time(int tokens) {
		return (tokens > LONGEST / this.interval) ? LONGEST : tokens * this.interval;
	}

}
