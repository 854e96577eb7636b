package io.lowkiq.dashboard.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The time by which a request must stop reading. Immutable. */
public record Deadline(InstantSource clock, Instant at) {

	/** A request that goes through a list answers after this time with what it has. */
	public static final Duration REQUEST = Duration.ofMillis(1_500);

	/** A deadline from now on. */
	public static Deadline in(Duration time, InstantSource clock) {
		return new Deadline(clock, clock.instant().plus(time));
	}

	/** Whether the time is up. */
	public boolean isOver() {
		return !this.clock.instant().isBefore(this.at);
	}

}
