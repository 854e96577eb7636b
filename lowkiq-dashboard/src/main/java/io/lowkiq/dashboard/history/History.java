package io.lowkiq.dashboard.history;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.dashboard.history.ThroughputLog.Sample;

/**
 * The points of a chart.
 *
 * @param period {@code recent} or {@code days}
 * @param points the points by time
 */
public record History(String period, List<Point> points) {

	private static final long DAY = 86_400_000;

	/**
	 * A point.
	 *
	 * @param at milliseconds since 1970
	 * @param processed jobs done: a second for {@code recent}, on the day for
	 * {@code days}
	 * @param failed failures, likewise
	 */
	public record Point(long at, double processed, double failed) {
	}

	/**
	 * The points of the last 1,000 s.
	 * @param now the present time, in milliseconds since 1970
	 */
	public static History recent(List<Sample> samples, long now) {
		List<Point> points = new ArrayList<>();
		Sample last = null;
		for (Sample sample : samples) {
			if (sample.at() < now - ThroughputLog.STEP.toMillis() * ThroughputLog.STEPS) {
				continue;
			}
			if (last != null && sample.at() > last.at()) {
				double seconds = (sample.at() - last.at()) / 1_000.0;
				points.add(new Point(sample.at(),
						Math.max(0, sample.total().processed() - last.total().processed()) / seconds,
						Math.max(0, sample.total().failed() - last.total().failed()) / seconds));
			}
			last = sample;
		}
		return new History("recent", points);
	}

	/**
	 * The points of the last 365 days.
	 * @param days the days
	 * @param now the present time, in milliseconds since 1970
	 */
	public static History days(List<ThroughputLog.Day> days, long now) {
		long today = now / DAY;
		return new History("days",
				days.stream()
					.filter((day) -> day.day() > today - ThroughputLog.DAYS && day.day() <= today)
					.map((day) -> new Point(day.day() * DAY, day.processed(), day.failed()))
					.toList());
	}

}
