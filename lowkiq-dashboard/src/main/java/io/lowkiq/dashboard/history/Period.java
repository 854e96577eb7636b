package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A time that the {@link PeriodLog} remembers, cut into steps of equal length that begin
 * at multiples of it.
 */
public enum Period {

	HOUR("1h", Duration.ofMinutes(1), 60),

	DAY("24h", Duration.ofMinutes(10), 144),

	WEEK("7d", Duration.ofHours(1), 168);

	private final String label;

	private final long step;

	private final int steps;

	Period(String label, Duration step, int steps) {
		this.label = label;
		this.step = step.toMillis();
		this.steps = steps;
	}

	/**
	 * Finds a period.
	 * @return the period; empty if there is none
	 */
	public static Optional<Period> of(String label) {
		return Arrays.stream(values()).filter((period) -> period.label.equals(label)).findFirst();
	}

	String label() {
		return this.label;
	}

	/** The length of a step, in milliseconds. */
	long step() {
		return this.step;
	}

	/** The number of the step at a time, in milliseconds since 1970. */
	long stepAt(long time) {
		return Math.floorDiv(time, this.step);
	}

	/** The numbers of the steps that make the period, the present one last. */
	List<Long> stepsUntil(long now) {
		long present = stepAt(now);
		return LongStream.rangeClosed(present - this.steps + 1, present).boxed().toList();
	}

	/** The field of a step: fields are used in turn. */
	String field(long step) {
		return this.label + ":" + Math.floorMod(step, this.steps);
	}

}
