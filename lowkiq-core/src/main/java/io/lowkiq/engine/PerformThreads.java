package io.lowkiq.engine;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

import io.lowkiq.engine.lease.Session;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/**
 * The performing threads of a run of the server. Thread-safe.
 */
final class PerformThreads {

	private final EngineRuntime runtime;

	private final List<PerformThread> threads;

	/** Signalled by each thread that ends. Waited on by threads that stop the server. */
	private final Waiter ended;

	/**
	 * Creates the threads.
	 * @param activities what they do, one for each
	 * @param thread makes the loop of a thread, given what is signalled at its end
	 */
	PerformThreads(EngineRuntime runtime, List<ThreadActivity> activities, LoopFactory thread) {
		this.runtime = runtime;
		this.ended = runtime.newWaiter();
		this.threads = activities.stream()
			.map((activity) -> thread.create(activity, runtime.newWaiter(), this.ended))
			.toList();
	}

	/** Makes the loop of a performing thread. */
	@FunctionalInterface
	interface LoopFactory {

		PerformThread create(ThreadActivity activity, Waiter waiter, Waiter ended);

	}

	/**
	 * Starts all threads.
	 * @param factory makes them; null for threads of the runtime
	 */
	void start(@Nullable ThreadFactory factory) {
		int started = 0;
		try {
			for (PerformThread thread : this.threads) {
				start(thread, factory);
				started++;
			}
		}
		finally {
			this.threads.subList(started, this.threads.size()).forEach(PerformThread::end);
		}
	}

	private void start(PerformThread loop, @Nullable ThreadFactory factory) {
		String name = loop.activity().snapshot().name();
		if (factory == null) {
			this.runtime.start(name, false, loop);
			return;
		}
		Thread thread = factory.newThread(loop);
		if (thread == null) {
			throw new IllegalStateException("The thread factory made no thread");
		}
		if (thread.getName().isBlank()) {
			thread.setName(name);
		}
		loop.activity().named(thread.getName());
		thread.start();
	}

	int size() {
		return this.threads.size();
	}

	boolean areEnded() {
		return this.threads.stream().allMatch(PerformThread::isEnded);
	}

	/**
	 * Waits until all threads have ended, whatever interrupts the calling thread.
	 * @param nanos the maximum time to wait
	 * @return whether they have
	 */
	boolean awaitEnd(long nanos) {
		long deadline = this.runtime.nanoTime() + nanos;
		long left = nanos;
		while (!areEnded() && left > 0) {
			this.ended.awaitUninterruptibly(left);
			left = deadline - this.runtime.nanoTime();
		}
		// Another thread may stop the server, too
		this.ended.signal();
		return areEnded();
	}

	/** Interrupts all runs. */
	void interrupt() {
		this.threads.forEach((thread) -> thread.activity().interrupt());
	}

	/** Interrupts the runs under a session. */
	void interrupt(Session session) {
		this.threads.forEach((thread) -> thread.activity().interrupt(session));
	}

	/** The ids of running jobs, for people. */
	List<String> runningIds() {
		return map((thread) -> thread).stream()
			.filter((thread) -> !thread.ids().isEmpty())
			.map((thread) -> "%s of %s".formatted(LogText.of(thread.ids()), thread.shard()))
			.toList();
	}

	<T> List<T> map(Function<ThreadActivity.Snapshot, T> function) {
		return this.threads.stream().map((thread) -> function.apply(thread.activity().snapshot())).toList();
	}

}
