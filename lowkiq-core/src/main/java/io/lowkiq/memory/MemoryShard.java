package io.lowkiq.memory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.memory.MemoryJob.Place;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one shard, and the rules by which they are queued, busy and dead. Guarded
 * by the lock of {@link MemoryShards}, under which every method is called.
 */
final class MemoryShard {

	private final Shard shard;

	private final JobQueue queue = new JobQueue();

	private final Map<String, MemoryJob> busy = new LinkedHashMap<>();

	private final Morgue morgue = new Morgue();

	private final MemoryLease lease;

	private boolean paused;

	private long processed;

	private long failed;

	MemoryShard(Shard shard) {
		this.shard = shard;
		this.lease = new MemoryLease(shard);
	}

	JobQueue queue() {
		return this.queue;
	}

	Map<String, MemoryJob> busy() {
		return this.busy;
	}

	Morgue morgue() {
		return this.morgue;
	}

	MemoryLease lease() {
		return this.lease;
	}

	/**
	 * Enqueues payloads (rules 1 and 2).
	 * @param payloads the payloads
	 * @param now the time of the step
	 * @return how many merged into a queued job
	 */
	int enqueue(List<NewPayload> payloads, StoreTime now) {
		int merged = 0;
		boolean isAnyReady = false;
		for (NewPayload payload : payloads) {
			MemoryJob queued = this.queue.find(payload.id());
			if (queued != null) {
				merge(payload, queued, now);
				merged++;
			}
			else {
				isAnyReady |= begin(payload, now) == Place.READY;
			}
			wakeOwner(payload.id());
		}
		if (isAnyReady) {
			this.queue.sweep(payloads.size());
		}
		return merged;
	}

	private Place begin(NewPayload payload, StoreTime now) {
		PayloadSet payloads = PayloadSet.of(List.of(new Payload(payload.payload(), score(payload, now))));
		MemoryJob job = MemoryJob.fresh(payload.id(), performAt(payload, now), payloads);
		boolean isDefault = payload.performAt() == null && payload.delay() == 0;
		return put(isDefault ? job.at(Place.READY) : job);
	}

	private void merge(NewPayload payload, MemoryJob queued, StoreTime now) {
		if (payload.score() != null || !queued.payloads().contains(payload.payload())) {
			queued.payloads().add(new Payload(payload.payload(), score(payload, now)));
		}
		long performAt = performAt(payload, now);
		boolean mayMove = !queued.isRetry() && queued.place() != Place.READY;
		if (mayMove && performAt < queued.performAt()) {
			put(queued.dueAt(performAt));
		}
	}

	private double score(NewPayload payload, StoreTime now) {
		if (payload.score() != null) {
			return payload.score();
		}
		double highest = Math.max(highestScore(this.queue.find(payload.id())),
				highestScore(this.busy.get(payload.id())));
		return (highest >= now.score()) ? Math.nextUp(highest) : now.score();
	}

	private static double highestScore(@Nullable MemoryJob job) {
		return (job != null) ? job.payloads().highestScore() : Double.NEGATIVE_INFINITY;
	}

	private static long performAt(NewPayload payload, StoreTime now) {
		return (payload.performAt() != null) ? payload.performAt() : now.millis() + payload.delay();
	}

	/**
	 * Puts a job into the queue, behind its id if that is busy.
	 */
	private Place put(MemoryJob job) {
		MemoryJob placed = this.busy.containsKey(job.id()) ? job.at(Place.BEHIND) : job;
		this.queue.put(placed);
		return placed.place();
	}

	/**
	 * Wakes the owner if it waits for a later job than the queued one of an id.
	 */
	private void wakeOwner(String id) {
		MemoryJob job = this.queue.find(id);
		if (job != null && job.place() != Place.BEHIND && !this.paused) {
			this.lease.wakeOwnerFor(job.performAt());
		}
	}

	/**
	 * Applies what became of a busy job (rules 4 to 6).
	 * @param outcome the outcome
	 * @param now milliseconds since 1970
	 * @return the number of payloads that went to the morgue
	 */
	int apply(Outcome outcome, long now) {
		MemoryJob job = this.busy.remove(outcome.id());
		if (job == null) {
			return 0;
		}
		int buried = 0;
		if (outcome instanceof Outcome.Done) {
			this.processed++;
		}
		else if (outcome instanceof Outcome.Returned) {
			this.queue.merge(job.waiting());
		}
		else if (outcome instanceof Outcome.Retry retry) {
			this.failed++;
			int crashes = retry.suspect() ? Math.max(job.crashes() + 1, ShardStore.SUSPECT_AFTER) : 0;
			this.queue.merge(job.failed(now + retry.delay(), KeptError.of(retry.error())).crashed(crashes).waiting());
		}
		else if (outcome instanceof Outcome.Bury bury) {
			this.failed++;
			this.morgue.bury(job.id(), job.payloads().takeSmallest(1), now, KeptError.of(bury.error()));
			buried = 1;
			if (!job.payloads().isEmpty()) {
				this.queue.merge(MemoryJob.fresh(job.id(), now, job.payloads()));
			}
		}
		else if (outcome instanceof Outcome.Reject reject) {
			PayloadSet rejected = job.payloads().takeAt(reject.payloads());
			buried = rejected.size();
			this.morgue.bury(job.id(), rejected, now, KeptError.of(reject.error()));
			if (!job.payloads().isEmpty()) {
				this.busy.put(job.id(), job);
				return buried;
			}
		}
		this.queue.follow(job.id());
		return buried;
	}

