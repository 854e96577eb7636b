package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardPayloads;
import io.lowkiq.store.ShardStore;

/**
 * The store of a client that enqueues after the commit. What is enqueued in a transaction
 * is kept until its commit and dropped on rollback; anything else is enqueued at once.
 * The client has checked and encoded the payloads before, so bad input is refused at
 * once, and what a caller changes afterwards in a payload makes no difference.
 */
class AfterCommitShardStore implements ShardStore {

	private final ShardStore store;

	AfterCommitShardStore(ShardStore store) {
		this.store = store;
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		if (!isInTransaction()) {
			return this.store.enqueue(shard, payloads);
		}
		pending().add(shard, payloads);
		return new EnqueueResult(0, 0);
	}

	@Override
	public EnqueueResult enqueueAll(List<ShardPayloads> all) {
		if (!isInTransaction()) {
			return this.store.enqueueAll(all);
		}
		PendingPayloads pending = pending();
		all.forEach((some) -> pending.add(some.shard(), some.payloads()));
		return new EnqueueResult(0, 0);
	}

	private static boolean isInTransaction() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	private PendingPayloads pending() {
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof PendingPayloads pending && pending.isOf(this.store)) {
				return pending;
			}
		}
		PendingPayloads pending = new PendingPayloads(this.store);
		TransactionSynchronizationManager.registerSynchronization(pending);
		return pending;
	}

	@Override
	public boolean isQueued(Shard shard, String id) {
		return this.store.isQueued(shard, id);
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, Claim claim) {
		return this.store.acquire(shard, claim);
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		return this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch);
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		return this.store.release(lease, sequence, outcomes);
	}

}
