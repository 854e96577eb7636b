package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Drives a storage with random operations on one shard, as producers, owners who crash
 * and come back, and people would: few ids and few payloads, so that everything meets
 * everything. The same seed makes the same operations as long as the answers are the
 * same.
 */
final class RandomRun {

	/**
	 * Where the operations go.
	 */
	interface Steps {

		/**
		 * Makes an operation.
		 * @param <T> the type of its answer
		 * @param description what it is
		 * @param operation the operation
		 * @return the answer
		 */
		<T> T step(String description, Function<TestedStore, T> operation);

		/**
		 * Looks at the whole state.
		 */
		void check();

	}

	/**
	 * What is pushed.
	 */
	enum Pushes {

		/** Payloads with scores, times and delays of all kinds. */
		OF_ALL_KINDS,

		/**
		 * Mostly payloads without any, as most applications push them, in larger calls.
		 */
		MOSTLY_PLAIN

	}

	private static final int CHECK_EVERY = 10;

	private static final List<String> IDS = List.of("a", "b", "c", "d", "e\u0000", "\uFFFD", "\uD83D\uDE00");

	private final Shard shard = StoreContract.SHARD;

	private final Random random;

	private final MovableClock clock;

	private final Steps steps;

	private final boolean listening;

	private final Pushes pushes;

	private final Set<String> listeners = new HashSet<>();

	private final List<WakeUps.Subscription> subscriptions = new ArrayList<>();

	private int sessions;

	private @Nullable Lease lease;

	private @Nullable Lease stale;

	private long sequence;

	/** What is busy, as the answers told. */
	private List<FetchedJob> busy = List.of();

	/**
	 * A run.
	 * @param seed the seed of the operations
	 * @param clock the clock of the storages
	 * @param steps where the operations go
	 * @param listening whether owners listen for messages, so that jobs are handed over
	 * @param pushes what is pushed
	 */
	RandomRun(long seed, MovableClock clock, Steps steps, boolean listening, Pushes pushes) {
		this.pushes = pushes;
		this.listening = listening;
		this.random = new Random(seed);
		this.clock = clock;
		this.steps = steps;
	}

	/**
	 * The seed of this JVM's runs.
	 * @return the system property {@code lowkiq.test.seed}, or a new one
	 */
	static long seed() {
		Long given = Long.getLong("lowkiq.test.seed");
		return (given != null) ? given : System.nanoTime();
	}

	/**
	 * The number of operations of a run.
	 * @param otherwise the number to take if none is given
	 * @return the system property {@code lowkiq.test.operations}, or the other number
	 */
	static int operations(int otherwise) {
		return Integer.getInteger("lowkiq.test.operations", otherwise);
	}

	void run(int operations) {
		try {
			for (int i = 1; i <= operations; i++) {
				next();
				if (i % CHECK_EVERY == 0) {
					this.steps.check();
				}
			}
			this.steps.check();
		}
		finally {
			this.subscriptions.forEach(WakeUps.Subscription::close);
		}
	}

	private void next() {
		int dice = this.random.nextInt(100);
		if (dice < 30) {
			push();
		}
		else if (dice < 42) {
			moveClock();
		}
		else if (dice < 54) {
			act();
		}
		else if (this.lease == null) {
			acquire(Claim.free(newSession()));
		}
		else if (dice < 56) {
			pushWhileTheOwnerWaits(this.lease);
		}
		else if (dice < 90) {
			turn(this.lease);
		}
		else {
			trouble(this.lease);
		}
	}

	private String newSession() {
		this.sessions++;
		return "session-" + this.sessions;
	}

	private void push() {
		List<NewPayload> pushes = new ArrayList<>();
		boolean plain = this.pushes == Pushes.MOSTLY_PLAIN && this.random.nextInt(40) > 0;
		if (plain) {
			this.clock.advance(Duration.ofNanos(this.random.nextInt(3_000_000)));
		}
		for (int i = this.random.nextInt(plain ? 30 : 4); i >= 0; i--) {
			if (plain) {
				String id = (this.random.nextInt(3) == 0) ? id() : "plain " + this.random.nextInt(200);
				pushes.add(NewPayload.of(id, StoreContract.bytes("p" + this.random.nextInt(6))));
				continue;
			}
			NewPayload push = NewPayload.of(id(), StoreContract.bytes("p" + this.random.nextInt(6)));
			switch (this.random.nextInt(5)) {
				case 0 -> push = push.withScore(this.random.nextInt(5));
				case 1 -> push = push.withScore(this.clock.millis() + this.random.nextInt(100));
				default -> {
				}
			}
			switch (this.random.nextInt(5)) {
				case 0 -> push = push.withPerformAt(this.clock.millis() - 20 + this.random.nextInt(60));
				case 1 -> push = push.withDelay(Duration.ofMillis(this.random.nextInt(40)));
				default -> {
				}
			}
			pushes.add(push);
		}
		this.steps.step("push " + pushes.stream().map(RandomRun::text).toList(),
				(store) -> store.shardStore().push(this.shard, pushes));
	}

