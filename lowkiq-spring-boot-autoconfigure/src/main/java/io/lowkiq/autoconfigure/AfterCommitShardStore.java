package io.lowkiq.autoconfigure;

import java.util.List;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;

/**
 * The store of a client that enqueues after the commit. A push within a transaction is
 * kept until its commit and dropped on rollback; any other is handed on at once. The
 * client has checked and encoded the payloads before, so that bad input is told at once
 * and what a caller changes afterwards in a payload makes no difference.
 */
class AfterCommitShardStore implements ShardStore {

	private final ShardStore store;

	AfterCommitShardStore(ShardStore store) {
		this.store = store;
	}

	@Override
	public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.isActualTransactionActive()) {
			return this.store.push(shard, pushes);
		}
		pending().add(shard, pushes);
		return new EnqueueResult(0, 0);
	}

	private PendingPushes pending() {
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof PendingPushes pending && pending.isOf(this.store)) {
				return pending;
			}
		}
		PendingPushes pending = new PendingPushes(this.store);
		TransactionSynchronizationManager.registerSynchronization(pending);
		return pending;
	}

	@Override
	public Acquisition acquire(Shard shard, Claim claim) {
		return this.store.acquire(shard, claim);
	}

	@Override
	public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
		return this.store.turn(lease, sequence, outcomes, fetch);
	}

	@Override
	public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
		return this.store.release(lease, sequence, outcomes);
	}

	@Override
	public void runAttached(int threads, Runnable task) {
		this.store.runAttached(threads, task);
	}

}
