package io.lowkiq.testing;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;

/**
 * Forwards every call to another store. For stores of tests, which do something else with
 * a few of them.
 */
public abstract class ForwardingShardStore implements ShardStore {

	/** The store to which calls are forwarded. */
	protected final ShardStore store;

	protected ForwardingShardStore(ShardStore store) {
		this.store = store;
	}

	/** Refuses all calls that are not overridden. */
	protected ForwardingShardStore() {
		this((ShardStore) Proxy.newProxyInstance(ShardStore.class.getClassLoader(), new Class<?>[] { ShardStore.class },
				(proxy, method, arguments) -> {
					throw new UnsupportedOperationException(method.getName());
				}));
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		return this.store.enqueue(shard, payloads);
	}

	@Override
	public CompletableFuture<EnqueueResult> enqueueFollowUps(Shard shard, List<NewPayload> payloads,
			Remembered remembered) {
		return this.store.enqueueFollowUps(shard, payloads, remembered);
	}

	@Override
	public boolean isQueued(Shard shard, String id) {
		return this.store.isQueued(shard, id);
	}

	@Override
	public BatchResult enqueueFenced(List<ShardPayloads> all, OutboxCall outbox) {
		return this.store.enqueueFenced(all, outbox);
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
		return this.store.acquire(shard, request);
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		return this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch);
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
	public CompletableFuture<NextFollowUps> moveFollowUps(Lease lease, Collection<EnqueuedFollowUps> enqueued,
			long after) {
		return this.store.moveFollowUps(lease, enqueued, after);
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		return this.store.release(lease, sequence, outcomes);
	}

}
