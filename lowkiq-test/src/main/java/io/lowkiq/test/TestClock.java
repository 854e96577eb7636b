package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

import io.lowkiq.engine.ServerOptions;
import io.lowkiq.internal.DurationText;

/**
 * The time of a test: the clock of the store, and the monotonic clock of a server. A
 * standing clock moves only when the test moves it; a ticking one runs with that of the
 * system. Thread-safe.
 */
public final class TestClock implements InstantSource {

	private final InstantSource system;

	private final boolean ticking;

	/** Written under the monitor, read by all. */
	private volatile Time time;

	/**
	 * The time that the clock shows.
	 *
	 * @param at the time of a standing clock
	 * @param skipped how far the test has moved the clock
	 * @param syncedAt the time that a standing clock showed when it was last set by that
	 * of the system, without what was skipped since
	 */
	private record Time(Instant at, Duration skipped, Instant syncedAt) {
	}

	private TestClock(InstantSource system, boolean ticking) {
		this.system = system;
		this.ticking = ticking;
		this.time = systemTime();
	}

	/**
	 * A clock that stands still until it is moved.
	 * @return the clock, set to the system's time
	 */
	public static TestClock standing() {
		return new TestClock(InstantSource.system(), false);
	}

	/**
	 * A clock that runs, and can be moved besides.
	 * @return the clock, set to the system's time
	 */
	public static TestClock ticking() {
		return new TestClock(InstantSource.system(), true);
	}

	static TestClock standing(InstantSource system) {
		return new TestClock(system, false);
	}

	/**
	 * A clock for the jobs of a mode.
	 * @param mode the mode
	 * @return a ticking clock if threads perform the jobs, otherwise a standing one
	 */
	public static TestClock of(LowkiqMode mode) {
		return (mode == LowkiqMode.RUNNING) ? ticking() : standing();
	}

	private Time systemTime() {
		Instant now = this.system.instant();
		return new Time(now, Duration.ZERO, now);
	}

	@Override
	public Instant instant() {
		Time now = this.time;
		return this.ticking ? this.system.instant().plus(now.skipped()) : now.at();
	}

	/**
	 * The monotonic clock.
	 * @return a time in nanoseconds that jumps when the test moves the clock
	 */
	public long nanoTime() {
		return System.nanoTime() + this.time.skipped().toNanos();
	}

	/**
	 * Sets what a server of the test goes by.
	 * @param options changed
	 * @return the options
	 */
	public ServerOptions configure(ServerOptions options) {
		return options.clock(this).nanoTime(this::nanoTime).node("test");
	}

	static void checkForward(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException(
					"Time can't be moved back by %s".formatted(DurationText.of(duration.negated())));
		}
	}

	/**
	 * Moves the clock. A standing clock never falls behind that of the system by this:
	 * the time that the test itself has taken is added, so that what the application
	 * dated by the system's clock is due as expected.
	 */
	synchronized void advance(Duration duration) {
		checkForward(duration);
		Time now = this.time;
		Duration skipped = now.skipped().plus(duration);
		Instant asked = now.at().plus(duration);
		Instant real = wholeMillis(this.system.instant()).plus(skipped);
		Instant at = real.isAfter(asked) ? real : asked;
		this.time = new Time(at, skipped, now.syncedAt());
	}

	/** Not before the time, since the store rounds up, too. */
	private static Instant wholeMillis(Instant time) {
		Instant millis = time.truncatedTo(ChronoUnit.MILLIS);
		return millis.equals(time) ? millis : millis.plusMillis(1);
	}

	/** Moves the clock to a time, unless that has passed. */
	synchronized void moveTo(Instant target) {
		Time now = this.time;
		Duration distance = Duration.between(instant(), target);
		if (!distance.isNegative()) {
			this.time = new Time(now.at().plus(distance), now.skipped().plus(distance), now.syncedAt());
		}
	}

	/** Sets the clock to that of the system, unless the test has moved it. */
	synchronized void catchUp() {
		if (!isMoved()) {
			reset();
		}
	}

	/** Sets the clock to that of the system, even if that is earlier. */
	synchronized void reset() {
		this.time = systemTime();
	}

	/** Whether the test has moved the clock since it was set. */
	boolean isMoved() {
		return !this.time.skipped().isZero();
	}

	/**
	 * The time that has passed since the clock was set, apart from the time skipped by
	 * the test.
	 */
	Duration unasked() {
		Time now = this.time;
		return Duration.between(now.syncedAt(), instant().minus(now.skipped()));
	}

}
