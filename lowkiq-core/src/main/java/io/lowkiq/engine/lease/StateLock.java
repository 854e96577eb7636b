package io.lowkiq.engine.lease;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Unexpected;
import org.jspecify.annotations.Nullable;

/**
 * The one lock over what a server knows of its shards, and the one way of every event: it
 * changes the state and names the shards that it concerns; before the lock is given back,
 * these are processed. Nothing that can block, and no code of the user but the shard
 * scheduler, runs under the lock: calls of the store, log messages, notifications and
 * signals to threads that look for jobs are collected, and run by the same thread after
 * it has given the lock back.
 */
public final class StateLock {

	private final ReentrantLock lock = new ReentrantLock();

	private final EngineRuntime runtime;

	/** Guarded by the lock. */
	private Deque<Runnable> afterwards = new ArrayDeque<>();

	/** Shards to be processed before the lock is given back. Guarded by the lock. */
	private final Set<ServedShard> changed = new LinkedHashSet<>();

	/** The processor of the present run. Guarded by the lock. */
	private Processor processor = Processor.NONE;

	/** The tasks that the current thread still has to run. */
	@SuppressWarnings("ThreadLocalUsage") // one instance a server, no static state
	private final ThreadLocal<@Nullable Deque<Runnable>> toRun = new ThreadLocal<>();

	/** Does what is due for shards whose state has changed. */
	@FunctionalInterface
	public interface Processor {

		/** Does nothing: no run of the server is in progress. */
		Processor NONE = (shards) -> {
		};

		/** Processes shards; with the lock only. */
		void process(Collection<ServedShard> shards);

	}

	public StateLock(EngineRuntime runtime) {
		this.runtime = runtime;
	}

	public void begin(Processor ofRun) {
		run(() -> this.processor = ofRun);
	}

	/** Ends a run of the server, unless another one has begun. */
	public void end(Processor ofRun) {
		run(() -> {
			if (this.processor == ofRun) {
				this.processor = Processor.NONE;
			}
		});
	}

	public void run(Runnable change) {
		lock();
		try {
			change.run();
		}
		finally {
			unlock();
		}
	}

	/** Reads the state, and changes it perhaps. */
	public <T extends @Nullable Object> T get(Supplier<T> read) {
		lock();
		try {
			return read.get();
		}
		finally {
			unlock();
		}
	}

	private void lock() {
		if (!this.lock.isHeldByCurrentThread()) {
			this.runtime.mayBeOvertaken();
		}
		this.lock.lock();
	}

	/**
	 * Processes changed shards, gives the lock back, and runs what was collected. Throws
	 * nothing: the change has been made.
	 */
	private void unlock() {
		Deque<Runnable> collected = null;
		try {
			if (this.lock.getHoldCount() == 1) {
				processChanged();
				if (!this.afterwards.isEmpty()) {
					Deque<Runnable> next = new ArrayDeque<>();
					collected = this.afterwards;
					this.afterwards = next;
				}
			}
		}
		catch (Throwable ex) {
			Unexpected.log("while processing shards", ex);
		}
		finally {
			this.lock.unlock();
		}
		if (collected != null) {
			runAll(collected);
		}
	}

	private void processChanged() {
		while (!this.changed.isEmpty()) {
			List<ServedShard> shards = List.copyOf(this.changed);
			this.changed.clear();
			this.processor.process(shards);
		}
	}

	/** Has a shard processed before the lock is given back. With the lock only. */
	public void changed(ServedShard shard) {
		this.changed.add(shard);
	}

	/** Runs a task after the lock was given back; with the lock only. */
	public void afterwards(Runnable task) {
		this.afterwards.add(task);
	}

	/** Calls the store after the lock was given back; with the lock only. */
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

	private void runAll(Deque<Runnable> collected) {
		try {
			Deque<Runnable> outer = this.toRun.get();
			if (outer != null) {
				outer.addAll(collected);
				return;
			}
			this.toRun.set(collected);
			for (Runnable next = collected.poll(); next != null; next = collected.poll()) {
				this.runtime.mayBeOvertaken();
				runOne(next);
			}
			this.toRun.remove();
		}
		catch (Throwable ex) {
			Unexpected.log("in the engine", ex);
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

}
