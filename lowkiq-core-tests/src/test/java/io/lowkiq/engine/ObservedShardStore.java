package io.lowkiq.engine;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.lowkiq.store.StoredFollowUp;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Origin;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;

/**
 * Notes the calls of a store, which are made on other threads, as by a network.
 */
class ObservedShardStore implements ShardStore {

	private final ShardStore store;

	private final Executor executor;

	/** The outcomes that were sent, in the order of their calls. */
	final List<Outcome> outcomes = new CopyOnWriteArrayList<>();

	/** The claims of all calls that acquire. */
	final List<LeaseRequest> claims = new CopyOnWriteArrayList<>();

	ObservedShardStore(ShardStore store) {
		this(store, Runnable::run);
	}

	ObservedShardStore(ShardStore store, Executor executor) {
		this.store = store;
		this.executor = executor;
	}

	private <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
		return CompletableFuture.supplyAsync(call, this.executor).thenCompose((answer) -> answer);
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		return this.store.enqueue(shard, payloads);
	}

	@Override
	public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads, long forgotten) {
		return this.store.enqueueFollowUps(shard, payloads, forgotten);
	}

	@Override
	public boolean isQueued(Shard shard, String id) {
		return this.store.isQueued(shard, id);
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest claim) {
		this.claims.add(claim);
		return call(() -> this.store.acquire(shard, claim));
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> sent,
			Fetch fetch) {
		this.outcomes.addAll(sent);
		return call(() -> this.store.completeAndFetch(lease, sequence, busy, sent, fetch));
	}

	@Override
	public CompletableFuture<List<Shard>> followUpTargets(Lease lease, Collection<Shard> forgotten) {
		return this.store.followUpTargets(lease, forgotten);
	}

	@Override
	public CompletableFuture<Boolean> forgetOrigin(Shard shard, Origin last, boolean orEarlier) {
		return this.store.forgetOrigin(shard, last, orEarlier);
	}

	@Override
	public CompletableFuture<List<StoredFollowUp>> moveFollowUps(Lease lease, Collection<Long> enqueued,
			Collection<Shard> targets, long after) {
		return this.store.moveFollowUps(lease, enqueued, targets, after);
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> sent) {
		this.outcomes.addAll(sent);
		return call(() -> this.store.release(lease, sequence, sent));
	}

}
