package io.lowkiq.redis.call;

import java.time.Duration;

import io.lowkiq.internal.DurationText;

/**
 * How many replicas must have what is enqueued before enqueuing returns, and how long it
 * waits for them.
 *
 * @param replicas the number of replicas, at least 1
 * @param timeout how long to wait, at least 1 ms
 */
public record ReplicaWait(int replicas, Duration timeout) {

	/**
	 * Checks the values.
	 * @throws IllegalArgumentException if one is too small
	 */
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
