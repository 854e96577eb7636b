package io.lowkiq.redis.call;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.UnconfirmedEnqueueException;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts by Lettuce's asynchronous commands, on the connection that all callers
 * share, if the factory has one. A transaction or pipeline of the calling thread is left
 * alone. Thread-safe.
 */
final class ScriptRunner {

	private final LettuceConnectionFactory connectionFactory;

	/** The commands of the shared connection; written and read by all callers. */
	private volatile @Nullable RedisClusterAsyncCommands<byte[], byte[]> shared;

	/** Whether a connection to a replica is being closed. */
	private final AtomicBoolean leaving = new AtomicBoolean();

	ScriptRunner(LettuceConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * Starts a script.
	 * @param script the script, which returns an array
	 * @param keys its keys
	 * @param arguments its arguments
	 * @return the reply, on a thread of Lettuce; ends with a {@link StoreException} if it
	 * is not certain what happened
	 */
	CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		return start(script, (commands) -> commands.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments),
				(commands) -> commands.eval(script.text(), ScriptOutputType.MULTI, keys, arguments));
	}

	private CompletableFuture<Reply> start(LuaScript script, Call evalsha, Call eval) {
		CompletableFuture<List<@Nullable Object>> known = start(script.task(), evalsha);
		// Not on the thread of the connection, which must not wait for another one
		return known
			.exceptionallyComposeAsync(
					(ex) -> isUnknownScript(ex) ? start(script.task(), eval) : CompletableFuture.failedFuture(ex))
			.thenApply((values) -> new Reply(script.task(), values));
	}

	private static boolean isUnknownScript(Throwable problem) {
		return RedisProblem.of("", problem).getCause() instanceof RedisNoScriptException;
	}

	/**
	 * The same for enqueues: what is sent and not answered is not sent again, but is an
	 * {@link UnconfirmedEnqueueException}.
	 * @return calls scripts that Redis executes at most once
	 */
	ScriptCaller once() {
		return (script, keys, arguments) -> {
			SingleScriptCall call = new SingleScriptCall(script, keys, arguments);
			CompletableFuture<Reply> reply = start(script, call::evalsha, call::eval)
				.exceptionallyCompose((ex) -> CompletableFuture.failedFuture(call.explain(ex)));
			return new PendingReply(script.task(), reply);
		};
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private CompletableFuture<List<@Nullable Object>> start(String task, Call call) {
		RedisClusterAsyncCommands<byte[], byte[]> open = this.shared;
		if (open != null && isOpen(open)) {
			return start(task, call, open, null);
		}
		if (Thread.currentThread() instanceof FastThreadLocalThread) {
			// The factory's lock may be held by a thread that waits for this one to
			// connect
			return CompletableFuture.supplyAsync(() -> start(task, call)).thenCompose(Function.identity());
		}
		RedisConnection connection = null;
		try {
			connection = this.connectionFactory.getConnection();
			RedisClusterAsyncCommands<byte[], byte[]> commands = commands(connection);
			if (this.connectionFactory.getShareNativeConnection()) {
				this.shared = commands;
				connection.close();
				return start(task, call, commands, null);
			}
			return start(task, call, commands, connection);
		}
		catch (RuntimeException ex) {
			if (connection != null) {
				connection.close();
			}
			return CompletableFuture.failedFuture(RedisProblem.of(task, ex));
		}
	}

	/** Whether the factory has not closed the connection, and it is not broken. */
	@SuppressWarnings("deprecation") // Spring gives access to the commands only
	private static boolean isOpen(RedisClusterAsyncCommands<byte[], byte[]> commands) {
		return (commands instanceof RedisAsyncCommands<byte[], byte[]> single) ? single.getStatefulConnection().isOpen()
				: ((RedisAdvancedClusterAsyncCommands<byte[], byte[]>) commands).getStatefulConnection().isOpen();
	}

	/**
	 * Makes a call.
	 * @param connection closed after the answer; null if it is shared
	 */
	@SuppressWarnings("FutureReturnValueIgnored")
	private CompletableFuture<List<@Nullable Object>> start(String task, Call call,
			RedisClusterAsyncCommands<byte[], byte[]> commands, @Nullable RedisConnection connection) {
		CompletableFuture<List<@Nullable Object>> answer = new CompletableFuture<>();
		if (connection != null) {
			// Not on its own thread
			answer.whenCompleteAsync((value, ex) -> connection.close());
		}
		try {
			CompletableFuture<List<@Nullable Object>> sent = call.on(commands).toCompletableFuture();
			sent.whenComplete((value, ex) -> {
				if (ex == null) {
					answer.complete(value);
				}
				else {
					leaveReplica(commands, ex);
					answer.completeExceptionally(RedisProblem.of(task, ex));
				}
			});
			answer.whenComplete((value, ex) -> sent.cancel(true));
		}
		catch (RuntimeException ex) {
			answer.completeExceptionally(RedisProblem.of(task, ex));
		}
		return answer;
	}

	@SuppressWarnings("unchecked")
	private static RedisClusterAsyncCommands<byte[], byte[]> commands(RedisConnection connection) {
		return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
	}

	/**
	 * Has the server close the connection, so that Lettuce connects again, to what is the
	 * master by then. It would stay for ever with a master that has become a replica.
	 */
	private void leaveReplica(RedisClusterAsyncCommands<byte[], byte[]> commands, Throwable problem) {
		if (RedisProblem.isFromReplica(problem) && commands instanceof RedisAsyncCommands<byte[], byte[]> single
				&& this.leaving.compareAndSet(false, true)) {
			single.quit().whenComplete((value, ex) -> this.leaving.set(false));
		}
	}

	/**
	 * A call of a script.
	 */
	@FunctionalInterface
	private interface Call {

		/** Sends the call, by the commands of a connection. */
		CompletionStage<List<@Nullable Object>> on(RedisClusterAsyncCommands<byte[], byte[]> commands);

	}

}
