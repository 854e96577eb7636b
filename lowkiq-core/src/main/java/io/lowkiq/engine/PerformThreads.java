package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;

import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The performing threads of a run of the server. Thread-safe.
 */
final class PerformThreads {

	private static final Logger logger = LoggerFactory.getLogger(PerformThreads.class);

	/** The time interrupted workers have to end. */
	private static final long INTERRUPT_GRACE = Duration.ofSeconds(1).toNanos();

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
	private boolean awaitEnd(long nanos) {
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

	/**
	 * Waits until all threads have ended, and interrupts runs that last longer.
	 * @param timeout the time after which they are interrupted
	 * @return whether all threads had ended by then
	 */
	boolean awaitOrInterrupt(Duration timeout) {
		if (awaitEnd(timeout.toNanos())) {
			return true;
		}
		logger.warn(
				"Some runs have not ended after {}; interrupting their threads. Their jobs will be performed again: {}",
				DurationText.of(timeout), runningIds());
		this.threads.forEach((thread) -> thread.activity().interrupt());
		if (!awaitEnd(INTERRUPT_GRACE)) {
			logger.warn("Some runs ignore the interrupt: {}", runningIds());
		}
		return false;
	}

	/** Interrupts runs. */
	void interrupt(Set<Task> runs) {
		this.threads.forEach((thread) -> thread.activity().interrupt(runs));
	}

	/** The ids of running jobs, for people. */
	private List<String> runningIds() {
		return this.threads.stream()
			.map((thread) -> thread.activity().snapshot())
			.filter((thread) -> !thread.ids().isEmpty())
			.map((thread) -> "%s of %s".formatted(LogText.of(thread.ids()), thread.shard()))
			.toList();
	}

}
