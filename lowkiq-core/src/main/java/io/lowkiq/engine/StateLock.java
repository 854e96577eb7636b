package io.lowkiq.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one lock over what a server knows of its shards. Nothing that can block, and no
 * code of the user but the shard scheduler, runs under it: calls of the store and
 * notifications are collected, and run by the same thread after it has given the lock
 * back.
 */
final class StateLock {

	private static final Logger logger = LoggerFactory.getLogger(StateLock.class);

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by the lock. */
	private List<Runnable> afterwards = new ArrayList<>();

	/**
	 * What the current thread still has to run. So a store that answers at once doesn't
	 * make calls nest.
	 */
	@SuppressWarnings("ThreadLocalUsage") // one instance a server, no static state
	private final ThreadLocal<@Nullable Deque<Runnable>> toRun = new ThreadLocal<>();

	/**
	 * Changes the state.
	 * @param change may call this method again
	 */
	void run(Runnable change) {
		List<Runnable> collected = List.of();
		this.lock.lock();
		try {
			change.run();
		}
		finally {
			if (this.lock.getHoldCount() == 1) {
				collected = takeAfterwards();
			}
			this.lock.unlock();
		}
		if (!collected.isEmpty()) {
			runAll(collected);
		}
	}

	/**
	 * Has something done after the lock was given back; with the lock only.
	 * @param task doesn't block
	 */
	void afterwards(Runnable task) {
		this.afterwards.add(task);
	}

	/**
	 * Has the store called after the lock was given back; with the lock only.
	 * @param <T> the type of the answer
	 * @param call makes the call
	 * @param answered gets the answer, or why there is none, under the lock
	 */
	<T> void call(Supplier<CompletableFuture<T>> call, BiConsumer<@Nullable T, @Nullable Throwable> answered) {
		afterwards(() -> {
			CompletableFuture<?> unused = begin(call).whenComplete((answer, problem) -> {
				try {
					run(() -> answered.accept(answer, problem));
				}
				catch (RuntimeException | Error ex) {
					logger.error("Unexpected exception while an answer of the store was handled", ex);
				}
			});
		});
	}

	private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private List<Runnable> takeAfterwards() {
		if (this.afterwards.isEmpty()) {
			return List.of();
		}
		List<Runnable> collected = this.afterwards;
		this.afterwards = new ArrayList<>();
		return collected;
	}

	private void runAll(List<Runnable> collected) {
		Deque<Runnable> outer = this.toRun.get();
		if (outer != null) {
			outer.addAll(collected);
			return;
		}
		Deque<Runnable> own = new ArrayDeque<>(collected);
		this.toRun.set(own);
		try {
			for (Runnable next = own.poll(); next != null; next = own.poll()) {
				runOne(next);
			}
		}
		finally {
			this.toRun.remove();
		}
	}

	private static void runOne(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException ex) {
			logger.error("Unexpected exception in the engine", ex);
		}
	}

	Condition newCondition() {
		return this.lock.newCondition();
	}

}
