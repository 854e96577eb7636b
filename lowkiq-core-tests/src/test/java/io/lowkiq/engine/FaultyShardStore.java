package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.testing.ForwardingShardStore;

/**
 * A store that fails as a network does: a call is lost, its answer is lost, or it is
 * applied long after the caller gave it up. Enqueuing doesn't fail.
 */
class FaultyShardStore extends ForwardingShardStore {

	private final Random random;

	private final int onePerCalls;

	/** Calls under way that arrive late; guarded by the monitor. */
	private final List<Runnable> late = new ArrayList<>();

	private volatile boolean failing;

	private volatile boolean away;

	/** Whose next fetch is answered and then forgotten. */
	private final Set<Shard> forgetting = ConcurrentHashMap.newKeySet();

	/** Of which no call is answered. */
	private final Set<Shard> silent = ConcurrentHashMap.newKeySet();

	FaultyShardStore(ShardStore store) {
		this(store, 0, 1);
	}

	/** A store that fails from the beginning, three times per so many calls. */
	FaultyShardStore(ShardStore store, long seed, int onePerCalls) {
		super(store);
		this.random = new Random(seed);
		this.onePerCalls = onePerCalls;
		this.failing = onePerCalls > 1;
	}

	/** From now on all calls succeed. */
	void heal() {
		this.failing = false;
		this.away = false;
		this.silent.clear();
	}

	/** From now on no call arrives. */
	void goAway() {
		this.away = true;
	}

	/** The next fetch of a shard is answered, and then forgotten, as by a failover. */
	void forgetFetch(Shard shard) {
		this.forgetting.add(shard);
	}

	/** From now on calls about a shard are applied and never answered. */
	void beSilentAbout(Shard shard) {
		this.silent.add(shard);
	}

	private synchronized int draw(int bound) {
		return this.random.nextInt(bound);
	}

	private <T> CompletableFuture<T> call(Shard shard, Supplier<CompletableFuture<T>> call) {
		if (this.silent.contains(shard)) {
			CompletableFuture<T> unheard = call.get();
			return unheard.thenCompose((answer) -> new CompletableFuture<>());
		}
		if (this.away) {
			return failed("away");
		}
		if (!this.failing) {
			return call.get();
		}
		arriveLate();
		return switch (draw(this.onePerCalls)) {
			case 0 -> failed("lost before it was applied");
			case 1 -> call.get().thenCompose((lost) -> failed("lost after it was applied: " + lost));
			case 2 -> {
				synchronized (this) {
					// Nobody waits for it, and least of all a thread of the network
					this.late.add(() -> {
						CompletableFuture<T> unused = call.get();
					});
				}
				yield failed("lost, and applied later");
			}
			default -> call.get();
		};
	}

	private static <T> CompletableFuture<T> failed(String message) {
		return CompletableFuture.failedFuture(new StoreException(message, null));
	}

	private void arriveLate() {
		Runnable arriving = () -> {
		};
		synchronized (this) {
			if (!this.late.isEmpty() && this.random.nextInt(4) == 0) {
				arriving = this.late.remove(this.random.nextInt(this.late.size()));
			}
		}
		arriving.run();
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
		return call(shard, () -> this.store.acquire(shard, request));
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		if (this.forgetting.remove(lease.shard())) {
			return CompletableFuture
				.completedFuture(new FetchResult.Fetched(List.of(), FetchResult.NOTHING, FetchResult.NOTHING, 0, 0));
		}
		return call(lease.shard(), () -> this.store.completeAndFetch(lease, sequence, busy, outcomes, fetch));
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		return call(lease.shard(), () -> this.store.release(lease, sequence, outcomes));
	}

}
