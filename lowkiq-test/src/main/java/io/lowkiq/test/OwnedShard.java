package io.lowkiq.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.store.Outcome;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.engine.schedule.ShardTurns;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;

/**
 * A shard whose lease the test holds: makes the calls that the server makes in
 * production. Guarded by the lock of the {@link CallingThreadRunner}.
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

	private OwnedShard(ShardStore store, ServedQueue queue, Acquisition.Acquired acquired) {
		this.store = store;
		this.queue = queue;
		this.lease = acquired.lease();
		this.next = acquired.next();
		this.nextSuspect = acquired.nextSuspect();
		GroupPolicy policy = queue.groups();
		GroupPolicy withoutRate = new GroupPolicy(policy.separator(), policy.maxShare(), policy.weights(),
				policy.oneShardPerGroup(), new Limits(policy.limits().concurrency(), null));
		this.turns = new ShardTurns(new QueueTurns(withoutRate, 1, queue.batchSize(), () -> 0, (nanos) -> Map.of()),
				acquired.groups(), 0);
		this.turn = this.turns.queue().take(List.of());
	}

	static OwnedShard acquire(ShardStore store, ServedQueue queue, Shard shard, String session) {
		if (store.acquire(shard, LeaseRequest.forFreeShard(session).with(queue.gathering()))
			.join() instanceof Acquisition.Acquired acquired) {
			return new OwnedShard(store, queue, acquired);
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

	/**
	 * Fetches what one call of the worker performs.
	 * @param now the time, in milliseconds since 1970
	 * @return the jobs; fewer than a batch if no more are due
	 */
	List<FetchedJob> fetch(long now) {
		int payloads = this.queue.worker().settings().maxPayloads();
		List<FetchedJob> jobs = call(0, List.of(), new Fetch(this.queue.batchSize(), payloads, this.nextSuspect <= now))
			.jobs();
		this.turn = this.turns.queue().take(jobs.stream().map((job) -> this.queue.groups().groupOf(job.id())).toList());
		return jobs;
	}

	/**
	 * Reports the results of the fetched jobs.
	 * @param jobs how many were fetched
	 * @param completed their results
	 * @return the number of payloads that went to the morgue
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
		return this.turns.areAny() ? fetch.with(this.turns.turns(List.of(), fetch.jobs(), 0)) : fetch;
	}

	private FetchResult.Fetched call(int busy, List<Completed> completed, Fetch fetch) {
		this.sequence++;
		Fetch inTurn = inTurn(fetch);
		FetchResult result = this.store.completeAndFetch(this.lease, this.sequence, busy, outcomes(completed), inTurn)
			.join();
		if (result instanceof FetchResult.Fetched fetched) {
			this.next = fetched.next();
			this.nextSuspect = fetched.nextSuspect();
			this.turns.answered(fetched.groups(), inTurn.groups(), 0);
			this.turns.lookForRoom(0);
			return fetched;
		}
		throw new IllegalStateException("The test lost shard %s: %s".formatted(shard(), result));
	}

}
