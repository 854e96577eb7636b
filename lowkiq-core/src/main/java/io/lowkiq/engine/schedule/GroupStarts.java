package io.lowkiq.engine.schedule;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.lowkiq.RateLimit;

/**
 * The starts that each group in a shard has saved up. Groups begin with none when the
 * lease begins. Full buckets are forgotten: they are like those of unknown groups. Used
 * by one thread at a time.
 */
public final class GroupStarts {

	private final RateLimit rate;

	private final long since;

	private final Map<String, TokenBucket> buckets = new HashMap<>();

	/**
	 * Nothing is saved up.
	 * @param rate the rate of each group
	 * @param nanos the present time
	 */
	public GroupStarts(RateLimit rate, long nanos) {
		this.rate = rate;
		this.since = nanos;
	}

	/** The bucket of a group without runs so far. */
	TokenBucket unknown() {
		return new TokenBucket(this.rate.interval(1), this.rate.burst(0, 1), this.since);
	}

	/**
	 * The time until any group may begin a job.
	 * @param nanos the present time
	 * @return nanoseconds, 0 if groups of which no job has begun may
	 */
	public long untilFirst(long nanos) {
		return unknown().until(1, nanos);
	}

	/** The bucket of a group, not to be changed. */
	TokenBucket bucket(String group) {
		TokenBucket known = this.buckets.get(group);
		return (known != null) ? known : unknown();
	}

	/**
	 * Notes that a job of a group begins.
	 * @param group the group
	 * @param nanos the present time
	 */
	public void begin(String group, long nanos) {
		this.buckets.computeIfAbsent(group, (key) -> unknown()).take(1, nanos);
	}

	/** The groups whose buckets are not full. */
	Set<String> used(long nanos) {
		this.buckets.values().removeIf((bucket) -> bucket.isFull(nanos));
		return this.buckets.keySet();
	}

}
