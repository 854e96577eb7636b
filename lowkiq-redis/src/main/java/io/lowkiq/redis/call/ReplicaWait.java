package io.lowkiq.redis.call;

import java.time.Duration;

import io.lowkiq.internal.DurationText;

/**
 * How many replicas, at least one, must have what is enqueued, and how long, at least 1
 * ms, enqueuing waits for them.
 */
public record ReplicaWait(int replicas, Duration timeout) {

	public ReplicaWait {
		if (replicas < 1) {
			throw new IllegalArgumentException("The number of replicas is %s; it must be positive".formatted(replicas));
		}
		if (timeout.toMillis() < 1) {
			throw new IllegalArgumentException(
					"The timeout is %s; it must be at least 1 ms".formatted(DurationText.of(timeout)));
		}
	}

}
