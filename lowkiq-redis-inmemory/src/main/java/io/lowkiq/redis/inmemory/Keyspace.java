package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/** The keys, their values, and when they expire. Guarded by the lock of the server. */
final class Keyspace {

	private final InstantSource clock;

	private final Map<LuaString, RedisValue> values = new HashMap<>();

	/** When keys expire, in milliseconds since 1970; most don't. */
	private final Map<LuaString, Long> expirations = new HashMap<>();

	Keyspace(InstantSource clock) {
		this.clock = clock;
	}

	Keyspace copy() {
		Keyspace copy = new Keyspace(this.clock);
		this.values.forEach((key, value) -> copy.values.put(key, value.copy()));
		copy.expirations.putAll(this.expirations);
		return copy;
	}

	Set<String> names() {
		return this.values.keySet()
			.stream()
			.map((key) -> new String(InMemoryRedis.bytes(key), StandardCharsets.UTF_8))
			.collect(Collectors.toUnmodifiableSet());
	}

	Instant now() {
		return this.clock.instant();
	}

	/** Returns null if there is no such key. */
	@Nullable RedisValue find(LuaString key) {
		if (!this.expirations.isEmpty()) {
			Long end = this.expirations.get(key);
			if (end != null && end <= now().toEpochMilli()) {
				remove(key);
			}
		}
		return this.values.get(key);
	}

	/** The value of a key, or null. */
	<T extends RedisValue> @Nullable T find(LuaString key, Class<T> type) {
		RedisValue value = find(key);
		if (value != null && !type.isInstance(value)) {
			throw RedisErrorException.wrongType();
		}
		return type.cast(value);
	}

	/** The value of a key, which is created if it isn't there. */
	<T extends RedisValue> T findOrCreate(LuaString key, Class<T> type, Supplier<T> creator) {
		T value = find(key, type);
		if (value == null) {
			value = creator.get();
			this.values.put(key, value);
		}
		return value;
	}

	/** Gives a key another value, which doesn't expire. */
	void put(LuaString key, RedisValue value) {
		this.values.put(key, value);
		this.expirations.remove(key);
	}

	boolean remove(LuaString key) {
		this.expirations.remove(key);
		return this.values.remove(key) != null;
	}

	/** Removes a key whose value has become empty. */
	void tidy(LuaString key, RedisValue value) {
		if (value.isEmpty()) {
			remove(key);
		}
	}

	void rename(LuaString from, LuaString to) {
		RedisValue value = find(from);
		if (value == null) {
			throw new RedisErrorException("ERR no such key");
		}
		Long end = this.expirations.get(from);
		remove(from);
		put(to, value);
		if (end != null) {
			this.expirations.put(to, end);
		}
	}

	/** Lets a key expire, in milliseconds since 1970; or never. */
	boolean expire(LuaString key, @Nullable Long end) {
		if (find(key) == null) {
			return false;
		}
		if (end == null) {
			return this.expirations.remove(key) != null;
		}
		this.expirations.put(key, end);
		find(key);
		return true;
	}

	/** When a key expires; null for never. */
	@Nullable Long expiration(LuaString key) {
		return this.expirations.get(key);
	}

}
