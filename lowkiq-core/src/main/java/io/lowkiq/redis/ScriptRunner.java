package io.lowkiq.redis;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.lowkiq.store.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs scripts and commands on Redis, each at once and by itself: also where the caller's
 * thread has a connection with an open transaction or pipeline. Thread-safe.
 */
final class ScriptRunner implements ScriptCaller {

	/**
	 * From some 15 threads on, the calls that go together on a shared connection cost
	 * less than what they wait for each other.
	 */
	private static final int MOST_OWN_CONNECTIONS = 10;

	private final RedisConnectionFactory connectionFactory;

	private final RedisTemplate<byte[], byte[]> template;

	/** Of a thread that has a connection for itself, to this runner's Redis. */
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable ThreadConnection> ownConnection = new ThreadLocal<>();

	/** Held by the thread that leaves a connection. */
	private final AtomicBoolean leaving = new AtomicBoolean();

	ScriptRunner(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.template = new RedisTemplate<>();
		this.template.setConnectionFactory(connectionFactory);
		this.template.setDefaultSerializer(RedisSerializer.byteArray());
		this.template.setExposeConnection(true);
		this.template.afterPropertiesSet();
	}

	@Override
	public void runAttached(int threads, Runnable task) {
		if (threads > MOST_OWN_CONNECTIONS) {
			task.run();
			return;
		}
		try (ThreadConnection own = ThreadConnections.forThisThread(this.connectionFactory)) {
			this.ownConnection.set(own);
			task.run();
		}
		finally {
			this.ownConnection.remove();
		}
	}

	@Override
	public Reply run(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
		ThreadConnection own = this.ownConnection.get();
		if (own != null) {
			return own.run(script, keys, arguments);
		}
		byte[][] keysAndArguments = new byte[keys.size() + arguments.size()][];
		for (int i = 0; i < keysAndArguments.length; i++) {
			keysAndArguments[i] = (i < keys.size()) ? keys.get(i) : arguments.get(i - keys.size());
		}
		return call("script " + script.name(),
				(connection) -> evaluate(connection, script, keys.size(), keysAndArguments));
	}

	@Override
	public <T> T concurrently(String what, Function<Starter, T> calls) {
		return call(what, (connection) -> calls.apply(new ScriptCalls(connection)));
	}

	/**
	 * Makes a call on a connection that is neither in a transaction nor in a pipeline.
	 * @param <T> the type of the answer
	 * @param what the call, for the message of an exception
	 * @param callback the call
	 * @return the answer
	 * @throws StoreException if it is not certain what happened
	 */
	<T> T call(String what, RedisCallback<T> callback) {
		T answer;
		try {
			answer = this.template.execute((connection) -> (connection.isQueueing() || connection.isPipelined())
					? callApart(callback) : callback.doInRedis(connection), true);
		}
		catch (RuntimeException ex) {
			if (isFromReplica(ex)) {
				leave();
			}
			throw new StoreException("Redis did not answer %s as it should: %s".formatted(what, ex.getMessage()), ex);
		}
		if (answer == null) {
			throw new StoreException("Redis gave no answer to %s".formatted(what), null);
		}
		return answer;
	}

	private <T> @Nullable T callApart(RedisCallback<T> callback) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return callback.doInRedis(connection);
		}
	}

	/**
	 * Has the server close the connection, so that the client library connects anew, to
	 * what is the master by then. It would stay for ever with a master that has become a
	 * replica, or came back as one; or with a connection that gives each call the answer
	 * of another. Out of a pool, the one that was used last comes first.
	 */
	@Override
	public void leave() {
		ThreadConnection own = this.ownConnection.get();
		if (own != null) {
			own.leave();
			return;
		}
		if (!this.leaving.compareAndSet(false, true)) {
			return;
		}
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			connection.execute("QUIT");
		}
		catch (RuntimeException ex) {
			// The exception at hand tells enough, and the next call tries again
		}
		finally {
			this.leaving.set(false);
		}
	}

	static Reply evaluate(RedisConnection connection, LuaScript script, int keys, byte[][] keysAndArguments) {
		List<@Nullable Object> values;
		try {
			values = connection.scriptingCommands().evalSha(script.sha(), ReturnType.MULTI, keys, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!isUnknownScript(ex)) {
				throw ex;
			}
			values = connection.scriptingCommands().eval(script.text(), ReturnType.MULTI, keys, keysAndArguments);
		}
		return new Reply(script.name(), (values != null) ? values : List.of());
	}

	static boolean isUnknownScript(RuntimeException exception) {
		return anyMessage(exception, (message) -> message.startsWith("NOSCRIPT"));
	}

	/** Redis 6 wraps what a command answered to a script. */
	static boolean isFromReplica(RuntimeException exception) {
		return anyMessage(exception, (message) -> message.contains("READONLY "));
	}

	/** Whether a message of an exception or of its causes is of a kind. */
	static boolean anyMessage(RuntimeException exception, Predicate<String> condition) {
		return Stream.iterate((Throwable) exception, Objects::nonNull, Throwable::getCause)
			.map(Throwable::getMessage)
			.anyMatch((message) -> message != null && condition.test(message));
	}

}
