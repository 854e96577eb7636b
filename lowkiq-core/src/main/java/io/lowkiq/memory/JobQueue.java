package io.lowkiq.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.lowkiq.memory.MemoryJob.Place;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Gathering;
import io.lowkiq.store.Payload;
import org.jspecify.annotations.Nullable;

/**
 * The queued jobs of a shard and the indexes by which they are fetched. Guarded by the
 * lock of its shard.
 * <p>
 * The list of ready ids is only a hint, as in every storage: deleting or delaying a job
 * leaves its entry, which is void from then on, and valid again if the id becomes ready
 * again. Void entries are dropped when they have come to the head.
 */
final class JobQueue {

	/** A call passes over no more void entries. */
	private static final int MAX_VOID = 1_000;

	/** A deleting action drops no more void entries. */
	private static final int MAX_DROPPED = 100;

	/** The number of ready entries allowed besides two for each job. */
	private static final int SPARE = 1_000;

	private static final int MIN_SWEPT = 10;

	private static final int MAX_SWEPT = 1_000;

	private final Map<String, MemoryJob> byId = new HashMap<>();

	/** Ids that have to rest, though nothing is queued for them. */
	private final Map<String, MemoryJob> resting = new HashMap<>();

	private Gathering gathering = Gathering.NONE;

	private final Deque<String> ready = new ArrayDeque<>();

	private final NavigableSet<MemoryJob> delayed = new TreeSet<>(MemoryJob.BY_PERFORM_AT);

	private final NavigableSet<MemoryJob> suspects = new TreeSet<>(MemoryJob.BY_PERFORM_AT);

	@Nullable MemoryJob find(String id) {
		return this.byId.get(id);
	}

	/** Puts a job at its place, instead of a queued one of the same id. */
	void put(MemoryJob job) {
		remove(job.id());
		this.byId.put(job.id(), job);
		switch (job.place()) {
			case READY -> this.ready.add(job.id());
			case DELAYED -> {
				endRest(job.id());
				this.delayed.add(job);
			}
			case SUSPECT -> this.suspects.add(job);
			case BEHIND -> {
			}
		}
	}

	/**
	 * Puts a job in whose performAt, retryCount, error and crash count stand, together
	 * with the payloads that are queued for its id.
	 */
	void merge(MemoryJob merged) {
		MemoryJob queued = find(merged.id());
		// One that was put on hold while its id was busy stays so
		MemoryJob job = (queued != null && queued.isHeld()) ? merged.dueAt(MemoryJob.HELD).crashed(0).waiting()
				: merged;
		if (queued != null) {
			job.producers().addAll(queued.producers());
		}
		if (this.gathering.policy().keepLatest()) {
			Payload last = job.payloads().last();
			if (queued != null && queued.payloads().last().score() > last.score()) {
				last = queued.payloads().last();
			}
			put(job.with(PayloadSet.of(List.of(last))));
			return;
		}
		if (queued != null) {
			job.payloads().addAll(queued.payloads(), this.gathering.policy().equalLatest());
		}
		put(job);
	}

	/** Replaces a queued job by one with other payloads. */
	void replace(MemoryJob job) {
		this.byId.put(job.id(), job);
		if (this.delayed.remove(job)) {
			this.delayed.add(job);
		}
		if (this.suspects.remove(job)) {
			this.suspects.add(job);
		}
	}

	/** How payloads gather from now on. */
	void gathering(Gathering newGathering) {
		this.gathering = newGathering;
	}

	/** An id without a queued job has to rest: it stands among the delayed jobs. */
	void rest(String id, long until) {
		endRest(id);
		MemoryJob resting = MemoryJob.fresh(id, until, PayloadSet.of(List.of()));
		this.resting.put(id, resting);
		this.delayed.add(resting);
	}

	/** Until when an id has to rest; null if it may be performed. */
	@Nullable Long restsUntil(String id) {
		MemoryJob job = this.resting.get(id);
		return (job != null) ? job.performAt() : null;
	}

	/** Ends the rest of an id. */
	void endRest(String id) {
		MemoryJob job = this.resting.remove(id);
		if (job != null) {
			this.delayed.remove(job);
		}
	}

	/** Ends the rest of all ids that still have to. */
	void endRests(long now) {
		List.copyOf(this.resting.values())
			.stream()
			.filter((job) -> !job.isDue(now))
			.forEach((job) -> endRest(job.id()));
	}

	/** Forgets everything. */
	void clear() {
		this.byId.clear();
		this.resting.clear();
		this.ready.clear();
		this.delayed.clear();
		this.suspects.clear();
	}

	private static boolean isResting(MemoryJob job) {
		return job.payloads().isEmpty();
	}

	@Nullable MemoryJob remove(String id) {
		MemoryJob job = this.byId.remove(id);
		if (job != null) {
			this.delayed.remove(job);
			this.suspects.remove(job);
		}
		return job;
	}

	/** Lets the job be fetched that waits behind its id, which is not busy any more. */
	void follow(String id) {
		MemoryJob queued = find(id);
		if (queued != null && queued.place() == Place.BEHIND) {
			put(queued.waiting());
		}
	}

