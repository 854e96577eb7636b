package io.lowkiq.dashboard.history;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** The points of a chart. */
public record History(List<Point> points) {

	/**
	 * A minute.
	 *
	 * @param at when it begins, in milliseconds since 1970
	 * @param processed jobs done, per second
	 * @param failed failures, per second
	 * @param lag the lag, in milliseconds
	 * @param p50 within how many milliseconds half of the runs ended; null if there were
	 * none
	 * @param p95 within how many milliseconds 95 % of the runs ended; null if there were
	 * none
	 */
	public record Point(long at, double processed, double failed, long lag, long enqueued, long dead,
			@Nullable Double p50, @Nullable Double p95) {
	}

}
