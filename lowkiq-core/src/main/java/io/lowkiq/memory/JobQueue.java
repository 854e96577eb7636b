package io.lowkiq.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.lowkiq.store.FetchResult;
import org.jspecify.annotations.Nullable;

/**
 * The queued jobs of a shard, in the order in which they are fetched. Guarded by the lock
 * of its shard.
 */
final class JobQueue {

	private final Map<String, MemoryJob> byId = new HashMap<>();

	private final NavigableSet<MemoryJob> inOrder = new TreeSet<>(MemoryJob.FETCH_ORDER);

	/** The largest performAt that ever got in line. */
	private long tail = Long.MIN_VALUE;

	private long lastPlace;

	@Nullable MemoryJob find(String id) {
		return this.byId.get(id);
	}

	/**
	 * Puts a job in, in place of a queued one of the same id.
	 * @param job the job
	 */
	void put(MemoryJob job) {
		remove(job.id());
		this.byId.put(job.id(), job);
		this.inOrder.add(job);
	}

	/**
	 * Puts a new job in line, unless one that got in line before is due later: then the
	 * clock went back, and the job waits among the others.
	 * @param job the job
	 */
	void putInLine(MemoryJob job) {
		if (job.performAt() < this.tail) {
			put(job);
			return;
		}
		this.tail = job.performAt();
		this.lastPlace++;
		put(job.inLine(this.lastPlace));
	}

	/**
	 * Puts a job in whose performAt, retryCount, error and crash count stand, together
	 * with the payloads that are queued for its id.
	 * @param job the job
	 */
	void merge(MemoryJob job) {
		MemoryJob queued = find(job.id());
		if (queued != null) {
			job.payloads().addAll(queued.payloads());
		}
		put(job.dueAt(job.performAt()));
	}

	@Nullable MemoryJob remove(String id) {
		MemoryJob job = this.byId.remove(id);
		if (job != null) {
			this.inOrder.remove(job);
		}
		return job;
	}

	Stream<MemoryJob> inOrder() {
		return this.inOrder.stream();
	}

	/**
	 * The first jobs of some kind.
	 * @param kind which jobs
	 * @param limit the largest number of jobs
	 * @return the jobs, apart from the queue
	 */
	List<MemoryJob> first(Predicate<MemoryJob> kind, int limit) {
		return inOrder().filter(kind).limit(limit).toList();
	}

	boolean any(Predicate<MemoryJob> kind) {
		return inOrder().anyMatch(kind);
	}

	/**
	 * When the first job of some kind is due.
	 * @param kind which jobs
	 * @return milliseconds since 1970; {@link FetchResult#NOTHING} if there is none
	 */
	long nextDue(Predicate<MemoryJob> kind) {
		return inOrder().filter(kind).mapToLong(MemoryJob::performAt).findFirst().orElse(FetchResult.NOTHING);
	}

}
