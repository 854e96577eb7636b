package io.lowkiq.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingShardStore;

/** Notes the calls of a store, which are made on other threads, as by a network. */
class ObservedShardStore extends ForwardingShardStore {

	private final Executor executor;

	/** The outcomes that were sent, in the order of their calls. */
	final List<Outcome> outcomes = new CopyOnWriteArrayList<>();

	/** The requests of all calls of {@code acquire}. */
	final List<LeaseRequest> requests = new CopyOnWriteArrayList<>();

	ObservedShardStore(ShardStore store) {
		this(store, Runnable::run);
	}

	ObservedShardStore(ShardStore store, Executor executor) {
		super(store);
		this.executor = executor;
	}

	private <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> call) {
		return CompletableFuture.supplyAsync(call, this.executor).thenCompose((answer) -> answer);
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
		this.requests.add(request);
		return call(() -> this.store.acquire(shard, request));
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> sent,
			Fetch fetch) {
		this.outcomes.addAll(sent);
		return call(() -> this.store.completeAndFetch(lease, sequence, busy, sent, fetch));
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> sent) {
		this.outcomes.addAll(sent);
		return call(() -> this.store.release(lease, sequence, sent));
	}

}
