package io.lowkiq;

import java.time.Duration;

import io.lowkiq.internal.DurationText;

/**
 * How many runs may begin in a time. Starts that were not used are saved up to the burst.
 * In any time, no more begin than the rate brings in that time, and the burst.
 *
 * @param starts the number of runs that may begin in each period, 1 to {@value #MAX}
 * @param period the period, 1 millisecond to 1 minute
 * @param burst the maximum number of starts that are saved up, 1 to {@value #MAX}; 0 for
 * what a tenth of a second brings, and at least one for each shard
 */
public record RateLimit(int starts, Duration period, int burst) {

	/** The maximum number of starts in a period, and of those saved up. */
	public static final int MAX = 1_000_000;

	private static final Duration LONGEST = Duration.ofMinutes(1);

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
		return this.starts >= 1 && this.starts <= MAX && isPeriodValid() && this.burst >= 0 && this.burst <= MAX;
	}

	private boolean isPeriodValid() {
		return this.period.toMillis() >= 1 && this.period.compareTo(LONGEST) <= 0;
	}

	void check(String queue, String name, int parts) {
		RegisteredWorker.Settings.check(queue, name, this.starts, 1, MAX);
		if (!isPeriodValid()) {
			throw new InvalidQueueException("The period of %s of queue '%s' is %s; it must be between 1 ms and 1 minute"
				.formatted(name, queue, DurationText.of(this.period)));
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
		String time = this.period.equals(Duration.ofSeconds(1)) ? "s"
				: this.period.equals(LONGEST) ? "min" : DurationText.of(this.period);
		return "%d/%s".formatted(this.starts, time) + ((this.burst != 0) ? ", burst " + this.burst : "");
	}

}
