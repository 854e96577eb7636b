package io.lowkiq.store.job;

import org.jspecify.annotations.Nullable;

/**
 * The memory that a shard has of the follow-ups of another one. Whoever enqueues some
 * names the memory that it knew before it read them, so that a shard that a failover has
 * set back enqueues none before those that it has forgotten.
 *
 * @param epoch of the last one; 0 if none is remembered
 * @param number of the last one, or how often the shard has forgotten an {@link Origin}
 */
public record Remembered(long epoch, long number) {

	/** Nothing, and nothing was forgotten. */
	public static final Remembered NOTHING = new Remembered(0, 0);

	/** The memory after a follow-up was enqueued. */
	public Remembered after(@Nullable Origin origin) {
		if (origin == null || !origin.isAfter(new Origin(origin.shard(), this.epoch, this.number))) {
			return this;
		}
		return new Remembered(origin.epoch(), origin.number());
	}

}
