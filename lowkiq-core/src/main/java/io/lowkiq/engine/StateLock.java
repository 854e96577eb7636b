package io.lowkiq.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The one lock over what a server knows of its shards. Nothing that can block, and no
 * code of the user but the shard scheduler, runs under it: calls of the store, log
 * messages and notifications are collected, and run by the same thread after it has given
 * the lock back.
 */
final class StateLock {

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
		this.lock.lock();
		try {
			change.run();
		}
		finally {
			unlock();
		}
	}

	/** Gives the lock back, and runs what was collected, also after an exception. */
	private void unlock() {
		List<Runnable> collected = List.of();
		try {
			if (this.lock.getHoldCount() == 1 && !this.afterwards.isEmpty()) {
				collected = this.afterwards;
				this.afterwards = new ArrayList<>();
			}
		}
		finally {
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
					run(() -> answered.accept(answer, cause(problem)));
				}
				catch (Throwable ex) {
					Unexpected.log("while handling a reply from the store", ex);
				}
			});
		});
	}

	private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> call) {
		try {
			return call.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static @Nullable Throwable cause(@Nullable Throwable problem) {
		return (problem instanceof CompletionException && problem.getCause() != null) ? problem.getCause() : problem;
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
		catch (Throwable ex) {
			Unexpected.log("in the engine", ex);
		}
	}

	Condition newCondition() {
		return this.lock.newCondition();
	}

}
