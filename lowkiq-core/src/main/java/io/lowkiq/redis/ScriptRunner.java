package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lowkiq.store.StoreException;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Runs scripts and commands by Lettuce's asynchronous commands, on the connection that
 * all callers share, if the factory has one. A transaction or pipeline of the calling
 * thread is left alone. Thread-safe.
 */
final class ScriptRunner implements ScriptCaller {

	/**
	 * The longest wait for an answer. As Spring sets Lettuce up, a command ends by itself
	 * when the timeout of the connection is over.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final LettuceConnectionFactory connectionFactory;

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
		CompletableFuture<List<@Nullable Object>> known = start(script.task(),
				(commands) -> commands.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments));
		// Not on the thread of the connection, which must not wait for another one
		return known
			.exceptionallyComposeAsync((ex) -> isUnknownScript(ex)
					? start(script.task(),
							(commands) -> commands.eval(script.text(), ScriptOutputType.MULTI, keys, arguments))
					: CompletableFuture.failedFuture(ex))
			.thenApply((values) -> new Reply(script.task(), values));
	}

	private static boolean isUnknownScript(Throwable problem) {
		return RedisProblem.of("", problem).getCause() instanceof RedisNoScriptException;
	}

	@Override
	public Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments) {
		CompletableFuture<Reply> reply = start(script, keys, arguments);
		return () -> await(script.task(), reply);
	}

	/**
	 * Makes a call and waits for its answer.
	 * @param <T> the type of the answer
	 * @param task what Redis is to do
	 * @param call starts the call
	 * @return the answer
	 * @throws StoreException if it is not certain what happened
	 */
	<T> T call(String task, Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> call) {
		return await(task, start(task, call));
	}

	private static <T> T await(String task, CompletableFuture<T> answer) {
		try {
			return answer.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			answer.cancel(true);
			throw new StoreException("Interrupted while waiting for Redis, which was to " + task, ex);
		}
		catch (ExecutionException ex) {
			// The same once more, with the stack of this thread
			StoreException problem = RedisProblem.of(task, (ex.getCause() != null) ? ex.getCause() : ex);
			throw new StoreException(String.valueOf(problem.getMessage()), problem.getCause());
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private <T> CompletableFuture<T> start(String task,
			Function<RedisClusterAsyncCommands<byte[], byte[]>, ? extends CompletionStage<T>> call) {
		if (Thread.currentThread() instanceof FastThreadLocalThread) {
			// The factory's lock may be held by a thread that waits for this one to
			// connect
			return CompletableFuture.supplyAsync(() -> start(task, call)).thenCompose(Function.identity());
		}
		CompletableFuture<T> answer = new CompletableFuture<>();
		RedisConnection connection = null;
		try {
			connection = this.connectionFactory.getConnection();
			RedisClusterAsyncCommands<byte[], byte[]> commands = commands(connection);
			CompletableFuture<T> sent = call.apply(commands).toCompletableFuture();
			sent.whenComplete((value, ex) -> {
				if (ex == null) {
					answer.complete(value);
				}
				else {
					leaveReplica(commands, ex);
					answer.completeExceptionally(RedisProblem.of(task, ex));
				}
			});
			closeAfter(answer.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS), connection);
			answer.whenComplete((value, ex) -> sent.cancel(true));
		}
		catch (RuntimeException ex) {
			if (connection != null) {
				connection.close();
			}
			answer.completeExceptionally(RedisProblem.of(task, ex));
		}
		return answer;
	}

	@SuppressWarnings("unchecked")
	private static RedisClusterAsyncCommands<byte[], byte[]> commands(RedisConnection connection) {
		return (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
	}

	/**
	 * A shared connection stays open. Another one must not be closed on its own thread.
	 */
	@SuppressWarnings("FutureReturnValueIgnored")
	private void closeAfter(CompletableFuture<?> answer, RedisConnection connection) {
		if (this.connectionFactory.getShareNativeConnection()) {
			connection.close();
		}
		else {
			answer.whenCompleteAsync((value, ex) -> connection.close());
		}
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

}
