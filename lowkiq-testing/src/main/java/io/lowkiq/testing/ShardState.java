package io.lowkiq.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** A shard's meta data out of Redis, as {@code lib/meta.lua} describes it. */
public record ShardState(long processed, boolean waits) {

	private static final int PROCESSED_AT = 18;

	private static final int WAKE_AT = 34;

	/**
	 * Reads the state of a shard.
	 * @return the state; empty if there is none yet
	 */
	public static Optional<ShardState> read(StringRedisTemplate redis, String key) {
		RedisCallback<byte[]> get = (connection) -> connection.stringCommands()
			.get(key.getBytes(StandardCharsets.UTF_8));
		return Optional.ofNullable(redis.execute(get)).map(ByteBuffer::wrap).map(ShardState::parse);
	}

	private static ShardState parse(ByteBuffer state) {
		return new ShardState((long) state.getDouble(PROCESSED_AT),
				state.getDouble(WAKE_AT) > Double.NEGATIVE_INFINITY);
	}

}
