package io.lowkiq.engine.perform;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** The state of a thread, with which each run begins. Used by its thread only. */
public final class ThreadBaseline {

	private final Thread thread = Thread.currentThread();

	private final String name = this.thread.getName();

	private final int priority = this.thread.getPriority();

	private final @Nullable ClassLoader contextClassLoader = this.thread.getContextClassLoader();

	private final List<ThreadState> states = new ArrayList<>();

	private boolean clean = true;

	private ThreadBaseline() {
	}

	public static ThreadBaseline capture(List<Supplier<ThreadState>> sources) {
		ThreadBaseline baseline = new ThreadBaseline();
		sources.forEach((source) -> baseline.states.add(source.get()));
		return baseline;
	}

	/** Whether the thread is known to be as it was when it began. */
	public boolean isClean() {
		return this.clean;
	}

	/**
	 * Restores the thread. Returns why the run has failed; null if it left nothing open.
	 */
	@Nullable RuntimeException restore() {
		RuntimeException failure = null;
		for (ThreadState state : this.states) {
			RuntimeException left = restore(state);
			failure = (failure != null) ? failure : left;
		}
		this.clean &= failure == null;
		restoreThread();
		return failure;
	}

	private static @Nullable RuntimeException restore(ThreadState state) {
		try {
			return state.restore();
		}
		catch (Throwable ex) {
			return new IllegalStateException("The state of the thread can't be restored: " + ex.getClass().getName(),
					ex);
		}
	}

	@SuppressWarnings("ThreadPriorityCheck") // undone, not relied upon
	private void restoreThread() {
		Thread.interrupted();
		if (!this.name.equals(this.thread.getName())) {
			this.thread.setName(this.name);
		}
		if (this.priority != this.thread.getPriority()) {
			this.thread.setPriority(this.priority);
		}
		if (this.contextClassLoader != this.thread.getContextClassLoader()) {
			this.thread.setContextClassLoader(this.contextClassLoader);
		}
	}

}
