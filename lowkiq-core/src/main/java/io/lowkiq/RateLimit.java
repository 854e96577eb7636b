package io.lowkiq;

import java.time.Duration;
import java.util.Map;

import io.lowkiq.internal.DurationText;

/**
 * How many runs may begin in a time. Starts that were not used are saved up to the burst.
 * In any time, no more begin than the rate brings in that time, and the burst.
 *
 * @param starts the number of runs that may begin in each period, 1 to {@value #MAX}
 * @param period the period, 1 millisecond to 1 day; starts are at most a minute apart
 * @param burst the maximum number of starts that are saved up, 1 to {@value #MAX}; 0 for
 * what a tenth of a second brings, and at least one for each shard
 */
public record RateLimit(int starts, Duration period, int burst) {

	/** The maximum number of starts in a period, and of those saved up. */
	public static final int MAX = 1_000_000;

	private static final Duration LONGEST = Duration.ofDays(1);

	private static final long LARGEST_INTERVAL = Duration.ofMinutes(1).toNanos();

	private static final Map<Duration, String> UNITS = Map.of(Duration.ofSeconds(1), "s", Duration.ofMinutes(1), "min",
			Duration.ofHours(1), "h", LONGEST, "day");

	private static final long DEFAULT_BURST = Duration.ofMillis(100).toNanos();

	/**
	 * A rate with the default burst.
	 * @param starts the number of runs that may begin in each period
	 * @param period the period
	 */
	public RateLimit(int starts, Duration period) {
		this(starts, period, 0);
	}

	/**
	 * Whether all parts are within their ranges.
	 * @return false if no queue could have it, whatever the number of its shards
	 */
	public boolean isValid() {
		return this.starts >= 1 && this.starts <= MAX && isPeriodValid() && interval(1) <= LARGEST_INTERVAL
				&& this.burst >= 0 && this.burst <= MAX;
	}

	private boolean isPeriodValid() {
		return this.period.toMillis() >= 1 && this.period.compareTo(LONGEST) <= 0;
	}

	void check(String queue, String name, int parts) {
		RegisteredWorker.Settings.check(queue, name, this.starts, 1, MAX);
		if (!isPeriodValid()) {
			throw new InvalidQueueException("The period of %s of queue '%s' is %s; it must be between 1 ms and 1 day"
				.formatted(name, queue, DurationText.of(this.period)));
		}
		if (interval(1) > LARGEST_INTERVAL) {
			throw new InvalidQueueException(
					"%s of queue '%s' is %s; starts must be at most a minute apart, since a shard that moves has saved up none, so each deploy would cost more than that"
						.formatted(name, queue, this));
		}
		RegisteredWorker.Settings.check(queue, "the burst of " + name, this.burst, 0, MAX);
		if (this.burst != 0) {
			Limits.checkParts(queue, "the burst of " + name, this.burst, parts);
		}
	}

	/**
	 * The time in which one start is saved up by each of several equal parts.
	 * @param parts the number of parts
	 * @return nanoseconds, rounded up
	 */
	public long interval(int parts) {
		return (this.period.toNanos() * parts + this.starts - 1) / this.starts;
	}

	/**
	 * The number of starts that one of several parts saves up.
	 * @param part the place of the part, from 0 on
	 * @param parts the number of parts
	 * @return at least 1
	 */
	public int burst(int part, int parts) {
		long brought = DEFAULT_BURST * this.starts / this.period.toNanos();
		return Limits.share((this.burst != 0) ? this.burst : (int) Math.min(MAX, Math.max(parts, brought)), part,
				parts);
	}

	/** As in properties. */
	@Override
	public String toString() {
		String time = UNITS.getOrDefault(this.period, DurationText.of(this.period));
		return this.starts + "/" + time + ((this.burst != 0) ? ", burst " + this.burst : "");
	}

}
