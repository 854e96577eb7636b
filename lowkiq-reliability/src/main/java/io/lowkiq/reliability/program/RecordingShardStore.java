package io.lowkiq.reliability.program;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.HistoryWriter;
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
 * Writes down which leases a node gets, and what it tells the store. Thread-safe.
 */
final class RecordingShardStore implements ShardStore {

	private final ShardStore store;

	private final HistoryWriter history;

	private final AtomicLong calls = new AtomicLong();

	RecordingShardStore(ShardStore store, HistoryWriter history) {
		this.store = store;
		this.history = history;
	}

	@Override
	public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
		return this.store.push(shard, pushes);
	}

	@Override
	public Acquisition acquire(Shard shard, Claim claim) {
		Acquisition answer = this.store.acquire(shard, claim);
		if (answer instanceof Acquisition.Acquired acquired) {
			this.history.write(new Event.LeaseAcquired(System.nanoTime(), shard, acquired.lease().session(),
					acquired.lease().epoch(), acquired.restored()));
		}
		return answer;
	}

	@Override
	public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
		long call = called(lease, outcomes, false);
		FetchResult answer = this.store.turn(lease, sequence, outcomes, fetch);
		this.history.write(new Event.TurnReturned(System.nanoTime(), call, answer instanceof FetchResult.Fetched));
		return answer;
	}

	@Override
	public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
		long call = called(lease, outcomes, true);
		boolean current = this.store.release(lease, sequence, outcomes);
		this.history.write(new Event.TurnReturned(System.nanoTime(), call, current));
		return current;
	}

	@Override
	public void runAttached(int threads, Runnable task) {
		this.store.runAttached(threads, task);
	}

	private long called(Lease lease, List<Outcome> outcomes, boolean release) {
		long call = this.calls.incrementAndGet();
		List<String> settled = outcomes.stream()
			.filter((outcome) -> !(outcome instanceof Outcome.Reject))
			.map(Outcome::id)
			.toList();
		this.history
			.write(new Event.TurnCalled(System.nanoTime(), call, lease.shard(), lease.epoch(), release, settled));
		return call;
	}

}
