package io.lowkiq.redis.call;

import java.time.Duration;

/**
 * How many replicas, at least one, must have what is enqueued, and how long, at least 1
 * ms, enqueuing waits for them.
 */
public record ReplicaWait(int replicas, Duration timeout) {
}