	private static String text(NewPayload push) {
		return "%s=%s score %s performAt %s delay %d".formatted(push.id(),
				new String(push.payload(), StandardCharsets.UTF_8), push.score(), push.performAt(), push.delay());
	}

	private void moveClock() {
		int dice = this.random.nextInt(100);
		if (dice < 30) {
			this.clock.advance(Duration.ofNanos(this.random.nextInt(3_000_000)));
		}
		else if (dice < 95) {
			this.clock.advanceMillis(this.random.nextInt(25));
		}
		else {
			this.clock.goBackMillis(this.random.nextInt(60));
		}
	}

	private void acquire(Claim claim) {
		Acquisition answer = this.steps.step("acquire " + claim,
				(store) -> store.shardStore().acquire(this.shard, claim));
		if (answer instanceof Acquisition.Acquired acquired) {
			this.stale = this.lease;
			this.lease = acquired.lease();
			this.sequence = 0;
			this.busy = acquired.kept() ? this.busy : List.of();
		}
	}

	/**
	 * Finishes what is due, and pushes a payload that is handed over, if nothing hinders
	 * it.
	 * @param current the current lease
	 */
	private void pushWhileTheOwnerWaits(Lease current) {
		pause(false);
		if (this.listening && this.listeners.add(current.session())) {
			listen(current.session());
		}
		do {
			List<Outcome> done = this.busy.stream().map((job) -> (Outcome) new Outcome.Done(job.id())).toList();
			turn(current, done, new Fetch(4, 1_000, true, true));
		}
		while (this.lease == current && !this.busy.isEmpty());
		NewPayload push = NewPayload.of(id(), StoreContract.bytes("p" + this.random.nextInt(6)));
		this.steps.step("push " + text(push), (store) -> store.shardStore().push(this.shard, List.of(push)));
	}

	/** From now on jobs are handed over; the owner's calls find out. */
	private void listen(String session) {
		this.steps.step("listen " + session, (store) -> {
			ConnectionLatch latch = new ConnectionLatch();
			this.subscriptions.add(store.wakeUps().subscribe(session, latch));
			return latch.await();
		});
	}

	private void turn(Lease current) {
		List<Outcome> outcomes = outcomes();
		int most = (this.pushes == Pushes.MOSTLY_PLAIN) ? 25 : 5;
		Fetch fetch = new Fetch(this.random.nextInt(most),
				this.random.nextBoolean() ? 1_000 : 1 + this.random.nextInt(3), this.random.nextBoolean(),
				this.random.nextInt(4) > 0);
		turn(current, outcomes, fetch);
	}

	private void turn(Lease current, List<Outcome> outcomes, Fetch fetch) {
		this.sequence++;
		long number = this.sequence;
		FetchResult turn = this.steps.step("turn " + number + " " + outcomes + " " + fetch,
				(store) -> store.shardStore().turn(current, number, outcomes, fetch));
		if (turn instanceof FetchResult.Fetched applied) {
			List<FetchedJob> left = new ArrayList<>(this.busy);
			left.removeIf((job) -> outcomes.stream()
				.anyMatch((outcome) -> outcome.id().equals(job.id()) && !(outcome instanceof Outcome.Reject)));
			left.addAll(applied.jobs());
			this.busy = left;
		}
		else if (turn instanceof FetchResult.HandedOver handedOver) {
			this.sequence = handedOver.handOver().sequence();
			this.busy = List.of(handedOver.handOver().job());
		}
		else if (turn instanceof FetchResult.OutOfStep) {
			acquire(Claim.again(current, number));
		}
	}

	/**
	 * Outcomes of most busy jobs. One that was rejected before has none of its payloads
	 * rejected again.
	 * @return the outcomes
	 */
	private List<Outcome> outcomes() {
		List<Outcome> outcomes = new ArrayList<>();
		if (this.pushes == Pushes.MOSTLY_PLAIN && this.random.nextInt(3) > 0) {
			this.busy.forEach((job) -> outcomes.add(new Outcome.Done(job.id())));
			return outcomes;
		}
		for (FetchedJob job : this.busy) {
			int dice = this.random.nextInt(20);
			if (dice == 0) {
				continue;
			}
			if (dice < 4) {
				List<Integer> places = places(job);
				outcomes.add(new Outcome.Reject(job.id(), places, "unreadable " + this.random.nextInt(100)));
			}
			outcomes.add(switch (this.random.nextInt(5)) {
				case 0 -> new Outcome.Bury(job.id(), "fatal " + this.random.nextInt(100));
				case 1, 2 ->
					new Outcome.Retry(job.id(), this.random.nextInt(40), "failure " + this.random.nextInt(100));
				default -> new Outcome.Done(job.id());
			});
		}
		if (this.random.nextInt(10) == 0) {
			outcomes.add(new Outcome.Retry(id(), 1, "perhaps not busy"));
		}
		return outcomes;
	}

