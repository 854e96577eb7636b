package io.lowkiq.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.engine.schedule.ShardTurns;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;

/**
 * Makes the calls of a server for a shard. Guarded by the lock of
 * {@link CallingThreadRunner}.
 */
final class OwnedShard {

	private final ShardStore store;

	private final ServedQueue queue;

	private final Lease lease;

	private long sequence;

	private long nextFollowUp = 1;

	/** When the next job is due, as far as is known, in milliseconds since 1970. */
	private long next;

	private long nextSuspect;

	private final ShardTurns turns;

	/** Of the fetched jobs. */
	private QueueTurns.Turn turn;

	private final TestClock clock;

	private OwnedShard(ShardStore store, ServedQueue queue, TestClock clock, Acquisition.Acquired acquired) {
		this.clock = clock;
		this.store = store;
		this.queue = queue;
		this.lease = acquired.lease();
		this.next = acquired.next();
		this.nextSuspect = acquired.nextSuspect();
		GroupPolicy policy = queue.groups();
		GroupPolicy withoutRate = new GroupPolicy(policy.separator(), policy.maxShare(), policy.weights(),
				policy.oneShardPerGroup(), new Limits(policy.limits().concurrency(), null));
		this.turns = new ShardTurns(
				new QueueTurns(withoutRate, 1, queue.batchSize(), () -> 0, queue.groupWaits()::until),
				acquired.groups(), clock.nanoTime());
		this.turn = this.turns.queue().take(List.of());
	}

	static OwnedShard acquire(ShardStore store, ServedQueue queue, Shard shard, String session, TestClock clock) {
		if (store.acquire(shard, LeaseRequest.forFreeShard(session).with(queue.gathering()))
			.join() instanceof Acquisition.Acquired acquired) {
			return new OwnedShard(store, queue, clock, acquired);
		}
		throw new IllegalStateException(
				"Shard %s has an owner already: only one tester or server may use the store".formatted(shard));
	}

	Shard shard() {
		return this.lease.shard();
	}

	ServedQueue queue() {
		return this.queue;
	}

	Lease lease() {
		return this.lease;
	}

	/** When a job will be due, in milliseconds since 1970; the largest number if none. */
	long next() {
		return Math.min(this.next, this.nextSuspect);
	}

	/** Forgets which groups wait: the clock may have gone back. */
	void reset() {
		this.queue.groupWaits().clear();
		GroupPolicy policy = this.turns.queue().settings().policy();
		this.turns.queue().settings(new GroupSettings(policy, Map.of()));
	}

	/** For one call of the worker; fewer than a batch if no more are due. */
	List<FetchedJob> fetch() {
		int payloads = this.queue.worker().settings().maxPayloads();
		boolean suspects = this.nextSuspect <= this.clock.millis();
		List<FetchedJob> jobs = List.of();
		do {
			jobs = call(0, List.of(), new Fetch(this.queue.batchSize(), payloads, suspects)).jobs();
		}
		while (jobs.isEmpty() && this.turns.areWaiting());
		List<String> groups = jobs.stream().map((job) -> this.queue.groups().groupOf(job.id())).toList();
		this.turn = this.turns.queue().take(groups);
		long nanos = this.clock.nanoTime();
		for (int i = 0; i < groups.size(); i++) {
			this.queue.groupWaits().begin(groups.get(i), jobs.get(i).id(), nanos);
		}
		return jobs;
	}

	/**
	 * Reports the results of fetched jobs, and returns how many payloads went to the
	 * morgue.
	 */
	int complete(int jobs, List<Completed> completed) {
		// No time has passed, so each job costs the same
		this.turn.lose();
		return call(jobs, completed, Fetch.NONE).buried();
	}

	private List<Outcome> outcomes(List<Completed> completed) {
		List<Outcome> outcomes = new ArrayList<>();
		for (Completed job : completed) {
			outcomes.addAll(job.allOutcomes(this.nextFollowUp));
			this.nextFollowUp += job.followUps().size();
		}
		return outcomes;
	}

	/** Nothing else runs when the test fetches, and rates don't matter. */
	private Fetch inTurn(Fetch fetch) {
		return this.turns.areAny() ? fetch.with(this.turns.turns(List.of(), fetch.jobs(), this.clock.nanoTime()))
				: fetch;
	}

	/** When a group has room again that has none, in milliseconds since 1970. */
	private long nextRoom(long nanos) {
		long until = this.turns.lookForRoom(nanos);
		if (this.turns.areWaiting()) {
			return this.clock.millis();
		}
		return (until < Long.MAX_VALUE)
				? this.clock.millis() + TimeUnit.NANOSECONDS.toMillis(until + TimeUnit.MILLISECONDS.toNanos(1) - 1)
				: FetchResult.NOTHING;
	}

	private FetchResult.Fetched call(int busy, List<Completed> completed, Fetch fetch) {
		this.sequence++;
		Fetch inTurn = inTurn(fetch);
		FetchResult result = this.store.completeAndFetch(this.lease, this.sequence, busy, outcomes(completed), inTurn)
			.join();
		if (result instanceof FetchResult.Fetched fetched) {
			long nanos = this.clock.nanoTime();
			this.turns.answered(fetched.groups(), inTurn.groups(), nanos);
			this.next = Math.min(fetched.next(), nextRoom(nanos));
			this.nextSuspect = fetched.nextSuspect();
			return fetched;
		}
		throw new IllegalStateException("The test lost shard %s: %s".formatted(shard(), result));
	}

}
