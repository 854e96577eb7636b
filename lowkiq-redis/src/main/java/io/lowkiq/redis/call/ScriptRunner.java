package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
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

	/** Starts a call, first by the digest of its script. */
	CompletableFuture<Reply> start(ScriptCall call) {
		CompletableFuture<Reply> answer = new CompletableFuture<>();
		start(call, false, answer);
		return answer;
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private void start(ScriptCall call, boolean withText, CompletableFuture<Reply> answer) {
		OwnConnection present = this.connection.present();
		if (present == null && Thread.currentThread() instanceof FastThreadLocalThread) {
			// Connecting may need this thread
			CompletableFuture.runAsync(() -> start(call, withText, answer));
			return;
		}
		try {
			OwnConnection connection = (present != null) ? present : this.connection.get();
			CompletableFuture<List<@Nullable Object>> sent = (withText ? call.eval(connection.commands())
					: call.evalsha(connection.commands()))
				.toCompletableFuture();
			Duration limit = connection.limit();
			if (limit != null) {
				sent.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS);
			}
			sent.whenComplete((List<@Nullable Object> values, Throwable ex) -> {
				if (ex == null) {
					this.connection.answered(connection, call.firstKey());
					answer.complete(new Reply(call.script().task(), values));
					return;
				}
				failed(connection, call.firstKey(), ex);
				if (ex instanceof RedisNoScriptException && !withText) {
					start(call, true, answer);
				}
				else {
					answer.completeExceptionally(call.explain(ex));
				}
			});
		}
		catch (RuntimeException ex) {
			answer.completeExceptionally(call.explain(ex));
		}
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

}
