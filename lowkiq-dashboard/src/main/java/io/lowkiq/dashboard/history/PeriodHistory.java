package io.lowkiq.dashboard.history;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The points of a chart of a {@link Period}. A step of which nothing is known has none.
 *
 * @param period the label of the period
 * @param step the length of a step, in milliseconds
 * @param points the points by time
 */
public record PeriodHistory(String period, long step, List<Point> points) {

	/**
	 * A step.
	 *
	 * @param at when it begins, in milliseconds since 1970
	 * @param processed jobs done, per second
	 * @param failed failures, per second
	 * @param lag the largest lag, in milliseconds
	 * @param enqueued the number of queued jobs at the end
	 * @param dead the number of dead jobs at the end
	 * @param p50 within how many milliseconds half of the runs ended; null if there were
	 * none
	 * @param p95 within how many milliseconds 95 % of the runs ended; null if there were
	 * none
	 */
	public record Point(long at, double processed, double failed, long lag, long enqueued, long dead,
			@Nullable Double p50, @Nullable Double p95) {
	}

	/**
	 * The points of steps.
	 * @return the points; a step of which nothing is known has none
	 */
	public static PeriodHistory of(Period period, List<PeriodLog.Step> steps) {
		return new PeriodHistory(period.label(), period.step(),
				steps.stream().filter((step) -> step.millis() > 0).map((step) -> point(period, step)).toList());
	}

	private static Point point(Period period, PeriodLog.Step step) {
		double seconds = step.millis() / 1_000.0;
		return new Point(step.number() * period.step(), step.processed() / seconds, step.failed() / seconds, step.lag(),
				step.enqueued(), step.dead(), step.performs().percentile(0.5), step.performs().percentile(0.95));
	}

}
