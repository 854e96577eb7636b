package io.lowkiq.store;

import io.lowkiq.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The settings that operators have made for a group of a queue. A part is null where they
 * have set nothing.
 *
 * @param pause there if no job of the group may begin
 * @param concurrency the maximum number of jobs of the group that run at a time, 1 or
 * more
 * @param weight the weight of the group, 1 or more
 */
public record GroupOverride(@Nullable Change<Boolean> pause, @Nullable Change<Integer> concurrency,
		@Nullable Change<RateLimit> rate, @Nullable Change<Integer> weight) {

	/** Nothing is set. */
	public static final GroupOverride NONE = new GroupOverride(null, null, null, null);

	/** The parts, by which they can be reset. */
	public enum Part {

		PAUSE,

		CONCURRENCY,

		RATE,

		WEIGHT

	}

	/**
	 * A value and its origin.
	 *
	 * @param at when, in milliseconds since 1970 by the clock of the store; 0 before it
	 * is stored
	 */
	public record Change<T>(T value, String by, long at) {
	}

	/** The setting of a part; null if nothing is set. */
	public @Nullable Change<?> part(Part part) {
		return switch (part) {
			case PAUSE -> this.pause;
			case CONCURRENCY -> this.concurrency;
			case RATE -> this.rate;
			case WEIGHT -> this.weight;
		};
	}

}
