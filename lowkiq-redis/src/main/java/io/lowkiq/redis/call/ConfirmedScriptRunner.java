package io.lowkiq.redis.call;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.internal.DurationText;
import io.lowkiq.redis.wire.Utf8;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts and waits until replicas have what they wrote. Thread-safe.
 * <p>
 * WAIT asks for what its own connection wrote, and blocks it. So each call has a
 * connection for itself, to the master of its keys. A client that reconnects repeats on
 * the new connection what was not answered; there, WAIT has nothing to wait for and is
 * content at once. Therefore the connection is given a name before the write and is asked
 * for it after WAIT: a new one has lost it.
 */
final class ConfirmedScriptRunner implements ScriptCaller, AutoCloseable {

	private static final int MAX_REDIRECTIONS = 3;

	private final byte[] name = Utf8.bytes("lowkiq-" + UUID.randomUUID());

	private final OwnConnections connections;

	private final ReplicaWait wait;

	ConfirmedScriptRunner(LettuceConnectionFactory connectionFactory, ReplicaWait wait) {
		this.connections = new OwnConnections(connectionFactory, wait.timeout());
		this.wait = wait;
	}

	@Override
	public Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments) {
		return () -> runConfirmed(script, keys, arguments);
	}

	private Reply runConfirmed(LuaScript script, byte[][] keys, byte[][] arguments) {
		OwnConnection connection = null;
		try {
			connection = this.connections.take();
			Reply reply = runRedirected(connection, script, keys, arguments);
			this.connections.giveBack(connection);
			return reply;
		}
		catch (UnconfirmedEnqueueException ex) {
			drop(connection, ex);
			throw ex;
		}
		catch (RuntimeException ex) {
			refresh(connection);
			drop(connection, ex);
			throw RedisProblem.of(script.task(), ex);
		}
	}

	@Override
	public void close() {
		this.connections.close();
	}

	/** After a timeout, the unused ones, too: they may be as dead. */
	private void drop(@Nullable OwnConnection connection, RuntimeException problem) {
		if (connection != null) {
			connection.close();
		}
		if (RedisProblem.isTimeout(problem)) {
			this.connections.close();
		}
	}

	/** So that the next call finds the present master. */
	private static void refresh(@Nullable OwnConnection connection) {
		if (connection == null) {
			return;
		}
		try {
			connection.refresh();
		}
		catch (RuntimeException ex) {
			// Redis is down, as the first exception says
		}
	}

	private Reply runRedirected(OwnConnection connection, LuaScript script, byte[][] keys, byte[][] arguments) {
		for (int redirections = 0;; redirections++) {
			try {
				return runAndWait(connection.master(keys[0]), script, keys, arguments);
			}
			catch (RedisCommandExecutionException ex) {
				String message = ex.getMessage();
				if (redirections == MAX_REDIRECTIONS || message == null || !message.startsWith("MOVED ")) {
					throw ex;
				}
				connection.refresh();
			}
		}
	}

	private Reply runAndWait(StatefulRedisConnection<byte[], byte[]> connection, LuaScript script, byte[][] keys,
			byte[][] arguments) {
		Reply reply = evaluate(connection, script, keys, arguments);
		if (reply.size() > 0 && reply.values().get(0) instanceof Long result && result < 0) {
			// A refusal, which has written nothing
			return reply;
		}
		long replicas;
		byte @Nullable [] found;
		try {
			RedisAsyncCommands<byte[], byte[]> commands = connection.async();
			RedisFuture<Long> answer = commands.waitForReplication(this.wait.replicas(),
					this.wait.timeout().toMillis());
			RedisFuture<byte[]> nameAfterwards = commands.clientGetname();
			replicas = await(connection, answer);
			found = await(connection, nameAfterwards);
		}
		catch (RuntimeException ex) {
			throw unconfirmed("the reply from Redis was lost: " + ex.getMessage(), ex);
		}
		if (!Arrays.equals(found, this.name)) {
			throw unconfirmed("the connection broke meanwhile", null);
		}
		if (replicas < this.wait.replicas()) {
			throw unconfirmed("%s confirmed within %s".formatted(replicas, DurationText.of(this.wait.timeout())), null);
		}
		return reply;
	}

	private Reply evaluate(StatefulRedisConnection<byte[], byte[]> connection, LuaScript script, byte[][] keys,
			byte[][] arguments) {
		RedisAsyncCommands<byte[], byte[]> commands = connection.async();
		RedisFuture<String> named = commands.clientSetname(this.name);
		ScriptCall call = new ScriptCall(script, keys, arguments, true);
		RedisFuture<List<@Nullable Object>> answer = call.evalsha(commands);
		await(connection, named);
		try {
			return new Reply(script.task(), known(connection, answer, () -> call.eval(commands)));
		}
		catch (RuntimeException ex) {
			throw (call.explain(ex) instanceof UnconfirmedEnqueueException unconfirmed) ? unconfirmed : ex;
		}
	}

	private static <T> T known(StatefulRedisConnection<byte[], byte[]> connection, RedisFuture<T> evalsha,
			Supplier<RedisFuture<T>> eval) {
		try {
			return await(connection, evalsha);
		}
		catch (RedisNoScriptException ex) {
			return await(connection, eval.get());
		}
	}

	private UnconfirmedEnqueueException unconfirmed(String why, @Nullable Throwable cause) {
		return new UnconfirmedEnqueueException(
				"The jobs were written, but it is not confirmed that %s replica(s) have them: %s. They are queued; it is safe to enqueue them again"
					.formatted(this.wait.replicas(), why),
				cause);
	}

	private static <T> T await(StatefulRedisConnection<byte[], byte[]> connection, RedisFuture<T> future) {
		return LettuceFutures.awaitOrCancel(future, connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
	}

}
