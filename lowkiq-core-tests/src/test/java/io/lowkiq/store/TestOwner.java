package io.lowkiq.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/** A session that processes a shard. It counts its calls and its busy jobs. */
final class TestOwner {

	private final ShardStore store;

	private final Shard shard;

	private Lease lease;

	private long sequence;

	/** The number of payloads of each busy id. */
	private final Map<String, Integer> busy = new HashMap<>();

	TestOwner(ShardStore store, Shard shard, String session) {
		this.store = store;
		this.shard = shard;
		this.lease = new Lease(shard, session, 0);
	}

	Acquisition acquire(LeaseRequest request) {
		Acquisition acquisition = this.store.acquire(this.shard, request).join();
		if (acquisition instanceof Acquisition.Acquired acquired) {
			this.lease = acquired.lease();
			this.sequence = 0;
			if (!acquired.kept()) {
				this.busy.clear();
			}
		}
		return acquisition;
	}

	Acquisition.Acquired again(long uncertain) {
		return (Acquisition.Acquired) acquire(LeaseRequest.toRenew(this.lease, uncertain));
	}

	Lease lease() {
		return this.lease;
	}

	long lastSequence() {
		return this.sequence;
	}

	int busy() {
		return this.busy.size();
	}

	FetchResult call(List<Outcome> outcomes, Fetch fetch) {
		return call(this.sequence + 1, this.busy.size(), outcomes, fetch);
	}

	FetchResult call(long number, int busyCount, List<Outcome> outcomes, Fetch fetch) {
		FetchResult result = this.store.completeAndFetch(this.lease, number, busyCount, outcomes, fetch).join();
		if (result instanceof FetchResult.Fetched fetched) {
			this.sequence = number;
			outcomes.forEach(this::complete);
			fetched.jobs().forEach((job) -> this.busy.put(job.id(), job.payloads().size()));
		}
		return result;
	}

	private void complete(Outcome outcome) {
		if (outcome instanceof Outcome.FollowUp) {
			return;
		}
		int taken = (outcome instanceof Outcome.PartlyDone part) ? part.gone().size() + part.dead().size()
				: Integer.MAX_VALUE;
		this.busy.computeIfPresent(outcome.id(), (id, payloads) -> (payloads > taken) ? payloads - taken : null);
	}

	FetchResult.Fetched applied(List<Outcome> outcomes, Fetch fetch) {
		FetchResult result = call(outcomes, fetch);
		assertThat(result).isInstanceOf(FetchResult.Fetched.class);
		return (FetchResult.Fetched) result;
	}

	FetchResult.Fetched fetch(int jobs) {
		return fetch(jobs, 1_000);
	}

	FetchResult.Fetched fetch(int jobs, int payloads) {
		return applied(List.of(), new Fetch(jobs, payloads, false));
	}

	FetchedJob fetchOne() {
		return fetch(1).jobs().get(0);
	}

	FetchResult.Fetched fetchSuspect() {
		return applied(List.of(), new Fetch(10, 1_000, true));
	}

	FetchResult.Fetched complete(Outcome... outcomes) {
		return applied(List.of(outcomes), Fetch.NONE);
	}

	FetchResult.Fetched completeAndFetch(Outcome outcome, int jobs) {
		return applied(List.of(outcome), new Fetch(jobs, 1_000, false));
	}

	boolean release(Outcome... outcomes) {
		return this.store.release(this.lease, ++this.sequence, List.of(outcomes)).join();
	}

}
