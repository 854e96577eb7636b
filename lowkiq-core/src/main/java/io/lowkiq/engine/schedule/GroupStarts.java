package io.lowkiq.engine.schedule;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.lowkiq.RateLimit;

/**
 * The starts that each group in a shard has saved up. Groups begin with none when the
 * lease begins, and when their rate changes. Full buckets are forgotten: they are like
 * those of unknown groups. Used by one thread at a time.
 */
public final class GroupStarts {

	private final long since;

	private final Map<String, Bucket> buckets = new HashMap<>();

	/** The starts of one group, by the rate that it had. */
	private record Bucket(RateLimit rate, TokenBucket starts) {
	}

	/**
	 * Nothing is saved up.
	 * @param nanos the present time
	 */
	public GroupStarts(long nanos) {
		this.since = nanos;
	}

	/** The bucket of a group without runs so far. */
	TokenBucket unknown(RateLimit rate) {
		return empty(rate, this.since);
	}

	private static TokenBucket empty(RateLimit rate, long nanos) {
		return new TokenBucket(rate.interval(1), rate.burst(0, 1), nanos);
	}

	/**
	 * The time until any group may begin a job.
	 * @param rate the rate of groups without one of their own
	 * @param nanos the present time
	 * @return nanoseconds, 0 if groups of which no job has begun may
	 */
	public long untilFirst(RateLimit rate, long nanos) {
		return unknown(rate).until(1, nanos);
	}

	/** The bucket of a group, not to be changed. */
	TokenBucket bucket(String group, RateLimit rate, long nanos) {
		Bucket known = this.buckets.get(group);
		if (known == null) {
			return unknown(rate);
		}
		if (!known.rate().equals(rate)) {
			known = new Bucket(rate, empty(rate, nanos));
			this.buckets.put(group, known);
		}
		return known.starts();
	}

	/**
	 * Notes that a job of a group begins.
	 * @param group the group
	 * @param rate its rate
	 * @param nanos the present time
	 */
	public void begin(String group, RateLimit rate, long nanos) {
		this.buckets.computeIfAbsent(group, (key) -> new Bucket(rate, unknown(rate)));
		bucket(group, rate, nanos).take(1, nanos);
	}

	/** The groups whose buckets are not full. */
	Set<String> used(long nanos) {
		this.buckets.values().removeIf((bucket) -> bucket.starts().isFull(nanos));
		return this.buckets.keySet();
	}

}
