package io.lowkiq.memory;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoredFollowUp;

/**
 * The atomic steps of producers and owners. They are made on the caller's thread, before
 * the future is returned.
 */
final class MemoryShardStore implements ShardStore {

	private final MemoryShards shards;

	MemoryShardStore(MemoryShards shards) {
		this.shards = shards;
	}

	@Override
	public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
		return this.shards.step(shard, (memory, now) -> {
			if (memory.isClosed()) {
				throw new QueueClosedException(shard.queue());
			}
			return new EnqueueResult(memory.enqueue(payloads, now), now.millis());
		});
	}

	@Override
	public boolean isQueued(Shard shard, String id) {
		return this.shards.step(shard, (memory, now) -> memory.queue().find(id) != null);
	}

	@Override
	public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest claim) {
		return CompletableFuture.completedFuture(this.shards.step(shard, (memory, now) -> acquire(memory, claim, now)));
	}

	private static Acquisition acquire(MemoryShard shard, LeaseRequest claim, StoreTime time) {
		long now = time.millis();
		MemoryLease lease = shard.lease();
		if (!lease.isOpenTo(claim)) {
			return new Acquisition.Held(String.valueOf(lease.session()), lease.epoch());
		}
		boolean kept = lease.hasNotSeenCallOf(claim);
		shard.gathering(claim.gathering());
		shard.open();
		int restored = kept ? 0 : shard.restore(lease.isCrashOf(claim), now);
		return new Acquisition.Acquired(lease.give(claim.session(), claim.epoch(), time), restored, kept,
				shard.next(now), shard.nextSuspect(), now,
				shard.followUps().isEmpty() ? 0 : shard.followUps().lastKey());
	}

	@Override
	public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy, List<Outcome> outcomes,
			Fetch fetch) {
		return CompletableFuture.completedFuture(this.shards.step(lease.shard(),
				(memory, now) -> completeAndFetch(memory, lease, sequence, busy, outcomes, fetch, now.millis())));
	}

	private static FetchResult completeAndFetch(MemoryShard shard, Lease lease, long sequence, int busy,
			List<Outcome> outcomes, Fetch fetch, long now) {
		if (!shard.lease().isCurrent(lease)) {
			return new FetchResult.Fenced();
		}
		if (!shard.lease().isNext(sequence) || shard.busy().size() != busy) {
			return new FetchResult.OutOfStep();
		}
		shard.lease().step();
		return shard.completeAndFetch(outcomes, fetch, now);
	}

	@Override
	public List<StoredFollowUp> moveFollowUps(Lease lease, Collection<Long> enqueued, long after) {
		return this.shards.step(lease.shard(), (memory, now) -> {
			if (!memory.lease().isCurrent(lease)) {
				return List.of();
			}
			List<StoredFollowUp> next = memory.followUps()
				.tailMap(after, false)
				.values()
				.stream()
				.limit(MAX_FOLLOW_UPS)
				.toList();
			memory.followUps().keySet().removeAll(enqueued);
			return next;
		});
	}

	@Override
	public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
		return CompletableFuture.completedFuture(this.shards.step(lease.shard(), (memory, now) -> {
			if (!memory.lease().isCurrent(lease) || !memory.lease().isNew(sequence)) {
				return false;
			}
			memory.apply(outcomes, now.millis());
			memory.restore(false, now.millis());
			memory.lease().free();
			return true;
		}));
	}

}
