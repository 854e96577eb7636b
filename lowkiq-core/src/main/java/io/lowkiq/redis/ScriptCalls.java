package io.lowkiq.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.util.ClassUtils;

/**
 * Starts scripts on one connection without waiting for their answers, where its client
 * can: Lettuce can, below what Spring Data Redis offers. Not thread-safe.
 */
final class ScriptCalls implements ScriptCaller.Starter {

	/**
	 * The longest wait for an answer. As Spring sets Lettuce up, a command ends by itself
	 * when its own timeout is over.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisFuture",
			ScriptCalls.class.getClassLoader());

	private final RedisConnection connection;

	ScriptCalls(RedisConnection connection) {
		this.connection = connection;
	}

	@Override
	public Supplier<Reply> start(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
		byte[][] keyArray = keys.toArray(byte[][]::new);
		byte[][] argumentArray = arguments.toArray(byte[][]::new);
		if (LETTUCE && this.connection.getNativeConnection() instanceof RedisScriptingAsyncCommands<?, ?> commands) {
			return start(commands, script, keyArray, argumentArray);
		}
		Reply reply = evaluate(script, keyArray, argumentArray);
		return () -> reply;
	}

	@SuppressWarnings("unchecked")
	private Supplier<Reply> start(RedisScriptingAsyncCommands<?, ?> commands, LuaScript script, byte[][] keys,
			byte[][] arguments) {
		RedisFuture<List<@Nullable Object>> sent = ((RedisScriptingAsyncCommands<byte[], byte[]>) commands)
			.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments);
		return () -> {
			try {
				List<@Nullable Object> values = LettuceFutures.awaitOrCancel(sent, LIMIT.toSeconds(), TimeUnit.SECONDS);
				return new Reply(script.name(), (values != null) ? values : List.of());
			}
			catch (RuntimeException ex) {
				if (!ScriptRunner.isUnknownScript(ex)) {
					throw ex;
				}
				return evaluate(script, keys, arguments);
			}
		};
	}

	private Reply evaluate(LuaScript script, byte[][] keys, byte[][] arguments) {
		byte[][] both = Arrays.copyOf(keys, keys.length + arguments.length);
		System.arraycopy(arguments, 0, both, keys.length, arguments.length);
		return ScriptRunner.evaluate(this.connection, script, keys.length, both);
	}

}
