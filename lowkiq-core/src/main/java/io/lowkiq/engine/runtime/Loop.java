package io.lowkiq.engine.runtime;

import java.time.Duration;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/** A step that is repeated on a thread of its own until the loop ends. Thread-safe. */
public final class Loop {

	private static final long PAUSE = Duration.ofMillis(100).toNanos();

	private final String name;

	private final EngineRuntime runtime;

	private final Step step;

	private final Waiter waiter;

	/** Written by whoever ends the loop, read by its thread. */
	private volatile boolean ended;

	/** Written by start and end, which one thread calls at a time. */
	private volatile @Nullable Thread thread;

	@FunctionalInterface
	public interface Step {

		/** Does what is due, and returns the nanoseconds until the next step. */
		long run();

	}

	public Loop(String name, EngineRuntime runtime, Step step) {
		this.name = name;
		this.runtime = runtime;
		this.step = step;
		this.waiter = runtime.newWaiter();
	}

	public void start(BiConsumer<String, Throwable> failed) {
		this.thread = this.runtime.start(this.name, true, () -> {
			try {
				repeat();
			}
			catch (Throwable ex) {
				failed.accept("The thread " + this.name + " has ended", ex);
			}
		});
	}

	private void repeat() {
		while (!this.ended) {
			long wait = PAUSE;
			try {
				wait = this.step.run();
			}
			catch (Throwable ex) {
				Unexpected.log("in the thread " + this.name, ex);
			}
			if (!this.ended) {
				this.waiter.await(wait);
			}
		}
	}

	/** Runs the step again at once. */
	public void signal() {
		this.waiter.signal();
	}

	/** Ends the loop after the present step. */
	public void end() {
		this.ended = true;
		this.waiter.signal();
	}

	public boolean isEnded() {
		return this.ended;
	}

	/** Waits for the end of the thread, and interrupts it when the nanoseconds are up. */
	public void awaitEnd(long nanos) {
		Thread started = this.thread;
		if (started != null && started != Thread.currentThread() && !this.runtime.join(started, nanos)) {
			started.interrupt();
		}
	}

}
