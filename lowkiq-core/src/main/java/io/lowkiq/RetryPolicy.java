package io.lowkiq;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Decides how long a failed job waits before it is performed again. Implementations must
 * be thread-safe.
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
		return (retryCount) -> {
			long n = Math.max(retryCount, 0);
			long random = ThreadLocalRandom.current().nextInt(30);
			return Duration.ofSeconds(n * n * n * n + 15 + random * (n + 1));
		};
	}

}
