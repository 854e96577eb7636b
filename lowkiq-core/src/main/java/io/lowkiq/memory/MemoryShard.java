package io.lowkiq.memory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;
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
	 * Enqueues a payload (rules 1 and 2).
	 * @param push the payload
	 * @param now the time of the step
	 * @return whether it merged into a queued job
	 */
	boolean push(NewPayload push, StoreTime now) {
		MemoryJob queued = this.queue.find(push.id());
		if (queued != null) {
			if (push.score() != null || !queued.payloads().contains(push.payload())) {
				queued.payloads().add(new Payload(push.payload(), score(push, now)));
			}
			return true;
		}
		PayloadSet payloads = PayloadSet.of(List.of(new Payload(push.payload(), score(push, now))));
		if (push.performAt() == null && push.delay() == 0) {
			enqueued(MemoryJob.fresh(push.id(), now.millis(), payloads), true);
		}
		else {
			long performAt = (push.performAt() != null) ? push.performAt() : now.millis() + push.delay();
			enqueued(MemoryJob.fresh(push.id(), performAt, payloads), false);
		}
		return false;
	}

	/**
	 * Whether the only payload of a call is handed over to the owner, who waits.
	 * @param push the payload
	 * @param now milliseconds since 1970
	 * @return whether it is
	 */
	private boolean isHandedOver(NewPayload push, long now) {
		boolean plain = push.score() == null && push.performAt() == null && push.delay() == 0
				&& push.payload().length <= HandOver.MOST_BYTES && this.queue.find(push.id()) == null;
		return plain && !this.paused && this.lease.takes(now) && this.busy.isEmpty()
				&& !this.queue.any((job) -> job.isInLine() || job.isSuspect());
	}

	/**
	 * Enqueues the only payload of a call, or hands it over to the owner, who listens.
	 * @param push the payload
	 * @param now the time of the step
	 * @return whether it merged into a queued job
	 */
	boolean handOverOrPush(NewPayload push, StoreTime now) {
		if (!isHandedOver(push, now.millis())) {
			return push(push, now);
		}
		PayloadSet payloads = PayloadSet.of(List.of(new Payload(push.payload(), score(push, now))));
		MemoryJob job = MemoryJob.fresh(push.id(), now.millis(), payloads);
		this.queue.putInLine(job);
		this.lease.handOver(take(job, 1), now);
		return false;
	}

	private void enqueued(MemoryJob job, boolean inLine) {
		if (inLine) {
			this.queue.putInLine(job);
		}
		else {
			this.queue.put(job);
		}
		if (!this.paused) {
			this.lease.wakeOwnerFor(job.performAt());
		}
	}

	private double score(NewPayload push, StoreTime now) {
		if (push.score() != null) {
			return push.score();
		}
		double highest = Math.max(highestScore(this.queue.find(push.id())), highestScore(this.busy.get(push.id())));
		return (highest >= now.score()) ? Math.nextUp(highest) : now.score();
	}

	private static double highestScore(@Nullable MemoryJob job) {
		return (job != null) ? job.payloads().highestScore() : Double.NEGATIVE_INFINITY;
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
		if (outcome instanceof Outcome.Done) {
			this.processed++;
			return 0;
		}
		if (outcome instanceof Outcome.Retry retry) {
			this.failed++;
			this.queue.merge(job.failed(now + retry.delay(), KeptError.of(retry.error())));
			return 0;
		}
		if (outcome instanceof Outcome.Bury bury) {
			this.failed++;
			this.morgue.bury(job.id(), job.payloads().takeSmallest(1), now, KeptError.of(bury.error()));
			if (!job.payloads().isEmpty()) {
				this.queue.merge(MemoryJob.fresh(job.id(), now, job.payloads()));
			}
			return 1;
		}
		Outcome.Reject reject = (Outcome.Reject) outcome;
		PayloadSet rejected = job.payloads().takeAt(reject.payloads());
		int buried = rejected.size();
		this.morgue.bury(job.id(), rejected, now, KeptError.of(reject.error()));
		if (!job.payloads().isEmpty()) {
			this.busy.put(job.id(), job);
		}
		return buried;
	}

	/**
	 * Moves jobs that are due from the queue to busy (rule 3); none while others are
	 * busy.
	 * @param fetch what to fetch
	 * @param now milliseconds since 1970
	 * @return the jobs in the order of performAt
	 */
	List<FetchedJob> fetch(Fetch fetch, long now) {
		if (fetch.jobs() == 0 || this.paused || !this.busy.isEmpty()) {
			return List.of();
		}
		return due(fetch, now).stream().map((job) -> take(job, fetch.payloads())).toList();
	}

	private List<MemoryJob> due(Fetch fetch, long now) {
		if (fetch.suspects()) {
			List<MemoryJob> suspect = this.queue.first((job) -> job.isSuspect() && job.isDue(now), 1);
			if (!suspect.isEmpty()) {
				return suspect;
			}
		}
		return this.queue.first((job) -> !job.isSuspect() && job.isDue(now), fetch.jobs());
	}

	private FetchedJob take(MemoryJob job, int maxPayloads) {
		this.queue.remove(job.id());
		PayloadSet taken = job.payloads().takeSmallest(maxPayloads);
		if (!job.payloads().isEmpty()) {
			this.queue.put(MemoryJob.fresh(job.id(), job.performAt(), job.payloads()));
		}
		this.busy.put(job.id(), job.with(taken));
		return new FetchedJob(job.id(), job.performAt(), job.retryCount(), job.crashes(), job.error(), taken.toList());
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
			MemoryJob back = crashed ? job.marked() : job;
			if (back.crashes() > ShardStore.MAX_CRASHES) {
				this.morgue.bury(back.id(), back.payloads(), now, ShardStore.POISON_PILL);
			}
			else {
				this.queue.merge(back);
				restored++;
			}
		}
		return restored;
	}

	long next() {
		return this.paused ? FetchResult.NOTHING : this.queue.nextDue((job) -> !job.isSuspect());
	}

	long nextSuspect() {
		return this.paused ? FetchResult.NOTHING : this.queue.nextDue(MemoryJob::isSuspect);
	}

	/**
	 * Makes a queued job due now and wakes the owner (rule 9).
	 * @param job the job
	 * @param now milliseconds since 1970
	 */
	void performNow(MemoryJob job, long now) {
		this.queue.put(job.dueAt(now));
		this.lease.wakeOwnerFor(now);
	}

	/**
	 * Queues a job up from the morgue and wakes the owner (rule 7).
	 * @param id the job's id
	 * @param now milliseconds since 1970
	 * @return whether it was dead
	 */
	boolean revive(String id, long now) {
		Morgue.DeadJob dead = this.morgue.remove(id);
		if (dead == null) {
			return false;
		}
		this.queue.merge(MemoryJob.fresh(id, now, dead.payloads()));
		this.lease.wakeOwnerFor(now);
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

	void pause(boolean paused) {
		this.paused = paused;
		if (!paused) {
			this.lease.wakeOwner();
		}
	}

	ShardCounts counts(long now) {
		long retry = this.queue.inOrder().filter(MemoryJob::isRetry).count();
		long queued = this.queue.inOrder().count();
		return new ShardCounts(this.shard, queued - retry, retry, this.busy.size(), this.morgue.size(),
				this.queue.nextDue((job) -> true), this.processed, this.failed, this.paused, this.lease.session(),
				this.lease.epoch(), this.lease.since(), now);
	}

}
