package io.lowkiq.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.jspecify.annotations.Nullable;

/** A shard of a newer version on the Redis in the JVM. */
class NewerShardTests extends NewerShardContract {

	private static final String BASE = "lowkiq:{" + SHARD + "}:";

	private static final byte[] QUEUES = bytes("lowkiq:{queues}");

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	@Override
	RedisStore store() {
		return this.store;
	}

	@Override
	void eval(LuaScript script) {
		this.redis.eval(script.text(), new ShardKeys("lowkiq").of(SHARD)).join();
	}

	@Override
	byte[] meta() {
		return (byte[]) Objects.requireNonNull(call("GET", "meta"));
	}

	@Override
	void meta(byte[] value) {
		call("SET", "meta", value);
	}

	@Override
	void put(String hash, String id, byte[] entry) {
		call("HSET", hash, bytes(id), entry);
	}

	@Override
	void followUp(long number, byte[] stored) {
		call("ZADD", "follow-ups", bytes(String.valueOf(number)), stored);
	}

	@Override
	void record(String queue, String record) {
		this.redis.call(bytes("HSET"), QUEUES, bytes(queue), bytes(record)).join();
	}

	@Override
	String recordOf(String queue) {
		Object record = this.redis.call(bytes("HGET"), QUEUES, bytes(queue)).join();
		return new String((byte[]) Objects.requireNonNull(record), StandardCharsets.UTF_8);
	}

	private @Nullable Object call(String command, String key, byte[]... arguments) {
		return this.redis
			.call(Stream.concat(Stream.of(bytes(command), bytes(BASE + key)), Stream.of(arguments))
				.toArray(byte[][]::new))
			.join();
	}

	@Override
	Map<String, Object> contents() {
		Map<String, Object> all = new TreeMap<>();
		all.put("meta", comparable(meta()));
		Stream.of("jobs", "void", "busy", "morgue").forEach((hash) -> all.put(hash, comparable(call("HGETALL", hash))));
		Stream
			.of("delayed", "suspects", "retries", "morgue-times", "follow-ups", "resting", "p:queued", "p:busy",
					"d:dead", "d:newer")
			.forEach((set) -> all.put(set,
					comparable(call("ZRANGE", set, bytes("0"), bytes("-1"), bytes("WITHSCORES")))));
		all.put("ready", comparable(call("LRANGE", "ready", bytes("0"), bytes("-1"))));
		return all;
	}

	private static Object comparable(@Nullable Object value) {
		if (value instanceof List<?> list) {
			return list.stream().map(NewerShardTests::comparable).toList();
		}
		return (value instanceof byte[] bytes) ? ByteBuffer.wrap(bytes) : String.valueOf(value);
	}

}
