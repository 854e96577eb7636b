package io.lowkiq.store;

import io.lowkiq.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a group by operators; a part is null where they have set nothing, and a
 * pause that is there holds. The concurrency and the weight are 1 or more.
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

	/** A value and its origin, in milliseconds since 1970 by the store, or 0. */
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
