package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.perform.ThreadActivity;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The performing threads of a run of the server. Thread-safe. */
final class PerformThreads {

	private static final Logger logger = LoggerFactory.getLogger(PerformThreads.class);

	private static final long INTERRUPT_GRACE = Duration.ofSeconds(1).toNanos();

	/** How often to look for runs that have begun to wait for the shutdown. */
	private static final long LOOK_AGAIN = Duration.ofSeconds(1).toNanos();

	private final EngineRuntime runtime;

	private final List<PerformThread> threads;

	/** Signalled by each thread that ends. Waited on by threads that stop the server. */
	private final Waiter ended;

	PerformThreads(EngineRuntime runtime, List<ThreadActivity> activities,
			BiFunction<ThreadActivity, Waiter, PerformThread> thread) {
		this.runtime = runtime;
		this.ended = runtime.newWaiter();
		this.threads = activities.stream().map((activity) -> thread.apply(activity, this.ended)).toList();
	}

	void start() {
		int started = 0;
		try {
			for (PerformThread thread : this.threads) {
				thread.start();
				started++;
			}
		}
		finally {
			this.threads.subList(started, this.threads.size()).forEach(PerformThread::end);
		}
	}

	int size() {
		return this.threads.size();
	}

	boolean areEnded() {
		return this.threads.stream().allMatch(PerformThread::isEnded);
	}

	/** Whether the current thread is one of these, and runs a worker. */
	boolean isPerforming() {
		return this.threads.stream().anyMatch((thread) -> thread.activity().isOfCurrentThread());
	}

	/** The threads that have not ended, without runs that wait for the shutdown. */
	private List<PerformThread> awaited() {
		return this.threads.stream()
			.filter((thread) -> !thread.isEnded() && !thread.activity().waitsForShutdown())
			.toList();
	}

	/** Waits until all threads have ended, or the nanoseconds are up. */
	private List<PerformThread> awaitEnd(long nanos) {
		long deadline = this.runtime.nanoTime() + nanos;
		long left = nanos;
		List<PerformThread> awaited = awaited();
		while (!awaited.isEmpty() && left > 0) {
			boolean signalled = this.ended.awaitUninterruptibly(Math.min(left, LOOK_AGAIN));
			left = deadline - this.runtime.nanoTime();
			// To look at all stacks after each of a thousand ends would take long
			awaited = signalled ? awaited.stream().filter((thread) -> !thread.isEnded()).toList() : awaited();
		}
		// Another thread may stop the server, too
		this.ended.signal();
		return awaited;
	}

	/** Waits until all threads have ended, and interrupts runs that last longer. */
	boolean awaitOrInterrupt(Duration timeout) {
		List<PerformThread> awaited = awaitEnd(timeout.toNanos());
		List<PerformThread> others = this.threads.stream().filter((thread) -> !awaited.contains(thread)).toList();
		if (!runningIds(others).isEmpty()) {
			logger.warn(
					"Not waiting for runs that shut this node down themselves. Their jobs will be performed again: {}",
					runningIds(others));
		}
		if (awaited.isEmpty()) {
			return true;
		}
		logger.warn(
				"Some runs have not ended after {}; interrupting their threads. Their jobs will be performed again: {}",
				DurationText.of(timeout), runningIds(awaited));
		awaited.forEach((thread) -> thread.activity().interrupt());
		List<PerformThread> stubborn = awaitEnd(INTERRUPT_GRACE);
		if (!stubborn.isEmpty()) {
			logger.warn("Some runs ignore the interrupt: {}", runningIds(stubborn));
		}
		return false;
	}

	void interrupt(Set<Task> runs) {
		this.threads.forEach((thread) -> thread.activity().interrupt(runs));
	}

	private static List<String> runningIds(List<PerformThread> threads) {
		return threads.stream()
			.map((thread) -> thread.activity().snapshot())
			.filter((thread) -> !thread.ids().isEmpty())
			.map((thread) -> "%s of %s".formatted(LogText.of(thread.ids()), thread.shard()))
			.toList();
	}

}
