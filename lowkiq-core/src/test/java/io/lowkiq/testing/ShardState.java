package io.lowkiq.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A shard's state out of Redis, as {@code lib/state.lua} describes it.
 *
 * @param stale how many entries of the line are stale
 * @param processed how many jobs are done
 * @param waits whether the owner waits and takes a job that is handed over
 */
public record ShardState(long stale, long processed, boolean waits) {

	private static final int STALE_AT = 12;

	private static final int PROCESSED_AT = 36;

	private static final int HAND_AT = 52;

	private static final double TAKES = -2;

	/**
	 * Reads the state of a shard.
	 * @param redis where it lies
	 * @param key the key that ends with {@code meta}
	 * @return the state; empty if there is none yet
	 */
	public static Optional<ShardState> read(StringRedisTemplate redis, String key) {
		RedisCallback<byte[]> get = (connection) -> connection.stringCommands()
			.get(key.getBytes(StandardCharsets.UTF_8));
		return Optional.ofNullable(redis.execute(get)).map(ByteBuffer::wrap).map(ShardState::parse);
	}

	private static ShardState parse(ByteBuffer state) {
		return new ShardState((long) state.getDouble(STALE_AT), (long) state.getDouble(PROCESSED_AT),
				state.getDouble(HAND_AT) == TAKES);
	}

}
