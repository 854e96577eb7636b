package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.internal.DurationText;

/** How far the node's clock differs from the store's. */
final class ClockDifference {

	private static final Logger logger = LoggerFactory.getLogger(ClockDifference.class);

	private static final Duration TOLERANCE = Duration.ofSeconds(1);

	/** A difference about as large as the tolerance is logged once. */
	private static final Duration AGREEMENT = TOLERANCE.dividedBy(2);

	/** Written by the thread that reports, read by all. */
	private volatile @Nullable Duration ahead;

	/**
	 * Compares the clocks. Only what lies outside of the call is certainly a difference.
	 */
	void compare(Instant before, Instant store, Instant after) {
		Duration certain = certain(before, store, after);
		if (certain.abs().compareTo(TOLERANCE) > 0) {
			if (this.ahead == null) {
				logger.warn(
						"The clock of this node is {} that of Redis. Redis' clock decides when jobs are due; workers that read the node's clock see another time. Synchronize the clocks, with NTP for instance",
						describe(certain));
			}
			this.ahead = certain;
		}
		else if (this.ahead != null && certain.abs().compareTo(AGREEMENT) < 0) {
			this.ahead = null;
			logger.info("The clock of this node agrees with that of Redis again");
		}
	}

	private static Duration certain(Instant before, Instant store, Instant after) {
		if (before.isAfter(store)) {
			return Duration.between(store, before);
		}
		return after.isBefore(store) ? Duration.between(store, after) : Duration.ZERO;
	}

	/**
	 * The difference for people, such as "40 s ahead of Redis"; null if the clocks agree.
	 */
	@Nullable String text() {
		Duration difference = this.ahead;
		return (difference != null) ? describe(difference) + " Redis" : null;
	}

	private static String describe(Duration ahead) {
		return DurationText.of(ahead.abs()) + (ahead.isNegative() ? " behind" : " ahead of");
	}

}