	/**
	 * The first due jobs, by performAt; among equal ones the delayed come first. No
	 * suspects.
	 * @param limit the largest number of jobs
	 * @param asked so many delayed jobs, and ids that have rested, are looked at
	 * @param now milliseconds since 1970
	 * @return the jobs, which stay queued
	 */
	List<MemoryJob> due(int limit, int asked, long now) {
		Deque<MemoryJob> fromDelayed = new ArrayDeque<>(
				this.delayed.stream().takeWhile((job) -> job.isDue(now)).limit(asked).toList());
		Deque<MemoryJob> fromReady = new ArrayDeque<>(readyAmong(asked + 1L + MAX_VOID).limit(asked).toList());
		List<MemoryJob> due = new ArrayList<>();
		while (due.size() < limit && !(fromDelayed.isEmpty() && fromReady.isEmpty())) {
			boolean isDelayedFirst = fromReady.isEmpty() || (!fromDelayed.isEmpty()
					&& fromDelayed.getFirst().performAt() <= fromReady.getFirst().performAt());
			MemoryJob next = isDelayedFirst ? fromDelayed.remove() : fromReady.remove();
			if (isResting(next)) {
				endRest(next.id());
			}
			else {
				due.add(next);
			}
		}
		return due;
	}

	/**
	 * The ready jobs.
	 * @param entries the number of entries to look at
	 * @return the jobs, oldest first
	 */
	private Stream<MemoryJob> readyAmong(long entries) {
		return this.ready.stream().limit(entries).filter(this::isReady).distinct().map(this.byId::get);
	}

	private boolean isReady(String id) {
		MemoryJob job = this.byId.get(id);
		return job != null && job.place() == Place.READY;
	}

	private void drop(long limit) {
		for (long i = 0; i < limit && !this.ready.isEmpty() && !isReady(this.ready.getFirst()); i++) {
			this.ready.remove();
		}
	}

	/**
	 * Drops some void entries after jobs were deleted.
	 * @param jobs how many
	 */
	void deleted(int jobs) {
		drop(MAX_DROPPED);
		sweep(jobs);
	}

	/**
	 * Keeps the ready entries bounded: if most of them are void, some at the head are
	 * dropped; jobs among them that are ready become delayed with their performAt, which
	 * leaves them in front of the others.
	 * @param payloads the number of payloads that were enqueued, or of jobs that were
	 * deleted
	 */
	void sweep(int payloads) {
		if (this.ready.size() <= 2 * this.byId.size() + SPARE) {
			return;
		}
		for (int i = Math.min(MAX_SWEPT, Math.max(MIN_SWEPT, 2 * payloads)); i > 0 && !this.ready.isEmpty(); i--) {
			String id = this.ready.remove();
			MemoryJob job = find(id);
			if (job != null && job.place() == Place.READY) {
				put(job.at(Place.DELAYED));
			}
		}
	}

	/**
	 * When the next job that is no suspect can be fetched: now, if one is ready or there
	 * are too many void entries to know.
	 * @return milliseconds since 1970; {@link FetchResult#NOTHING} if there is none
	 */
	long next(long now) {
		boolean isReady = this.ready.size() > MAX_VOID || readyAmong(MAX_VOID).findFirst().isPresent();
		return isReady ? now : performAt(this.delayed);
	}

	/**
	 * The same after jobs were fetched. Drops their entries, which are void now, and the
	 * others before the first ready job.
	 * @param fetched the number of jobs that were asked for
	 * @param now milliseconds since 1970
	 * @return milliseconds since 1970; {@link FetchResult#NOTHING} if there is none
	 */
	long nextAfter(int fetched, long now) {
		drop(fetched + 1L + MAX_VOID);
		return this.ready.isEmpty() ? performAt(this.delayed) : now;
	}

	long nextSuspect() {
		return performAt(this.suspects);
	}

	/**
	 * The smallest performAt of the jobs in an index.
	 * @return milliseconds since 1970; {@link FetchResult#NOTHING} if there is none
	 */
	long oldest() {
		long oldestReady = readyAmong(MAX_VOID).mapToLong(MemoryJob::performAt).findFirst().orElse(FetchResult.NOTHING);
		return LongStream.of(oldestReady, performAt(this.delayed), performAt(this.suspects)).min().getAsLong();
	}

	private static long performAt(NavigableSet<MemoryJob> jobs) {
		return jobs.isEmpty() ? FetchResult.NOTHING : jobs.first().performAt();
	}

	Collection<MemoryJob> all() {
		return this.byId.values();
	}

	/** The ready jobs, each with the position of its first entry. */
	Map<MemoryJob, Integer> ready() {
		Map<MemoryJob, Integer> jobs = new LinkedHashMap<>();
		int position = 0;
		for (String id : this.ready) {
			if (isReady(id)) {
				jobs.putIfAbsent(this.byId.get(id), position);
			}
			position++;
		}
		return jobs;
	}

	/** The delayed jobs by performAt. */
	List<MemoryJob> delayedJobs() {
		return this.delayed.stream().filter((job) -> !isResting(job)).toList();
	}

	/** The delayed jobs, and ids that have to rest, by performAt. */
	NavigableSet<MemoryJob> delayed() {
		return this.delayed;
	}

	/** The suspects by performAt. */
	NavigableSet<MemoryJob> suspects() {
		return this.suspects;
	}

	/** The jobs that have failed. */
	List<MemoryJob> retries() {
		return this.byId.values().stream().filter(MemoryJob::isRetry).toList();
	}

	/** The delayed jobs and suspects that are not due yet, but will be. */
	Stream<MemoryJob> notDue(long now) {
		return Stream.of(this.delayed, this.suspects)
			.flatMap(Collection::stream)
			.filter((job) -> !job.isDue(now) && !job.isHeld() && !isResting(job));
	}

}
