package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

/**
 * Remembers how many jobs were processed and failed: every 10 seconds, or less often, for
 * the last 1,000, and every day for the last 365. Keeps the fields of the
 * {@link PeriodLog}. Thread-safe.
 */
public interface ThroughputLog {

	/** The shortest time between two samples. */
	Duration STEP = Duration.ofSeconds(10);

	/** The number of steps between two samples that nobody looks at. */
	int UNWATCHED = 6;

	/** How many samples make 1,000 s. */
	int STEPS = 101;

	/** How many days are kept. */
	int DAYS = 365;

	/**
	 * Claims the present step for one node.
	 * @param apart how many steps after the last claimed one it has to be, at least 1
	 * @return the time of the log, in milliseconds since 1970; empty if it is too early
	 */
	OptionalLong claim(int apart);

	/**
	 * Writes a sample.
	 * @param now the time of the log, in milliseconds since 1970
	 */
	void write(long now, Map<String, Total> totals);

	/**
	 * The samples of the last 1,000 s.
	 * @param queue the queue's name; null for all together
	 * @return the samples by time, the time in milliseconds since 1970
	 */
	List<Sample> steps(@Nullable String queue);

	/**
	 * The days of the last 365 on which something was written.
	 * @param queue the queue's name; null for all together
	 * @return the days, by date
	 */
	List<Day> days(@Nullable String queue);

	/**
	 * Reads fields of the longer history.
	 * @param queue the queue's name; null for all together
	 */
	Map<String, String> fields(@Nullable String queue, List<String> names);

	/**
	 * Writes fields of the longer history, all or none. They are kept for 8 days after
	 * the last write.
	 * @param queue the queue's name; null for all together
	 */
	void put(@Nullable String queue, Map<String, String> fields);

	/**
	 * The totals of a queue since its beginning.
	 *
	 * @param processed jobs done
	 * @param failed failures
	 */
	record Total(long processed, long failed) {

		Total plus(Total other) {
			return new Total(this.processed + other.processed, this.failed + other.failed);
		}

	}

	/**
	 * A total at a time.
	 *
	 * @param at milliseconds since 1970
	 * @param total the total
	 */
	record Sample(long at, Total total) {
	}

	/**
	 * The totals of a day, in UTC.
	 *
	 * @param day days since 1970
	 * @param processed jobs done
	 * @param failed failures
	 */
	record Day(long day, long processed, long failed) {
	}

}
