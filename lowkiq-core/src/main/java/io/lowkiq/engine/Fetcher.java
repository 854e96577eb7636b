package io.lowkiq.engine;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.engine.lease.CallUncertainty;
import io.lowkiq.engine.lease.ForgottenCalls;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.NextDue;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.ShardCalls;
import io.lowkiq.engine.lease.ShardTasks;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;

/**
 * Makes the calls that report completed jobs and fetch the next ones, and turns fetched
 * jobs into tasks. Guarded by the {@link StateLock}.
 */
final class Fetcher {

	private final StateLock lock;

	private final ShardStore store;

	private final ShardCalls calls;

	private final Suspects suspects;

	private final LowkiqObserver observer;

	private final int fetchAhead;

	private final LongSupplier nanoTime;

	private final ForgottenCalls forgottenCalls;

	private final Consumer<ServedShard> followUps;

	Fetcher(StateLock lock, ShardStore store, ShardCalls calls, Suspects suspects, LowkiqObserver observer,
			int fetchAhead, LongSupplier nanoTime, ForgottenCalls forgottenCalls, Consumer<ServedShard> followUps) {
		this.lock = lock;
		this.store = store;
		this.calls = calls;
		this.suspects = suspects;
		this.observer = observer;
		this.fetchAhead = fetchAhead;
		this.nanoTime = nanoTime;
		this.forgottenCalls = forgottenCalls;
		this.followUps = followUps;
	}

	/** Reports completed jobs and fetches no others. */
	void complete(HeldShard held) {
		if (held.tasks().hasCompleted()) {
			call(held, Fetch.NONE);
		}
	}

	void check(HeldShard held) {
		call(held, Fetch.NONE);
	}

	/**
	 * Reports completed jobs and fetches others.
	 * @param tasks the number of tasks there are threads for, at least 1
	 * @param room the number of jobs that the limits of the queue allow, at least 1
	 */
	void completeAndFetch(HeldShard held, int tasks, int room) {
		ServedQueue queue = held.shard().queue();
		int jobs = Math.max(queue.nextFetch(held.lastFetch()), tasks * queue.batchSize());
		jobs = Math.min(room, Math.min(jobs, Math.max(queue.batchSize(), this.fetchAhead)));
		jobs = Math.max(1, Math.min(jobs, held.turns().shareLeft()));
		boolean withSuspects = this.suspects.mayFetch(held)
				&& held.nextDue().suspectAt() - this.nanoTime.getAsLong() <= 0
				&& held.tasks().untilSuspectHasRoom(this.nanoTime.getAsLong()) <= 0;
		if (withSuspects) {
			this.suspects.fetching(held);
		}
		call(held, new Fetch(jobs, queue.worker().settings().maxPayloads(), withSuspects));
	}

	private void call(HeldShard held, Fetch wanted) {
		long nanos = this.nanoTime.getAsLong();
		Fetch fetch = inTurn(held, wanted, nanos);
		int busy = held.busy();
		List<Outcome> outcomes = held.beginCall(nanos);
		Lease lease = held.lease();
		long sequence = held.sequence();
		if (fetch.jobs() > 0) {
			held.fetching(fetch.jobs());
		}
		held.turns().asks(fetch.jobs(), nanos);
		this.calls.make(held, () -> this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch), (result) -> {
			if (result instanceof FetchResult.Fetched fetched) {
				fetched(held, fetch, fetched);
			}
			else if (result instanceof FetchResult.Fenced fenced) {
				this.forgottenCalls.check(held.shard(), fenced.last());
				held.fenced();
			}
			else if (result instanceof FetchResult.OutOfStep outOfStep) {
				this.forgottenCalls.check(held.shard(), outOfStep.last());
				held.uncertain(CallUncertainty.OUT_OF_STEP);
			}
		});
	}

	/** Lets groups take turns, if there are any. */
	private static Fetch inTurn(HeldShard held, Fetch fetch, long nanos) {
		if (!held.turns().areAny()) {
			return fetch;
		}
		List<String> completed = held.tasks().completed().stream().map(Completed::id).toList();
		return fetch.with(held.turns().turns(completed, fetch.jobs(), nanos));
	}

	private void fetched(HeldShard held, Fetch fetch, FetchResult.Fetched fetched) {
		long nanos = this.nanoTime.getAsLong();
		List<FetchedJob> jobs = fetched.jobs();
		List<Completed> applied = held.answered(jobs.size(),
				NextDue.of(fetched.next(), fetched.nextSuspect(), fetched.now(), nanos), nanos);
		if (applied.stream().anyMatch((job) -> !job.followUps().isEmpty())) {
			this.followUps.accept(held.shard());
		}
		if (fetched.buried() > 0) {
			String queue = held.shard().queue().name();
			this.lock.afterwards(() -> this.observer.buried(queue, fetched.buried()));
			this.lock.afterwards(() -> applied.forEach((job) -> job.report(this.observer, queue)));
		}
		if (fetch.groups() == null && fetch.jobs() > 0 && jobs.size() >= fetch.jobs()) {
			// The store wakes the node only after a fetch that found less than it asked
			// for, or after which no group can start a job
			held.needFetch(nanos);
		}
		List<FetchedJob> without = held.turns().withoutRoom(jobs, nanos);
		held.giveBack(without, nanos);
		if (fetch.suspects()) {
			held.tasks()
				.returnedSuspect(
						without.stream().filter(ShardTasks::isSuspect).map(FetchedJob::id).findFirst().orElse(null));
		}
		jobs = without.isEmpty() ? jobs : jobs.stream().filter((job) -> !without.contains(job)).toList();
		int batchSize = held.shard().queue().batchSize();
		for (int begin = 0; begin < jobs.size();) {
			int size = ShardTasks.isSuspect(jobs.get(begin)) ? 1 : batchSize;
			int end = Math.min(begin + size, jobs.size());
			held.tasks().addFetched(task(held, jobs.subList(begin, end), nanos), nanos);
			begin = end;
		}
		held.turns().answered(fetched.groups(), fetch.groups(), nanos);
	}

	private Task task(HeldShard held, List<FetchedJob> jobs, long nanos) {
		return new Task(held.shard().queue(), held.lease(), held::isValid, jobs,
				(id) -> this.store.isQueued(held.shard().shard(), id), nanos);
	}

}
