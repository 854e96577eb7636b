package io.lowkiq.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.PerformedJob;

/**
 * Counts what is enqueued and performed, and remembers the performed jobs. Thread-safe.
 */
public final class PerformCounter implements LowkiqObserver {

	private final Map<String, PerformCounts> byQueue = new ConcurrentHashMap<>();

	/** In the order in which they were performed. */
	private final Queue<PerformedJob> performed = new ConcurrentLinkedQueue<>();

	/** Written when the tester is made, read by all. */
	private volatile Set<String> leftOut = Set.of();

	/** Grows with everything that happens, and is never reset. */
	private final AtomicLong events = new AtomicLong();

	@Override
	public void enqueued(String queue, int jobs, int merged, Duration took) {
		this.events.incrementAndGet();
	}

	@Override
	public void performed(String queue, int done, int failed, Duration took) {
		add(queue, new PerformCounts(1, done, failed, 0));
	}

	@Override
	public void performed(PerformedJob job) {
		this.performed.add(job);
	}

	@Override
	public void buried(String queue, int payloads) {
		add(queue, new PerformCounts(0, 0, 0, payloads));
	}

	private void add(String queue, PerformCounts more) {
		this.byQueue.merge(queue, more, PerformCounts::plus);
		this.events.incrementAndGet();
	}

	long events() {
		return this.events.get();
	}

	PerformCounts of(String queue) {
		return this.byQueue.getOrDefault(queue, PerformCounts.NONE);
	}

	List<PerformedJob> performed(String queue) {
		return this.performed.stream().filter((job) -> job.queue().equals(queue)).toList();
	}

	/** Leaves queues out of the sum: those of Lowkiq itself. */
	void leaveOut(Set<String> internal) {
		this.leftOut = Set.copyOf(internal);
	}

	PerformCounts all() {
		return this.byQueue.entrySet()
			.stream()
			.filter((each) -> !this.leftOut.contains(each.getKey()))
			.map(Map.Entry::getValue)
			.reduce(PerformCounts.NONE, PerformCounts::plus);
	}

	void reset() {
		this.byQueue.clear();
		this.performed.clear();
	}

}
