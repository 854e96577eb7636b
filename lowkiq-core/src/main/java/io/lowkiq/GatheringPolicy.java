package io.lowkiq;

import java.time.Duration;

import io.lowkiq.internal.DurationText;

/**
 * How the payloads of an id gather before they are performed. The owner of a shard writes
 * it to the store, so that it applies to all producers. Until a server has served the
 * shard for the first time, {@link #NONE} applies. Times are in whole milliseconds.
 *
 * @param debounce the quiet time: how long no payload may be enqueued for an id before it
 * is performed; zero to perform it at once. A payload with an explicit performAt is not
 * debounced
 * @param maxWait the longest time that an id waits after its first payload while more
 * arrive; zero for no limit. The id also becomes due when it has as many payloads as one
 * delivery can hold
 * @param minInterval the minimum time between the end of one perform of an id and the
 * start of the next; zero for none
 * @param keepLatest whether to keep only the payload with the largest score when several
 * wait together
 * @param equalLatest whether to keep the larger score instead of the smaller one when
 * equal payloads wait together
 * @param retryNow whether a new payload makes a waiting retry due
 */
public record GatheringPolicy(Duration debounce, Duration maxWait, Duration minInterval, boolean keepLatest,
		boolean equalLatest, boolean retryNow) {

	/** Only payloads that are waiting anyway gather, as in the Ruby gem. */
	public static final GatheringPolicy NONE = new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, false,
			false, false);

	private static final Duration LONGEST = Duration.ofDays(365);

	void check(String queue) {
		check(queue, "debounce", this.debounce);
		check(queue, "max-wait", this.maxWait);
		check(queue, "min-interval", this.minInterval);
		if (!this.maxWait.isZero() && this.maxWait.compareTo(this.debounce) < 0) {
			throw new InvalidQueueException("max-wait of queue '%s' is %s, which is less than its debounce, %s"
				.formatted(queue, DurationText.of(this.maxWait), DurationText.of(this.debounce)));
		}
		if (!this.maxWait.isZero() && this.debounce.isZero()) {
			throw new InvalidQueueException("max-wait of queue '%s' is %s, but it has no debounce".formatted(queue,
					DurationText.of(this.maxWait)));
		}
	}

	/** A duration of a worker's setting can't be negative, or endless. */
	static void check(String queue, String name, Duration value) {
		if (value.isNegative() || value.compareTo(LONGEST) > 0) {
			throw new InvalidQueueException("%s of queue '%s' is %s; it must be between 0 and 365 days".formatted(name,
					queue, DurationText.of(value)));
		}
	}

	/**
	 * Whether any setting differs from {@link #NONE}.
	 * @return false if this equals {@link #NONE}
	 */
	public boolean isAny() {
		return !equals(NONE);
	}

}
