package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;

/**
 * A store that fails as a network does: a call is lost, its answer is lost, or it is
 * applied long after the caller gave it up.
 */
class FaultyShardStore implements ShardStore {

	private final ShardStore store;

	private final Random random;

	private final int onePerCalls;

	/** Calls under way that arrive late; guarded by the monitor. */
	private final List<Supplier<?>> late = new ArrayList<>();

	private volatile boolean failing = true;

	private volatile boolean away;

	/** Of which the next turn is answered and then forgotten. */
	private final Set<Shard> forgetting = ConcurrentHashMap.newKeySet();

	FaultyShardStore(ShardStore store, long seed, int onePerCalls) {
		this.store = store;
		this.random = new Random(seed);
		this.onePerCalls = onePerCalls;
	}

	/** From now on all calls succeed. */
	void heal() {
		this.failing = false;
		this.away = false;
	}

	/** From now on no call arrives. */
	void goAway() {
		this.away = true;
	}

	/** The next turn of a shard is answered, and then forgotten, as by a failover. */
	void forgetTurn(Shard shard) {
		this.forgetting.add(shard);
	}

	private synchronized int draw(int bound) {
		return this.random.nextInt(bound);
	}

	private <T> T call(Supplier<T> call) {
		if (this.away) {
			throw new StoreException("away", null);
		}
		if (!this.failing) {
			return call.get();
		}
		arriveLate();
		return switch (draw(this.onePerCalls)) {
			case 0 -> throw new StoreException("lost before it was applied", null);
			case 1 -> {
				T lost = call.get();
				throw new StoreException("lost after it was applied: " + lost, null);
			}
			case 2 -> {
				synchronized (this) {
					this.late.add(call);
				}
				throw new StoreException("lost, and applied later", null);
			}
			default -> call.get();
		};
	}

	private void arriveLate() {
		Supplier<?> arriving = () -> "nothing";
		synchronized (this) {
			if (!this.late.isEmpty() && this.random.nextInt(4) == 0) {
				arriving = this.late.remove(this.random.nextInt(this.late.size()));
			}
		}
		Object unused = arriving.get();
	}

	@Override
	public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
		return this.store.push(shard, pushes);
	}

	@Override
	public Acquisition acquire(Shard shard, Claim claim) {
		return call(() -> this.store.acquire(shard, claim));
	}

	@Override
	public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
		if (this.forgetting.remove(lease.shard())) {
			return new FetchResult.Fetched(List.of(), FetchResult.NOTHING, FetchResult.NOTHING, 0, 0);
		}
		return call(() -> this.store.turn(lease, sequence, outcomes, fetch));
	}

	@Override
	public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
		return call(() -> this.store.release(lease, sequence, outcomes));
	}

}
