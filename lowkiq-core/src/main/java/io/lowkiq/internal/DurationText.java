package io.lowkiq.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Durations as people read them: "1 min", "2 h 5 min", "250 ms". */
public final class DurationText {

	private static final int MAX_UNITS = 2;

	private DurationText() {
	}

	/** Describes a duration by its two largest units. */
	public static String of(Duration duration) {
		if (duration.isNegative()) {
			return "-" + of(duration.negated());
		}
		List<String> units = new ArrayList<>();
		add(units, duration.toDays(), "d");
		add(units, duration.toHoursPart(), "h");
		add(units, duration.toMinutesPart(), "min");
		add(units, duration.toSecondsPart(), "s");
		add(units, duration.toMillisPart(), "ms");
		if (units.isEmpty()) {
			return duration.isZero() ? "0 s" : "less than 1 ms";
		}
		return String.join(" ", units.subList(0, Math.min(MAX_UNITS, units.size())));
	}

	private static void add(List<String> units, long number, String unit) {
		if (number > 0) {
			units.add(number + " " + unit);
		}
	}

}
