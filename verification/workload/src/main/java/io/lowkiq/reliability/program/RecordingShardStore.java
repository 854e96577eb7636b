package io.lowkiq.reliability.program;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.PayloadCodec;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingShardStore;

/**
 * Writes down which leases a node gets, what it completes, what it fetches and what it
 * enqueues, before the node continues. Thread-safe.
 */
final class RecordingShardStore extends ForwardingShardStore {

	private final EventLog history;

	private final Surroundings surroundings;

	private final PayloadCodec codec = new JacksonPayloadCodec();

	private final AtomicLong calls = new AtomicLong();

	RecordingShardStore(ShardStore store, EventLog history, Surroundings surroundings) {
		super(store);
		this.history = history;
		this.surroundings = surroundings;
	}

	/** A node enqueues nothing but what follows jobs. */
	@Override
	public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
			Remembered remembered) {
		this.history.write(payloads.stream()
			.map((payload) -> new Event.EnqueueCalled(this.surroundings.nanoTime(), shard.queue(), payload.id(),
					number(payload), payload.score() == null, payload.delay()))
			.toArray(Event[]::new));
		return this.store.enqueueFollowUps(shard, payloads, remembered).thenApply((result) -> {
			if (result.remembered() == null) {
				this.history.write(payloads.stream()
					.map((payload) -> new Event.EnqueueReturned(this.surroundings.nanoTime(), number(payload)))
					.toArray(Event[]::new));
			}
			return result;
		});
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		return enqueueFollowUps(shard, payloads, Remembered.NOTHING).join();
	}

	private long number(NewPayload payload) {
		return ((Change) this.codec.decode(payload.payload(), Change.class)).number();
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
		return this.store.acquire(shard, request).thenApply((answer) -> {
			if (answer instanceof Acquisition.Acquired acquired) {
				this.history.write(new Event.LeaseAcquired(this.surroundings.nanoTime(), first(shard),
						acquired.lease().session(), acquired.lease().epoch(), acquired.restored()));
			}
			return answer;
		});
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		long call = called(lease, outcomes, false);
		return this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch).whenComplete((answer, problem) -> {
			if (answer instanceof FetchResult.Fetched fetched) {
				answered(call, Answer.APPLIED, fetched.jobs().stream().map(FetchedJob::id).toList());
			}
			else {
				answered(call, (answer != null) ? Answer.REFUSED : Answer.NONE, List.of());
			}
		});
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		long call = called(lease, outcomes, true);
		return this.store.release(lease, sequence, outcomes).whenComplete((current, problem) -> {
			if (current == null) {
				answered(call, Answer.NONE, List.of());
			}
			else {
				answered(call, current ? Answer.APPLIED : Answer.REFUSED, List.of());
			}
		});
	}

	private long called(Lease lease, List<Outcome> outcomes, boolean release) {
		long call = this.calls.incrementAndGet();
		List<String> completed = outcomes.stream()
			.filter((outcome) -> !(outcome instanceof Outcome.Returned) && !(outcome instanceof Outcome.Unreadable))
			.map(Outcome::id)
			.distinct()
			.toList();
		this.history.write(new Event.OwnerCalled(this.surroundings.nanoTime(), call, first(lease.shard()),
				lease.epoch(), release, completed));
		return call;
	}

	/** Workers don't know the generation of their queue. */
	private static Shard first(Shard shard) {
		return new Shard(shard.queue(), 1, shard.index());
	}

	private void answered(long call, Answer answer, List<String> fetched) {
		this.history.write(new Event.OwnerAnswered(this.surroundings.nanoTime(), call, answer, fetched));
	}

}
