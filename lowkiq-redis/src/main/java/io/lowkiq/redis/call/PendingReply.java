package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.UnconfirmedEnqueueException;

/** The reply of a script that was started, for a thread that waits. */
public record PendingReply(String task, CompletableFuture<Reply> reply) implements Supplier<Reply> {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	/**
	 * Waits for the reply. An interrupt of the thread is kept.
	 * @throws StoreException if it is not certain what happened
	 */
	@Override
	public Reply get() {
		try {
			return this.reply.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			this.reply.cancel(true);
			throw new StoreException("Interrupted while waiting for Redis to " + this.task, ex);
		}
		catch (TimeoutException ex) {
			this.reply.cancel(true);
			throw RedisProblem.of(this.task, ex);
		}
		catch (ExecutionException ex) {
			StoreException problem = RedisProblem.of(this.task, (ex.getCause() != null) ? ex.getCause() : ex);
			if (problem instanceof UnconfirmedEnqueueException) {
				throw problem;
			}
			// Again, with the stack of this thread
			Throwable cause = problem.getCause();
			throw (cause != null) ? RedisProblem.of(this.task, cause) : problem;
		}
	}

}
