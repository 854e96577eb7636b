package io.lowkiq.memory;

import java.util.List;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;

/**
 * The atomic steps of producers and owners.
 */
final class MemoryShardStore implements ShardStore {

	private final MemoryShards shards;

	MemoryShardStore(MemoryShards shards) {
		this.shards = shards;
	}

	@Override
	public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
		return this.shards.step(shard, (memory, now) -> {
			if (pushes.size() == 1) {
				boolean heard = this.shards.isHeard(memory.lease());
				boolean merged = heard ? memory.handOverOrPush(pushes.get(0), now) : memory.push(pushes.get(0), now);
				return new EnqueueResult(merged ? 1 : 0, now.millis());
			}
			int merged = 0;
			for (NewPayload push : pushes) {
				merged += memory.push(push, now) ? 1 : 0;
			}
			return new EnqueueResult(merged, now.millis());
		});
	}

	@Override
	public Acquisition acquire(Shard shard, Claim claim) {
		return this.shards.step(shard, (memory, now) -> acquire(memory, claim, now.millis()));
	}

	private static Acquisition acquire(MemoryShard shard, Claim claim, long now) {
		MemoryLease lease = shard.lease();
		if (!lease.isOpenTo(claim)) {
			return new Acquisition.Held(String.valueOf(lease.session()), lease.epoch());
		}
		boolean kept = lease.hasNotSeenCallOf(claim);
		int restored = kept ? 0 : shard.restore(lease.isCrashOf(claim), now);
		return new Acquisition.Acquired(lease.give(claim.session(), now), restored, kept, shard.next(),
				shard.nextSuspect(), now);
	}

	@Override
	public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
		return this.shards.step(lease.shard(),
				(memory, now) -> turn(memory, lease, sequence, outcomes, fetch, now.millis()));
	}

	private static FetchResult turn(MemoryShard shard, Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch,
			long now) {
		if (!shard.lease().isCurrent(lease)) {
			return new FetchResult.Fenced();
		}
		HandOver handOver = shard.lease().handOverBefore(sequence);
		if (handOver != null && outcomes.isEmpty() && fetch.jobs() > 0) {
			return new FetchResult.HandedOver(new HandOver(handOver.epoch(), handOver.after(), handOver.sequence(),
					handOver.job(), shard.next(), now));
		}
		if (!shard.lease().step(sequence)) {
			return new FetchResult.OutOfStep();
		}
		int buried = outcomes.stream().mapToInt((outcome) -> shard.apply(outcome, now)).sum();
		List<FetchedJob> jobs = shard.fetch(fetch, now);
		if (jobs.isEmpty() && fetch.jobs() > 0) {
			shard.lease().waitUntil(shard.next(), fetch.handOver());
		}
		else {
			shard.lease().stopWaiting();
		}
		return new FetchResult.Fetched(jobs, shard.next(), shard.nextSuspect(), now, buried);
	}

	@Override
	public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
		return this.shards.step(lease.shard(), (memory, now) -> release(memory, lease, sequence, outcomes, now));
	}

	private static boolean release(MemoryShard shard, Lease lease, long sequence, List<Outcome> outcomes,
			StoreTime now) {
		if (!shard.lease().isCurrent(lease) || !shard.lease().advance(sequence)) {
			return false;
		}
		outcomes.forEach((outcome) -> shard.apply(outcome, now.millis()));
		shard.restore(false, now.millis());
		shard.lease().free();
		return true;
	}

}
