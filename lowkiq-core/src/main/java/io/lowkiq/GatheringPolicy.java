package io.lowkiq;

import java.time.Duration;

/**
 * How the payloads of an id gather before they are performed. The owner of a shard leaves
 * it in the store, so that it holds for all producers; until a server has served the
 * shard for the first time, {@link #NONE} holds. Times are in whole milliseconds.
 *
 * @param debounce how long an id must be quiet before it is performed; zero to perform it
 * at once. A payload with a time of its own is not debounced
 * @param maxWait how long, after its first payload, an id that is not quiet waits at the
 * most; zero for no limit. The id is also due when it has as many payloads as are
 * delivered at once
 * @param minInterval the minimum time between the end of one perform of an id and the
 * start of the next; zero for none
 * @param keepLatest whether of the payloads that wait together only the one with the
 * largest score is kept; the others are dropped
 * @param equalLatest whether of equal payloads that wait together the larger score stays
 * instead of the smaller one
 * @param retryNow whether a new payload makes a job due that waits for a retry
 */
public record GatheringPolicy(Duration debounce, Duration maxWait, Duration minInterval, boolean keepLatest,
		boolean equalLatest, boolean retryNow) {

	/** Nothing gathers but what waits anyway, as in the Ruby gem. */
	public static final GatheringPolicy NONE = new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, false,
			false, false);

	private static final Duration LONGEST = Duration.ofDays(365);

	void check(String queue) {
		check(queue, "debounce", this.debounce);
		check(queue, "max-wait", this.maxWait);
		check(queue, "min-interval", this.minInterval);
		if (!this.maxWait.isZero() && this.maxWait.compareTo(this.debounce) < 0) {
			throw new InvalidQueueException("max-wait of queue '%s' is %s, which is less than its debounce, %s"
				.formatted(queue, this.maxWait, this.debounce));
		}
		if (!this.maxWait.isZero() && this.debounce.isZero()) {
			throw new InvalidQueueException(
					"max-wait of queue '%s' is %s, but it has no debounce".formatted(queue, this.maxWait));
		}
	}

	private static void check(String queue, String name, Duration value) {
		if (value.isNegative() || value.compareTo(LONGEST) > 0) {
			throw new InvalidQueueException(
					"%s of queue '%s' is %s; it must be between 0 and 365 days".formatted(name, queue, value));
		}
	}

	/**
	 * Whether anything is asked for.
	 * @return false if this equals {@link #NONE}
	 */
	public boolean isAny() {
		return !equals(NONE);
	}

}
