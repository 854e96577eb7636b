package io.lowkiq;

import java.time.Duration;

/**
 * Decides how long a failed job waits before it is performed again, unless its worker or
 * its exception does. A bean of this type applies to all queues whose back-off is not set
 * by properties. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface RetryPolicy {

	/**
	 * The time to wait before a retry.
	 * @param retryCount the number of the next retry: 0 after the first failure
	 * @return the time to wait, not negative
	 */
	Duration retryIn(int retryCount);

	/**
	 * The Ruby gem's rule: {@code retryCount^4 + 15 + random(30) * (retryCount + 1)}
	 * seconds. 25 retries take about three weeks.
	 * @return the policy
	 */
	static RetryPolicy standard() {
		return new StandardRetryPolicy();
	}

	/**
	 * Exponential back-off with the meaning of Spring's
	 * {@link org.springframework.util.backoff.ExponentialBackOff ExponentialBackOff}: the
	 * interval is multiplied after each retry, up to a maximum.
	 * @param initialInterval the time before the first retry, 0 to 365 days
	 * @param multiplier what the interval is multiplied by after each retry, 1 to 100
	 * @param maxInterval the maximum time between retries, not shorter than the initial
	 * interval, at most 365 days
	 * @param jitter the maximum random time added to or subtracted from the first
	 * interval; it grows with the interval. Not longer than the initial interval. No wait
	 * becomes longer than the maximum
	 * @return the policy
	 * @throws IllegalArgumentException if a value is out of its range
	 */
	static RetryPolicy exponential(Duration initialInterval, double multiplier, Duration maxInterval, Duration jitter) {
		return new ExponentialRetryPolicy(initialInterval, multiplier, maxInterval, jitter);
	}

}