	private List<Integer> places(FetchedJob job) {
		List<Integer> places = new ArrayList<>();
		for (int place = 0; place < job.payloads().size(); place++) {
			if (this.random.nextBoolean()) {
				places.add(place);
			}
		}
		return places.isEmpty() ? List.of(job.payloads().size() - 1) : places;
	}

	/**
	 * Crashes, lost answers, late calls, wrong claims and hand-overs.
	 * @param current the current lease
	 */
	private void trouble(Lease current) {
		switch (this.random.nextInt(8)) {
			case 0, 1 -> acquire(Claim.crashed(newSession(), current.session()));
			case 2 -> acquire(Claim.lapsed(newSession(), current.session()));
			case 3 -> acquire(Claim.again((this.stale != null && this.random.nextInt(4) == 0) ? this.stale : current,
					this.sequence + this.random.nextInt(2)));
			case 4 -> acquire(
					this.random.nextBoolean() ? Claim.free(current.session()) : Claim.crashed(newSession(), "nobody"));
			case 5 -> release(current);
			case 6 -> late(current, this.sequence + (this.random.nextBoolean() ? 2 : -this.random.nextInt(2)));
			default -> late((this.stale != null) ? this.stale : new Lease(this.shard, "nobody", current.epoch()),
					this.sequence + 5);
		}
	}

	private void release(Lease current) {
		List<Outcome> outcomes = outcomes();
		this.sequence++;
		long number = this.sequence;
		this.steps.step("release " + number + " " + outcomes,
				(store) -> store.shardStore().release(current, number, outcomes));
		this.stale = current;
		this.lease = null;
		this.busy = List.of();
	}

	/**
	 * A call that must change nothing: of a lease that is not current, or with a number
	 * that was applied or is not the next one.
	 * @param of the lease
	 * @param number the sequence number
	 */
	private void late(Lease of, long number) {
		List<Outcome> outcomes = outcomes();
		this.steps.step("late turn " + of + " " + number + " " + outcomes,
				(store) -> store.shardStore().turn(of, number, outcomes, new Fetch(3, 10, true)));
	}

	private void act() {
		int limit = 1 + this.random.nextInt(3);
		List<String> ids = this.random.ints(3, 0, IDS.size()).mapToObj(IDS::get).distinct().toList();
		long before = this.clock.millis() + 1 - this.random.nextInt(20);
		switch (this.random.nextInt(12)) {
			case 0 -> all("performAllNow " + limit, (store) -> store.actions().performAllNow(this.shard, limit));
			case 1 -> all("killAllFailed " + limit, (store) -> store.actions().killAllFailed(this.shard, limit));
			case 2 -> all("deleteAllFailed " + limit, (store) -> store.actions().deleteAllFailed(this.shard, limit));
			case 3 -> all("reviveAll " + limit + " before " + before,
					(store) -> store.actions().reviveAll(this.shard, limit, before));
			case 4 -> all("deleteAllDead " + limit + " before " + before,
					(store) -> store.actions().deleteAllDead(this.shard, limit, before));
			case 5, 6 -> this.steps.step("performNow " + ids, (store) -> store.actions().performNow(this.shard, ids));
			case 7 -> this.steps.step("delete " + ids, (store) -> store.actions().delete(this.shard, ids));
			case 8, 9 -> this.steps.step("revive " + ids, (store) -> store.actions().revive(this.shard, ids));
			case 10 -> this.steps.step("deleteDead " + ids, (store) -> store.actions().deleteDead(this.shard, ids));
			default -> pause(this.random.nextInt(3) == 0);
		}
	}

	private void pause(boolean paused) {
		this.steps.step("pause " + paused, (store) -> {
			store.actions().pause(this.shard, paused);
			return paused;
		});
	}

	/**
	 * Repeats a step until there is no more to do: which jobs each step takes is open.
	 * @param description what it is
	 * @param action the action
	 */
	private void all(String description, Function<TestedStore, ShardActions.Step> action) {
		this.steps.step(description, (store) -> {
			int changed = 0;
			ShardActions.Step step;
			do {
				step = action.apply(store);
				changed += step.changed();
			}
			while (step.more());
			return changed;
		});
	}

	private String id() {
		return IDS.get(this.random.nextInt(IDS.size()));
	}

}
