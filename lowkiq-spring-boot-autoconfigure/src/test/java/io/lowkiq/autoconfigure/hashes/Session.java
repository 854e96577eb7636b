package io.lowkiq.autoconfigure.hashes;

import org.springframework.data.redis.core.RedisHash;

/** Kept in a Redis repository. */
@RedisHash("sessions")
public record Session(String id) {
}
