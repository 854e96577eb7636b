package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * How long a request may go on reading. Immutable.
 *
 * @param clock the clock
 * @param at when it has to stop
 */
record Deadline(InstantSource clock, Instant at) {

	/** A request that goes through a list answers after this time with what it has. */
	static final Duration REQUEST = Duration.ofMillis(1_500);

	static Deadline in(Duration time, InstantSource clock) {
		return new Deadline(clock, clock.instant().plus(time));
	}

	boolean isOver() {
		return !this.clock.instant().isBefore(this.at);
	}

}
