package io.lowkiq.dashboard.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.redis.wire.Utf8;

import org.springframework.core.io.ClassPathResource;

/**
 * The keys of the dashboard, in the Redis that has the jobs. Everything is a script, as
 * the Redis of tests runs nothing else. Calls throw a {@link StoreException} if Redis
 * doesn't reply. Thread-safe.
 */
public final class DashboardKeys {

	private static final String TASK = "keep what the dashboard needs";

	private static final LuaScript COMMAND = LuaScript.of(TASK,
			"return { redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2)) }");

	private static final LuaScript SET = LuaScript.of(TASK,
			"redis.call('SET', KEYS[1], ARGV[1]) return { redis.call('PEXPIRE', KEYS[1], ARGV[2]) }");

	private final ScriptCaller scripts;

	private final String prefix;

	/** Makes keys beside those of the jobs. */
	public DashboardKeys(RedisStore store) {
		this.scripts = store.scripts();
		this.prefix = store.keyPrefix();
	}

	/** Reads a script from the folder of a class. */
	public static LuaScript script(String name, Class<?> user) {
		try {
			return LuaScript.of(TASK, new ClassPathResource(name, user).getContentAsString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A key. All of a group are in one slot of a cluster. */
	public String key(String group, String name) {
		return this.prefix + ":{" + group + "}:" + name;
	}

	/** Runs a script. All keys are of one group. */
	public Reply run(LuaScript script, List<String> keys, String... arguments) {
		return this.scripts.run(script, bytes(keys.stream()), bytes(Stream.of(arguments)));
	}

	/** Runs a command on a key. */
	public Reply command(String command, String key, String... arguments) {
		return run(COMMAND, List.of(key),
				Stream.concat(Stream.of(command), Stream.of(arguments)).toArray(String[]::new));
	}

	/** Sets a key for a time. */
	public void set(String key, String value, Duration kept) {
		run(SET, List.of(key), value, Long.toString(kept.toMillis()));
	}

	private static byte[][] bytes(Stream<String> texts) {
		return texts.map(Utf8::bytes).toArray(byte[][]::new);
	}

}