	/**
	 * Applies outcomes, and moves jobs that were due before them to busy (rule 3).
	 * @param outcomes the outcomes
	 * @param fetch what to fetch
	 * @param now milliseconds since 1970
	 * @return the answer
	 */
	FetchResult.Fetched completeAndFetch(List<Outcome> outcomes, Fetch fetch, long now) {
		List<MemoryJob> due = due(fetch, now);
		int buried = outcomes.stream().mapToInt((outcome) -> apply(outcome, now)).sum();
		List<FetchedJob> jobs = due.stream().map((job) -> take(job, fetch.payloads())).toList();
		long next = (fetch.jobs() == 0 || this.paused) ? next(now) : this.queue.nextAfter(fetch.jobs(), now);
		if (jobs.size() < fetch.jobs()) {
			this.lease.waitUntil(next);
		}
		else if (fetch.jobs() > 0) {
			this.lease.stopWaiting();
		}
		return new FetchResult.Fetched(jobs, next, nextSuspect(), now, buried);
	}

	private List<MemoryJob> due(Fetch fetch, long now) {
		if (this.paused || fetch.jobs() == 0) {
			return List.of();
		}
		List<MemoryJob> due = new ArrayList<>();
		if (fetch.suspects()) {
			this.queue.suspects().stream().limit(1).filter((job) -> job.isDue(now)).forEach(due::add);
		}
		due.addAll(this.queue.due(fetch.jobs() - due.size(), now));
		return due;
	}

	private FetchedJob take(MemoryJob job, int maxPayloads) {
		this.queue.remove(job.id());
		PayloadSet taken = job.payloads().takeSmallest(maxPayloads);
		if (!job.payloads().isEmpty()) {
			this.queue.put(MemoryJob.fresh(job.id(), job.performAt(), job.payloads()).at(Place.BEHIND));
		}
		this.busy.put(job.id(), job.with(taken));
		return new FetchedJob(job.id(), job.performAt(), job.retryCount(), job.crashes(), job.error(), taken.toList());
	}

	long next(long now) {
		return this.paused ? FetchResult.NOTHING : this.queue.next(now);
	}

	long nextSuspect() {
		return this.paused ? FetchResult.NOTHING : this.queue.nextSuspect();
	}

	/**
	 * Puts busy jobs back into the queue (rule 8).
	 * @param crashed whether they are marked as caught in a crash
	 * @param now milliseconds since 1970
	 * @return the number of jobs that were put back
	 */
	int restore(boolean crashed, long now) {
		List<MemoryJob> jobs = new ArrayList<>(this.busy.values());
		this.busy.clear();
		int restored = 0;
		for (MemoryJob job : jobs) {
			if (crashed && job.crashes() >= ShardStore.MAX_CRASHES) {
				this.morgue.bury(job.id(), job.payloads(), now, ShardStore.POISON_PILL);
				this.queue.follow(job.id());
			}
			else {
				this.queue.merge(job.crashed(job.crashes() + (crashed ? 1 : 0)).waiting());
				restored++;
			}
		}
		return restored;
	}

	/**
	 * Makes a queued job due now (rule 9).
	 * @param job the job
	 * @param now milliseconds since 1970
	 */
	void performNow(MemoryJob job, long now) {
		put(job.dueAt(now));
		wakeOwner(job.id());
	}

	/**
	 * Enqueues a dead job again (rule 7).
	 * @param id the job's id
	 * @param now milliseconds since 1970
	 * @return whether it was dead
	 */
	boolean revive(String id, long now) {
		Morgue.DeadJob dead = this.morgue.remove(id);
		if (dead == null) {
			return false;
		}
		MemoryJob queued = this.queue.find(id);
		if (queued != null) {
			dead.payloads().addAll(queued.payloads());
		}
		put(MemoryJob.fresh(id, now, dead.payloads()));
		wakeOwner(id);
		return true;
	}

	/**
	 * Moves a queued job to the morgue with all its payloads and its error (rule 9).
	 * @param job the job
	 * @param now milliseconds since 1970
	 */
	void kill(MemoryJob job, long now) {
		this.queue.remove(job.id());
		this.morgue.bury(job.id(), job.payloads(), now, job.error());
	}

	void pause(boolean pause) {
		this.paused = pause;
		if (!pause) {
			this.lease.wakeOwner();
		}
	}

	ShardCounts counts(long now) {
		long retry = this.queue.retries().size();
		long delayed = this.queue.delayed().stream().filter((job) -> !job.isDue(now)).count();
		return new ShardCounts(this.shard, this.queue.all().size() - retry, retry, this.busy.size(), this.morgue.size(),
				delayed, this.queue.oldest(), this.processed, this.failed, this.paused, this.lease.session(),
				this.lease.epoch(), this.lease.since(), now);
	}

}
