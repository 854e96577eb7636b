package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lowkiq.UnconfirmedEnqueueException;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts on a connection that all callers share, apart from transactions and
 * pipelines of the thread. Thread-safe.
 */
final class ScriptRunner implements AutoCloseable {

	private final ReplaceableConnection connection;

	/** Whether a connection to a replica is being closed. */
	private final AtomicBoolean leaving = new AtomicBoolean();

	ScriptRunner(LettuceConnectionFactory connectionFactory) {
		this.connection = new ReplaceableConnection(connectionFactory);
	}

	CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		return start(script, keys[0],
				(commands) -> commands.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments),
				(commands) -> commands.eval(script.text(), ScriptOutputType.MULTI, keys, arguments));
	}

	private CompletableFuture<Reply> start(LuaScript script, byte[] key, Call evalsha, Call eval) {
		CompletableFuture<List<@Nullable Object>> known = start(script.task(), key, evalsha);
		// Not on the thread of the connection, which must not wait for another one
		return known
			.exceptionallyComposeAsync(
					(ex) -> isUnknownScript(ex) ? start(script.task(), key, eval) : CompletableFuture.failedFuture(ex))
			.thenApply((values) -> new Reply(script.task(), values));
	}

	private static boolean isUnknownScript(Throwable problem) {
		return RedisProblem.of("", problem).getCause() instanceof RedisNoScriptException;
	}

	/** Sends nothing again: a lost answer is an {@link UnconfirmedEnqueueException}. */
	CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments) {
		SingleScriptCall call = new SingleScriptCall(script, keys, arguments);
		return start(script, keys[0], call::evalsha, call::eval)
			.exceptionallyCompose((ex) -> CompletableFuture.failedFuture(call.explain(ex)));
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private CompletableFuture<List<@Nullable Object>> start(String task, byte[] key, Call call) {
		OwnConnection present = this.connection.present();
		if (present == null && Thread.currentThread() instanceof FastThreadLocalThread) {
			// Connecting may need this thread
			return CompletableFuture.supplyAsync(() -> start(task, key, call)).thenCompose(Function.identity());
		}
		CompletableFuture<List<@Nullable Object>> answer = new CompletableFuture<>();
		try {
			OwnConnection connection = (present != null) ? present : this.connection.get();
			CompletableFuture<List<@Nullable Object>> sent = call.on(connection.commands()).toCompletableFuture();
			Duration limit = connection.limit();
			if (limit != null) {
				sent.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
			}
			sent.whenComplete((value, ex) -> {
				if (ex == null) {
					this.connection.answered(connection, key);
					answer.complete(value);
				}
				else {
					failed(connection, key, ex);
					answer.completeExceptionally(RedisProblem.of(task, ex));
				}
			});
		}
		catch (RuntimeException ex) {
			answer.completeExceptionally(RedisProblem.of(task, ex));
		}
		return answer;
	}

	private void failed(OwnConnection connection, byte[] key, Throwable problem) {
		if (RedisProblem.isTimeout(problem)) {
			this.connection.timedOut(connection, key);
		}
		else if (problem instanceof RedisCommandExecutionException) {
			this.connection.answered(connection, key);
			leaveReplica(connection.commands(), problem);
		}
	}

	void ping() {
		byte[] anyKey = new byte[0];
		OwnConnection connection = this.connection.get();
		StatefulRedisConnection<byte[], byte[]> master = connection.master(anyKey);
		Duration limit = master.getTimeout().isZero() ? RedisURI.DEFAULT_TIMEOUT_DURATION : master.getTimeout();
		try {
			LettuceFutures.awaitOrCancel(master.async().ping(), limit.toNanos(), TimeUnit.NANOSECONDS);
			this.connection.answered(connection, anyKey);
		}
		catch (RuntimeException ex) {
			failed(connection, anyKey, ex);
			throw ex;
		}
	}

	@Override
	public void close() {
		this.connection.close();
	}

	/**
	 * Has the server close the connection, so that Lettuce connects to what is the master
	 * by then: it would stay with a master that has become a replica.
	 */
	private void leaveReplica(RedisClusterAsyncCommands<byte[], byte[]> commands, Throwable problem) {
		if (RedisProblem.isFromReplica(problem) && commands instanceof RedisAsyncCommands<byte[], byte[]> single
				&& this.leaving.compareAndSet(false, true)) {
			single.quit().whenComplete((value, ex) -> this.leaving.set(false));
		}
	}

	@FunctionalInterface
	private interface Call {

		CompletionStage<List<@Nullable Object>> on(RedisClusterAsyncCommands<byte[], byte[]> commands);

	}

}
