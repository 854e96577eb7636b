package io.lowkiq.store;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A session that processes a shard, and counts its calls.
 */
final class TestOwner {

	private final ShardStore store;

	private final Shard shard;

	private final String session;

	private Lease lease;

	private long sequence;

	TestOwner(ShardStore store, Shard shard, String session) {
		this.store = store;
		this.shard = shard;
		this.session = session;
		this.lease = new Lease(shard, session, 0);
	}

	Acquisition acquire(Claim claim) {
		Acquisition acquisition = this.store.acquire(this.shard, claim);
		if (acquisition instanceof Acquisition.Acquired acquired) {
			this.lease = acquired.lease();
			this.sequence = 0;
		}
		return acquisition;
	}

	Acquisition.Acquired again(long uncertain) {
		return (Acquisition.Acquired) acquire(Claim.again(this.lease, uncertain));
	}

	Lease lease() {
		return this.lease;
	}

	long lastSequence() {
		return this.sequence;
	}

	/** Goes on after a step that the store took for it. */
	void goOn(HandOver handOver) {
		assertThat(handOver.after()).isGreaterThanOrEqualTo(this.sequence - 1);
		this.sequence = handOver.sequence();
	}

	/** Counts a call that the store does not know of. */
	void skip() {
		this.sequence++;
	}

	TestOwner copy() {
		TestOwner copy = new TestOwner(this.store, this.shard, this.session);
		copy.lease = this.lease;
		copy.sequence = this.sequence;
		return copy;
	}

	FetchResult turn(List<Outcome> outcomes, Fetch fetch) {
		return this.store.turn(this.lease, ++this.sequence, outcomes, fetch);
	}

	FetchResult.Fetched applied(List<Outcome> outcomes, Fetch fetch) {
		FetchResult turn = turn(outcomes, fetch);
		assertThat(turn).isInstanceOf(FetchResult.Fetched.class);
		return (FetchResult.Fetched) turn;
	}

	FetchResult.Fetched fetch(int jobs) {
		return fetch(jobs, 1_000);
	}

	FetchResult.Fetched fetch(int jobs, int payloads) {
		return applied(List.of(), new Fetch(jobs, payloads, false));
	}

	FetchResult.Fetched fetchSuspect() {
		return applied(List.of(), new Fetch(10, 1_000, true));
	}

	FetchResult.Fetched finish(Outcome... outcomes) {
		return applied(List.of(outcomes), Fetch.NONE);
	}

	FetchResult.Fetched finishAndFetch(Outcome outcome, int jobs) {
		return applied(List.of(outcome), new Fetch(jobs, 1_000, false));
	}

	boolean release(Outcome... outcomes) {
		return this.store.release(this.lease, ++this.sequence, List.of(outcomes));
	}

}
