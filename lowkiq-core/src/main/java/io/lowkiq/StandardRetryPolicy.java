package io.lowkiq;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The policy of the Ruby gem, see {@link RetryPolicy#standard()}. */
record StandardRetryPolicy() implements RetryPolicy {

	@Override
	public Duration retryIn(int retryCount) {
		long n = Math.max(retryCount, 0);
		long random = ThreadLocalRandom.current().nextInt(30);
		return Duration.ofSeconds(n * n * n * n + 15 + random * (n + 1));
	}

}
