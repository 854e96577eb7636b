package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobView.State;

/**
 * Operations on jobs that have thousands of others before and behind them, after which
 * all is performed.
 */
final class DeepLine {

	/** More than a storage would look through, from either end. */
	private static final int OTHERS = 4_500;

	private static final int OPERATIONS = 150;

	private static final List<String> IDS = List.of("a", "b", "c", "d", "e", "f\u0000", "\uD83D\uDE00");

	private final Shard shard = StoreContract.SHARD;

	private final Random random;

	private final MovableClock clock;

	private final RandomRun.Steps steps;

	private Lease lease = new Lease(this.shard, "nobody", 0);

	private long sequence;

	private List<FetchedJob> busy = List.of();

	DeepLine(long seed, MovableClock clock, RandomRun.Steps steps) {
		this.random = new Random(seed);
		this.clock = clock;
		this.steps = steps;
	}

	void run(int rounds) {
		for (int round = 0; round < rounds; round++) {
			Acquisition answer = this.steps.step("acquire",
					(store) -> store.shardStore().acquire(this.shard, Claim.free("owner")));
			this.lease = ((Acquisition.Acquired) answer).lease();
			this.sequence = 0;
			IDS.forEach((id) -> push(NewPayload.of(id, payload())));
			turn(List.of(), 1 + this.random.nextInt(IDS.size()));
			others(round + " before ");
			IDS.stream().filter((id) -> this.random.nextInt(4) > 0).forEach((id) -> push(NewPayload.of(id, payload())));
			others(round + " behind ");
			for (int i = 0; i < OPERATIONS; i++) {
				next();
			}
			do {
				turn(this.busy.stream().map((job) -> (Outcome) new Outcome.Done(job.id())).toList(), 1_000);
			}
			while (!this.busy.isEmpty());
			this.steps.check();
		}
	}

	private byte[] payload() {
		return StoreContract.bytes("p" + this.random.nextInt(4));
	}

	private String id() {
		return IDS.get(this.random.nextInt(IDS.size()));
	}

	private void push(NewPayload... pushes) {
		this.clock.advance(Duration.ofNanos(1_000 + this.random.nextInt(1_000_000)));
		this.steps.step("push " + List.of(pushes).stream().map(NewPayload::id).toList(),
				(store) -> store.shardStore().push(this.shard, List.of(pushes)));
	}

	private void others(String name) {
		push(IntStream.range(0, OTHERS)
			.mapToObj((i) -> NewPayload.of(name + i, StoreContract.bytes("x" + i)))
			.toArray(NewPayload[]::new));
	}

	private void next() {
		String id = id();
		switch (this.random.nextInt(12)) {
			case 0, 1, 2, 3 -> push(NewPayload.of(id, payload()));
			case 4 -> push(NewPayload.of(id, payload()), NewPayload.of(id(), payload()), NewPayload.of(id, payload()));
			case 5 -> push(NewPayload.of(id, payload())
				.withScore((this.random.nextInt(4) == 0) ? this.clock.millis() + 2 : this.random.nextInt(5)));
			case 6 -> push(NewPayload.of(id, payload()).withDelay(Duration.ofMillis(this.random.nextInt(3))));
			case 7 -> this.steps.step("delete " + id, (store) -> store.actions().delete(this.shard, List.of(id)));
			case 8 -> this.steps.step("revive " + id, (store) -> store.actions().revive(this.shard, List.of(id)));
			case 9 -> outcome();
			default -> look(id, this.random.nextInt(4));
		}
	}

	private void look(String id, int payloads) {
		for (State state : State.values()) {
			this.steps.step("find " + state + " " + id,
					(store) -> store.inspection().find(this.shard, state, id, payloads));
		}
		this.steps.step("counts", (store) -> store.inspection().counts(this.shard));
	}

	/** Tells that a busy job has failed, so that it meets the one that is queued. */
	private void outcome() {
		if (this.busy.isEmpty()) {
			return;
		}
		String id = this.busy.get(0).id();
		Outcome outcome = switch (this.random.nextInt(3)) {
			case 0 -> new Outcome.Bury(id, "fatal");
			case 1 -> new Outcome.Retry(id, this.random.nextInt(3), "failure");
			default -> new Outcome.Done(id);
		};
		turn(List.of(outcome), 0);
	}

	private void turn(List<Outcome> outcomes, int jobs) {
		this.clock.advanceMillis(1);
		this.sequence++;
		long number = this.sequence;
		Fetch fetch = new Fetch(jobs, 1_000, false);
		FetchResult turn = this.steps.step("turn " + number + " with " + outcomes.size() + " outcomes, " + fetch,
				(store) -> store.shardStore().turn(this.lease, number, outcomes, fetch));
		List<FetchedJob> left = new ArrayList<>(this.busy);
		left.removeIf((job) -> outcomes.stream().anyMatch((outcome) -> outcome.id().equals(job.id())));
		left.addAll(((FetchResult.Fetched) turn).jobs());
		this.busy = left;
	}

}
