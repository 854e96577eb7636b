package io.lowkiq.redis;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.lowkiq.redis.call.LuaScript;
import org.junit.jupiter.api.AutoClose;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;

/** A shard of a newer version on a real Redis. */
class NewerShardIntegrationTests extends NewerShardContract {

	@AutoClose
	private final RedisShardFixture fixture = new RedisShardFixture();

	@Override
	RedisStore store() {
		return this.fixture.store;
	}

	@Override
	void eval(LuaScript script) {
		byte[][] keys = new ShardKeys(this.fixture.prefix).of(SHARD);
		call((connection) -> connection.scriptingCommands().eval(script.text(), ReturnType.MULTI, keys.length, keys));
	}

	@Override
	byte[] meta() {
		return Objects.requireNonNull(call((connection) -> connection.stringCommands().get(key("meta"))));
	}

	@Override
	void meta(byte[] value) {
		call((connection) -> connection.stringCommands().set(key("meta"), value));
	}

	@Override
	void put(String hash, String id, byte[] entry) {
		call((connection) -> connection.hashCommands().hSet(key(hash), bytes(id), entry));
	}

	@Override
	void followUp(long number, byte[] stored) {
		call((connection) -> connection.zSetCommands().zAdd(key("follow-ups"), number, stored));
	}

	@Override
	void record(String queue, String record) {
		this.fixture.redis.opsForHash().put(this.fixture.prefix + ":{queues}", queue, record);
	}

	@Override
	String recordOf(String queue) {
		return String.valueOf(this.fixture.redis.opsForHash().get(this.fixture.prefix + ":{queues}", queue));
	}

	@Override
	Map<String, Object> contents() {
		Map<String, Object> all = new TreeMap<>();
		for (String key : this.fixture.redis.keys(this.fixture.prefix + "*")) {
			all.put(key, call((connection) -> contents(connection, bytes(key))));
		}
		return all;
	}

	private static Object contents(RedisConnection connection, byte[] key) {
		return switch (connection.keyCommands().type(key)) {
			case HASH -> connection.hashCommands()
				.hGetAll(key)
				.entrySet()
				.stream()
				.collect(Collectors.toMap((entry) -> ByteBuffer.wrap(entry.getKey()),
						(entry) -> ByteBuffer.wrap(entry.getValue())));
			case ZSET -> connection.zSetCommands()
				.zRangeWithScores(key, 0, -1)
				.stream()
				.map((entry) -> Map.entry(entry.getScore(), ByteBuffer.wrap(entry.getValue())))
				.toList();
			case LIST -> connection.listCommands().lRange(key, 0, -1).stream().map(ByteBuffer::wrap).toList();
			default -> ByteBuffer.wrap(connection.stringCommands().get(key));
		};
	}

	private byte[] key(String name) {
		return bytes(this.fixture.key(name));
	}

	private <T> T call(RedisCallback<T> call) {
		return this.fixture.redis.execute(call);
	}

}
