package io.lowkiq.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import io.lowkiq.StoreTimeoutException;
import org.jspecify.annotations.Nullable;

/** A call of the store whose answer is asked for from time to time. */
final class PendingCall<T> {

	/** How long others wait for it before it is slow. */
	private static final long PATIENCE = Duration.ofMillis(50).toNanos();

	/** How long it may lack an answer before it has failed. */
	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final CompletableFuture<T> answer;

	private final long since;

	PendingCall(Supplier<CompletableFuture<T>> call, long nanos, Runnable answered) {
		// Also if the call can't be made
		this.answer = CompletableFuture.<@Nullable Void>completedFuture(null).thenCompose((none) -> call.get());
		this.since = nanos;
		if (!this.answer.isDone()) {
			CompletableFuture<?> unused = this.answer.whenComplete((value, ex) -> answered.run());
		}
	}

	/** How much longer others wait for it, in nanoseconds; 0 or less if it is slow. */
	long patienceLeft(long nanos) {
		return this.since + PATIENCE - nanos;
	}

	/** The time until it has failed, in nanoseconds. */
	long timeLeft(long nanos) {
		return this.since + LIMIT.toNanos() - nanos;
	}

	/** Whether it has an answer, or has failed without one. */
	boolean isOver(long nanos) {
		return this.answer.isDone() || timeLeft(nanos) <= 0;
	}

	/** The value of an answer that is there, or comes too late. */
	T result() {
		if (!this.answer.isDone()) {
			this.answer.cancel(true);
			throw new StoreTimeoutException("No answer from the store for %s s".formatted(LIMIT.toSeconds()), null);
		}
		try {
			return this.answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

}
