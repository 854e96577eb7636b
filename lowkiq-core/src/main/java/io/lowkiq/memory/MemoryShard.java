package io.lowkiq.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.memory.MemoryJob.Place;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Gathering;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Origin;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoredFollowUp;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.ShardActions.Closing;
import io.lowkiq.store.inspection.ShardActions.Step;
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

	/** Ids of which something was performed, by the outcomes of one call. */
	private final Set<String> parted = new HashSet<>();

	/** What is to be enqueued because jobs are done, by number. */
	private final NavigableMap<Long, StoredFollowUp> followUps = new TreeMap<>();

	/** The last follow-up of each shard that was enqueued here. */
	private final Map<Shard, Origin> enqueued = new HashMap<>();

	private Gathering gathering = Gathering.NONE;

	private boolean paused;

	/** Whether nothing can be enqueued, because the queue is being removed. */
	private boolean closed;

	private long processed;

	private long failed;

	MemoryShard(Shard shard) {
		this.shard = shard;
		this.lease = new MemoryLease(shard);
	}

	/** How payloads gather from now on, as the owner wants it. */
	void gathering(Gathering newGathering) {
		this.gathering = newGathering;
		this.queue.gathering(newGathering);
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

	NavigableMap<Long, StoredFollowUp> followUps() {
		return this.followUps;
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
			if (isRepeated(payload.origin())) {
				merged++;
				continue;
			}
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

	private boolean isRepeated(@Nullable Origin origin) {
		if (origin == null) {
			return false;
		}
		Origin last = this.enqueued.get(origin.shard());
		if (last != null && !origin.isAfter(last)) {
			return true;
		}
		this.enqueued.put(origin.shard(), origin);
		return false;
	}

	private Place begin(NewPayload payload, StoreTime now) {
		PayloadSet payloads = PayloadSet.of(List.of(new Payload(payload.payload(), score(payload, now))));
		boolean isBusy = this.busy.containsKey(payload.id());
		Long restsUntil = (policy().minInterval().isZero() || isBusy) ? null : this.queue.restsUntil(payload.id());
		MemoryJob job = MemoryJob.fresh(payload.id(), performAt(payload, now), payloads).between(null, restsUntil);
		job.producers().add(payload.producer());
		if (gathers(payload)) {
			return put(gathering(job, untilAtMost(now), now));
		}
		job = job.dueAt(notTooEarly(job, job.performAt()));
		return put((hasDefaultTime(payload) && restsUntil == null) ? job.at(Place.READY) : job);
	}

	private static boolean hasDefaultTime(NewPayload payload) {
		return payload.performAt() == null && payload.delay() == 0;
	}

	private boolean gathers(NewPayload payload) {
		return hasDefaultTime(payload) && !policy().debounce().isZero();
	}

	/** The latest time until which a job gathers that begins to do so now. */
	private long untilAtMost(StoreTime now) {
		return policy().maxWait().isZero() ? Long.MAX_VALUE : now.millis() + policy().maxWait().toMillis();
	}

	/** A fresh job that waits for more payloads. */
	private MemoryJob gathering(MemoryJob job, long until, StoreTime now) {
		boolean isFull = job.payloads().size() >= this.gathering.maxPayloads();
		long limit = isFull ? Math.min(until, now.millis()) : until;
		MemoryJob limited = job.between(limit, job.notBefore());
		return limited.dueAt(notTooEarly(job, Math.min(now.millis() + policy().debounce().toMillis(), limit)));
	}

	private static long notTooEarly(MemoryJob job, long performAt) {
		Long notBefore = job.notBefore();
		return (notBefore != null) ? Math.max(performAt, notBefore) : performAt;
	}

	private GatheringPolicy policy() {
		return this.gathering.policy();
	}

	private void merge(NewPayload payload, MemoryJob found, StoreTime now) {
		found.producers().add(payload.producer());
		MemoryJob queued = add(payload, found, now);
		if (queued.isHeld()) {
			return;
		}
		long performAt = performAt(payload, now);
		if (queued.waitsForRetry()) {
			if (!policy().retryNow() || queued.unreadableSince() != null) {
				return;
			}
			long wanted = hasDefaultTime(payload) ? now.millis() + policy().debounce().toMillis() : performAt;
			moveForward(queued, notTooEarly(queued, wanted));
		}
		else if (gathers(payload)) {
			if (queued.place() != Place.READY) {
				Long until = queued.gathersUntil();
				put(gathering(queued, (until != null) ? until : Math.min(queued.performAt(), untilAtMost(now)), now));
			}
		}
		else {
			Long until = queued.gathersUntil();
			MemoryJob limited = (until != null) ? queued.between(Math.min(until, performAt), queued.notBefore())
					: queued;
			if (until != null) {
				put(limited);
			}
			moveForward(limited, notTooEarly(queued, performAt));
		}
	}

	private void moveForward(MemoryJob queued, long performAt) {
		if (queued.place() != Place.READY && performAt < queued.performAt()) {
			put(queued.dueAt(performAt));
		}
	}

	/** Adds a payload to those of a queued job. */
	private MemoryJob add(NewPayload payload, MemoryJob queued, StoreTime now) {
		Payload added = new Payload(payload.payload(), score(payload, now));
		if (policy().keepLatest()) {
			Payload last = queued.payloads().last();
			MemoryJob single = queued.with(PayloadSet.of(List.of((added.score() >= last.score()) ? added : last)));
			this.queue.replace(single);
			return single;
		}
		if (policy().equalLatest()) {
			queued.payloads().addLatest(added);
		}
		else if (payload.score() != null || !queued.payloads().contains(payload.payload())) {
			queued.payloads().add(added);
		}
		return queued;
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
	 * Applies what became of busy jobs.
	 * @return the number of payloads that went to the morgue
	 */
	int apply(List<Outcome> outcomes, long now) {
		this.parted.clear();
		return outcomes.stream().mapToInt((outcome) -> apply(outcome, now)).sum();
	}

	/**
	 * Applies what became of a busy job (rules 4 to 6).
	 * @return the number of payloads that went to the morgue
	 */
	private int apply(Outcome outcome, long now) {
		if (outcome instanceof Outcome.FollowUp next) {
			if (this.busy.containsKey(next.id())) {
				Origin origin = new Origin(this.shard, this.lease.epoch(), next.number());
				this.followUps.put(next.number(), new StoredFollowUp(origin, next.followUp()));
			}
			return 0;
		}
		MemoryJob job = this.busy.remove(outcome.id());
		if (job == null) {
			return 0;
		}
		boolean isParted = this.parted.contains(job.id());
		int buried = 0;
		if (job.isErased() && !(outcome instanceof Outcome.Done)) {
			boolean isFailure = outcome instanceof Outcome.Retry || outcome instanceof Outcome.Hold
					|| (outcome instanceof Outcome.PartlyDone part && part.failed());
			this.failed += isFailure ? 1 : 0;
		}
		else if (outcome instanceof Outcome.Done) {
			this.processed++;
			rest(job.id(), now);
		}
		else if (outcome instanceof Outcome.Returned) {
			this.queue.merge((isParted ? rested(job, now) : job).waiting());
		}
		else if (outcome instanceof Outcome.Retry retry) {
			this.failed++;
			int crashes = retry.suspect() ? Math.max(job.crashes() + 1, ShardStore.SUSPECT_AFTER) : 0;
			MemoryJob failedJob = job.failed(now + retry.delay(), retry.error()).crashed(crashes);
			this.queue.merge(rested(failedJob, now).waiting());
		}
		else if (outcome instanceof Outcome.Hold hold) {
			this.failed++;
			this.queue.merge(rested(job.failed(MemoryJob.HELD, hold.error()).crashed(0), now).waiting());
		}
		else if (outcome instanceof Outcome.Unreadable unreadable) {
			MemoryJob tried = job.unreadable(now + unreadable.delay(), unreadable.error(), now);
			this.queue.merge((isParted ? rested(tried, now) : tried).waiting());
		}
		else if (outcome instanceof Outcome.PartlyDone part) {
			this.failed += part.failed() ? 1 : 0;
			List<Payload> ordered = job.payloads().toList();
			PayloadSet dead = job.payloads().take(at(ordered, part.dead()));
			job.payloads().take(at(ordered, part.gone()));
			buried = dead.size();
			this.morgue.bury(job, dead, now, part.error(), policy().equalLatest());
			if (!job.payloads().isEmpty()) {
				boolean isFirstGone = !job.payloads().contains(ordered.get(0).bytes());
				this.busy.put(job.id(), isFirstGone ? job.afresh((buried > 0) ? part.error() : null) : job);
				this.parted.add(job.id());
				return buried;
			}
			rest(job.id(), now);
		}
		this.queue.follow(job.id());
		return buried;
	}

	/** An id was performed: the next perform keeps its distance. */
	private void rest(String id, long now) {
		MemoryJob queued = this.queue.find(id);
		if (policy().minInterval().isZero()) {
			return;
		}
		if (queued == null) {
			this.queue.rest(id, now + policy().minInterval().toMillis());
		}
		else if (queued.place() == Place.BEHIND) {
			this.queue.put(rested(queued, now));
		}
	}

	/** A job whose next perform keeps its distance from one that has just ended. */
	private MemoryJob rested(MemoryJob job, long now) {
		return policy().minInterval().isZero() ? job : job.notBefore(now + policy().minInterval().toMillis());
	}

	/** Ends the rest of an id that is not over yet. */
	void wakeFromRest(String id, long now) {
		Long until = this.queue.restsUntil(id);
		if (until != null && until > now) {
			this.queue.endRest(id);
		}
	}

	private static List<Payload> at(List<Payload> payloads, List<Integer> places) {
		return places.stream().filter((place) -> place < payloads.size()).map(payloads::get).toList();
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
		int buried = apply(outcomes, now);
		List<FetchedJob> jobs = due.stream().map((job) -> take(job, fetch.payloads(), now)).toList();
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
		due.addAll(this.queue.due(fetch.jobs() - due.size(), fetch.jobs(), now));
		return due;
	}

	private FetchedJob take(MemoryJob job, int maxPayloads, long now) {
		this.queue.remove(job.id());
		PayloadSet taken = job.payloads().takeSmallest(maxPayloads);
		if (!job.payloads().isEmpty()) {
			this.queue.put(MemoryJob.fresh(job.id(), job.performAt(), job.payloads())
				.by(job.producers().copy())
				.at(Place.BEHIND));
		}
		this.busy.put(job.id(), job.with(taken).between(null, null));
		Long unreadableSince = job.unreadableSince();
		return new FetchedJob(job.id(), job.performAt(), job.retryCount(), job.crashes(), job.error(), taken.toList(),
				(unreadableSince != null) ? Math.max(now - unreadableSince, 0) : 0, Math.max(now - job.performAt(), 0),
				job.producers().view());
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
			if (job.isErased()) {
				this.queue.follow(job.id());
			}
			else if (crashed && job.crashes() >= ShardStore.MAX_CRASHES) {
				this.morgue.bury(job, job.payloads(), now, ShardStore.POISON_PILL, policy().equalLatest());
				this.queue.follow(job.id());
			}
			else {
				this.queue.merge(job.crashed(job.crashes() + (crashed ? 1 : 0)).waiting());
				restored++;
			}
		}
		return restored;
	}

	/** Makes a queued job due now (rule 9). */
	void performNow(MemoryJob job, long now) {
		put(job.dueAt(now).between(null, null));
		wakeOwner(job.id());
	}

	/** Lets a job on hold be performed (rule 9). */
	void release(MemoryJob job, long now) {
		put(job.released(now).between(null, null));
		wakeOwner(job.id());
	}

	/** Lets a queued job wait for a person (rule 9). */
	void hold(MemoryJob job) {
		put(job.held());
	}

	/** Forgets all payloads of an id, and lets it be busy as long as it is performed. */
	Erasure erase(String id) {
		boolean wasQueued = this.queue.remove(id) != null;
		this.queue.endRest(id);
		this.queue.deleted(1);
		boolean isBusy = this.busy.computeIfPresent(id, (key, job) -> MemoryJob.erased(key)) != null;
		return new Erasure(wasQueued, isBusy, this.morgue.remove(id) != null);
	}

	Closing close(@Nullable String ended, boolean ifEmpty) {
		String owner = this.lease.session();
		if (owner != null && !owner.equals(ended)) {
			return Closing.OWNED;
		}
		if (ifEmpty && !(this.queue.all().isEmpty() && this.busy.isEmpty() && this.morgue.size() == 0
				&& this.followUps.isEmpty())) {
			return Closing.NOT_EMPTY;
		}
		this.lease.revoke();
		this.closed = true;
		return Closing.CLOSED;
	}

	void open() {
		this.closed = false;
	}

	boolean isClosed() {
		return this.closed;
	}

	/** Deletes jobs of a closed shard. */
	Step empty(int limit) {
		List<String> queued = this.queue.all().stream().map(MemoryJob::id).limit(limit).toList();
		queued.forEach(this.queue::remove);
		List<String> dead = this.morgue.all().map(Morgue.DeadJob::id).limit((long) limit - queued.size()).toList();
		dead.forEach(this.morgue::remove);
		int removed = queued.size() + dead.size();
		if (removed == limit) {
			return new Step(removed, true);
		}
		removed += this.busy.size();
		this.busy.clear();
		this.queue.clear();
		this.followUps.clear();
		this.enqueued.clear();
		this.paused = false;
		this.processed = 0;
		this.failed = 0;
		return new Step(removed, false);
	}

	/** Replaces the first payload of a job on hold, if it is the one that is known. */
	boolean edit(String id, byte[] known, byte[] replacement) {
		MemoryJob job = this.queue.find(id);
		return job != null && job.isHeld() && replaceFirst(job.payloads(), known, replacement);
	}

	/** Replaces the first payload of a dead job, if it is the one that is known. */
	boolean editDead(String id, byte[] known, byte[] replacement) {
		Morgue.DeadJob dead = this.morgue.find(id);
		return dead != null && replaceFirst(dead.payloads(), known, replacement);
	}

	private boolean replaceFirst(PayloadSet payloads, byte[] known, byte[] replacement) {
		Payload first = payloads.first(1).get(0);
		if (!Arrays.equals(first.bytes(), known)) {
			return false;
		}
		payloads.remove(known);
		if (policy().equalLatest()) {
			payloads.addLatest(new Payload(replacement, first.score()));
		}
		else {
			payloads.add(new Payload(replacement, first.score()));
		}
		return true;
	}

	/**
	 * Enqueues a dead job again (rule 7).
	 * @return whether it was dead
	 */
	boolean reEnqueue(String id, long now) {
		Morgue.DeadJob dead = this.morgue.remove(id);
		if (dead == null) {
			return false;
		}
		MemoryJob queued = this.queue.find(id);
		if (queued != null) {
			dead.payloads().addAll(queued.payloads(), policy().equalLatest());
			dead.producers().addAll(queued.producers());
		}
		MemoryJob again = MemoryJob.fresh(id, now, dead.payloads()).because(dead.error());
		if (queued != null && queued.isHeld()) {
			again = queued.with(dead.payloads()).between(null, null);
		}
		put(again.by(dead.producers()));
		wakeOwner(id);
		return true;
	}

	/** Moves a queued job to the morgue with all its payloads and its error (rule 9). */
	void kill(MemoryJob job, long now) {
		this.queue.remove(job.id());
		this.queue.endRest(job.id());
		this.morgue.bury(job, job.payloads(), now, job.error(), policy().equalLatest());
	}

	/** Puts a payload that was never queued into the morgue. */
	void bury(String id, Payload payload, String error, long now) {
		PayloadSet payloads = PayloadSet.of(List.of(payload));
		this.morgue.bury(MemoryJob.fresh(id, now, payloads), payloads, now, error, policy().equalLatest());
	}

	void pause(boolean pause) {
		this.paused = pause;
		if (!pause) {
			this.lease.wakeOwner();
		}
	}

	ShardCounts counts(long now) {
		long retry = this.queue.retries().size();
		long delayed = this.queue.delayed().stream().filter((job) -> !job.isDue(now) && !job.isHeld()).count();
		long held = this.queue.delayed().stream().filter(MemoryJob::isHeld).count();
		return new ShardCounts(this.shard, this.queue.all().size() - retry, retry, this.busy.size(), this.morgue.size(),
				delayed, held, this.queue.oldest(), this.processed, this.failed, this.paused, this.lease.session(),
				this.lease.epoch(), this.lease.since(), now, this.followUps.size());
	}

}
