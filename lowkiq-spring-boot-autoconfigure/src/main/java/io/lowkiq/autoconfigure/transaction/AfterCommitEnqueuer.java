package io.lowkiq.autoconfigure.transaction;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.client.Enqueuer;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.job.NewPayload;

/** Keeps what is enqueued in a transaction until its commit, and drops it on rollback. */
public final class AfterCommitEnqueuer implements Enqueuer, TransactionTarget {

	private final StoreEnqueuer direct;

	private final NonBlockingThreads nonBlockingThreads = new NonBlockingThreads();

	public AfterCommitEnqueuer(StoreEnqueuer direct) {
		this.direct = direct;
	}

	@Override
	public void enqueue(String queue, List<NewPayload> payloads) {
		if (!TransactionJobs.isInTransaction()) {
			this.nonBlockingThreads.check();
			this.direct.enqueue(queue, payloads);
			return;
		}
		CompletableFuture<?> unused = keep(queue, payloads);
	}

	@Override
	public CompletableFuture<Void> enqueueAsync(String queue, List<NewPayload> payloads) {
		return TransactionJobs.isInTransaction() ? keep(queue, payloads) : this.direct.enqueueAsync(queue, payloads);
	}

	private CompletableFuture<Void> keep(String queue, List<NewPayload> payloads) {
		this.direct.check(queue);
		return TransactionJobs.add(this, queue, payloads);
	}

	@Override
	public CompletableFuture<Void> afterCommit(String queue, List<NewPayload> payloads) {
		this.direct.enqueue(queue, payloads);
		return CompletableFuture.completedFuture(null);
	}

}
