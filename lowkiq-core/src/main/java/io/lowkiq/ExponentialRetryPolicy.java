package io.lowkiq;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.lowkiq.internal.DurationText;

/**
 * Exponential back-off, see {@link RetryPolicy#exponential}. Times are in whole
 * milliseconds.
 *
 * @param initialInterval the time before the first retry
 * @param multiplier what the interval is multiplied by after each retry
 * @param maxInterval the maximum time between retries
 * @param jitter the maximum random change of the first interval
 */
record ExponentialRetryPolicy(Duration initialInterval, double multiplier, Duration maxInterval,
		Duration jitter) implements RetryPolicy {

	private static final Duration MAX_TIME = Duration.ofDays(365);

	private static final double MAX_MULTIPLIER = 100;

	ExponentialRetryPolicy {
		check("initial-interval", initialInterval, MAX_TIME, "365 days");
		check("max-interval", maxInterval, MAX_TIME, "365 days");
		if (!(multiplier >= 1 && multiplier <= MAX_MULTIPLIER)) {
			throw new IllegalArgumentException("multiplier is %s; it must be between 1 and 100".formatted(multiplier));
		}
		if (maxInterval.compareTo(initialInterval) < 0) {
			throw new IllegalArgumentException("max-interval is %s; it must not be shorter than initial-interval, %s"
				.formatted(DurationText.of(maxInterval), DurationText.of(initialInterval)));
		}
		check("jitter", jitter, initialInterval, "initial-interval, " + DurationText.of(initialInterval));
	}

	private static void check(String name, Duration value, Duration max, String described) {
		if (value.isNegative() || value.compareTo(max) > 0) {
			throw new IllegalArgumentException(
					"%s is %s; it must be between 0 and %s".formatted(name, DurationText.of(value), described));
		}
	}

	@Override
	public Duration retryIn(int retryCount) {
		double initial = this.initialInterval.toMillis();
		if (initial == 0) {
			return Duration.ZERO;
		}
		double longest = this.maxInterval.toMillis();
		double interval = Math.min(initial * Math.pow(this.multiplier, Math.max(retryCount, 0)), longest);
		double change = interval * this.jitter.toMillis() / initial;
		double changed = interval + change * (2 * ThreadLocalRandom.current().nextDouble() - 1);
		return Duration.ofMillis(Math.round(Math.min(changed, longest)));
	}

}
