package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.TraceParent;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.EnqueuedFollowUps;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.NextFollowUps;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Remembered;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.TracedProducer;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.NodeInfo;
import org.jspecify.annotations.Nullable;

import static io.lowkiq.testing.Outcomes.buried;

/**
 * Drives a storage with random operations on one shard, as producers, owners that crash
 * and come back, and people would: few ids and few payloads, so that everything meets
 * everything. Each operation has a random stream of its own, by the seed and its number,
 * so that a run without some of them still makes the others.
 */
final class RandomRun {

	/** Where the operations go. */
	interface Steps extends AutoCloseable {

		/** Makes an operation. */
		<T> T step(String description, Function<TestedStore, T> operation);

		/** Looks at the whole state. */
		void check();

		@Override
		void close();

	}

	/** What is enqueued. */
	enum Payloads {

		/**
		 * Few payloads a call for few ids, with scores, times and delays of all kinds.
		 */
		OF_ALL_KINDS,

		/**
		 * Many payloads a call for many ids, mostly plain ones, and floods of jobs that
		 * are deleted again.
		 */
		MANY,

		/**
		 * As of all kinds, for ids of groups that take turns, and floods of jobs of a
		 * group; owners have other separators, or none.
		 */
		IN_GROUPS

	}

	/** The sessions that hold the shard. */
	static final List<String> SESSIONS = List.of("session-0", "session-1", "session-2", "session-3");

	private static final Shard TARGET = new Shard("next", 1, 0);

	private static final int CHECK_EVERY = 10;

	private static final List<String> IDS = List.of("a", "b", "c", "d", "e\u0000", "\uFFFD", "\uD83D\uDE00");

	private static final List<String> GROUPS = List.of("x:", "y:", "y/", "");

	private static final List<String> NODES = List.of("node-0", "node-1", "node-2");

	private final Shard shard = StoreContract.SHARD;

	private final long seed;

	private final MovableClock clock;

	private final Steps steps;

	private final Payloads payloads;

	private final List<String> log = new ArrayList<>();

	private SplittableRandom random;

	private int done;

	private @Nullable Lease lease;

	private @Nullable Lease stale;

	private long sequence;

	private long lastFollowUp;

	/** The number of payloads of each busy id, as the answers say. */
	private final Map<String, Integer> busy = new LinkedHashMap<>();

	/** What separates the group of an id from the rest; empty for no groups. */
	private String separator = ":";

	private WaitingGroups waiting = WaitingGroups.NONE;

	/** How payloads gather, until a deploy with another policy. */
	private Gathering gathering;

	/** A run. */
	RandomRun(long seed, MovableClock clock, Steps steps, Payloads payloads) {
		this.seed = seed;
		this.clock = clock;
		this.steps = steps;
		this.payloads = payloads;
		this.random = new SplittableRandom(seed);
		this.gathering = gathering(seed);
	}

	/** Successive numbers are different policies. */
	private static Gathering gathering(long number) {
		Duration debounce = Duration.ofMillis(12);
		Duration zero = Duration.ZERO;
		Duration distance = Duration.ofMillis(20);
		return switch ((int) Math.floorMod(number, 4L)) {
			case 0 -> new Gathering(
					new GatheringPolicy(debounce, debounce.multipliedBy(2), distance, false, false, false), 3);
			case 1 -> Gathering.NONE;
			case 2 -> new Gathering(new GatheringPolicy(debounce, zero, zero, true, false, true), 4);
			default -> new Gathering(new GatheringPolicy(zero, zero, distance, false, true, true), 5);
		};
	}

	/** Makes operations. */
	void run(List<Integer> operations) {
		this.steps.step("know the shards", (store) -> {
			store.actions().pause(this.shard, false);
			store.actions().pause(TARGET, false);
			return 0;
		});
		for (int number : operations) {
			long ownSeed = new SplittableRandom(this.seed).nextLong() + number;
			this.random = new SplittableRandom(new SplittableRandom(ownSeed).nextLong());
			this.done++;
			next();
			if (this.done % CHECK_EVERY == 0) {
				this.steps.check();
			}
		}
		this.steps.check();
	}

	/** The number of operations that were made, with the one that failed. */
	int done() {
		return this.done;
	}

	/** What was done. */
	List<String> log() {
		return this.log;
	}

	private <T> T step(String description, Function<TestedStore, T> operation) {
		this.log.add(this.clock.millis() + " " + description);
		T answer = this.steps.step(description, operation);
		this.log.set(this.log.size() - 1, this.log.get(this.log.size() - 1) + "\n    -> " + answer);
		return answer;
	}

	private void next() {
		int dice = this.random.nextInt(100);
		if (dice < 28) {
			enqueue();
		}
		else if (dice < 38) {
			moveClock();
		}
		else if (dice < 49) {
			act();
		}
		else if (dice < 52) {
			look();
		}
		else if (dice < 55) {
			changeTheRegistry();
		}
		else if (this.lease == null) {
			acquire(LeaseRequest.forFreeShard(session()));
		}
		else if (dice < 90) {
			completeAndFetch(this.lease);
		}
		else if (dice < 92) {
			moveFollowUps(this.lease);
		}
		else {
			trouble(this.lease);
		}
	}

	private String session() {
		return oneOf(SESSIONS);
	}

	/** A session that does not hold the shard. */
	private String otherSession(Lease current) {
		return oneOf(SESSIONS.stream().filter((session) -> !session.equals(current.session())).toList());
	}

	private <T> T oneOf(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

	private String id() {
		if (this.payloads == Payloads.IN_GROUPS) {
			return oneOf(GROUPS) + oneOf(IDS);
		}
		boolean many = this.payloads == Payloads.MANY && this.random.nextInt(3) > 0;
		return many ? "many " + this.random.nextInt(200) : oneOf(IDS);
	}

	private void enqueue() {
		if (this.payloads == Payloads.MANY && this.random.nextInt(12) == 0) {
			flood();
			return;
		}
		if (this.payloads == Payloads.IN_GROUPS && this.random.nextInt(12) == 0) {
			floodGroup();
			return;
		}
		List<NewPayload> all = new ArrayList<>();
		boolean plain = this.payloads == Payloads.MANY && this.random.nextInt(20) > 0;
		for (int i = this.random.nextInt(plain ? 30 : 4); i >= 0; i--) {
			NewPayload payload = NewPayload.of(id(), StoreContract.bytes("p" + this.random.nextInt(6)));
			all.add(plain ? payload : ofAnyKind(payload));
		}
		if (!plain && this.random.nextInt(4) == 0) {
			enqueueFollowUps(all);
		}
		else {
			enqueue(all);
		}
	}

	private void enqueueFollowUps(List<NewPayload> payloads) {
		Shard source = new Shard("sources", 1, this.random.nextInt(2));
		List<NewPayload> followUps = payloads.stream()
			.map((each) -> each.from(new Origin(source, 1 + this.lastFollowUp / 4, ++this.lastFollowUp)))
			.toList();
		step("enqueue follow-ups " + followUps.stream().map(RandomRun::text).toList(),
				(store) -> enqueued(store, this.shard, followUps));
	}

	private NewPayload ofAnyKind(NewPayload plain) {
		NewPayload payload = switch (this.random.nextInt(5)) {
			case 0 -> plain.withScore(this.random.nextInt(5));
			case 1 -> plain.withScore(this.clock.millis() + this.random.nextInt(100));
			default -> plain;
		};
		if (this.random.nextInt(3) == 0) {
			int number = this.random.nextInt(8);
			TraceParent trace = new TraceParent("%032x".formatted(number), "%016x".formatted(number), true);
			payload = payload.by(new TracedProducer(trace, 1 + this.random.nextInt(5)));
		}
		return switch (this.random.nextInt(5)) {
			case 0 -> payload.withPerformAt(this.clock.millis() - 20 + this.random.nextInt(60));
			case 1 -> payload.withDelay(Duration.ofMillis(this.random.nextInt(40)));
			default -> payload;
		};
	}

	private void enqueue(List<NewPayload> all) {
		step("enqueue " + all.stream().map(RandomRun::text).toList(),
				(store) -> store.shards().enqueue(this.shard, all));
	}

	/** Enqueues many jobs and deletes most of them: their entries stay. */
	private void flood() {
		int first = this.random.nextInt(10);
		List<String> ids = IntStream.range(first, first + 400).mapToObj((i) -> "flood " + i).toList();
		List<NewPayload> all = ids.stream().map((id) -> NewPayload.of(id, StoreContract.bytes("p"))).toList();
		step("flood from " + first, (store) -> {
			store.shards().enqueue(this.shard, all);
			return store.actions().delete(this.shard, ids.subList(3, ids.size()));
		});
	}

	/** Enqueues many jobs of a group, which are deleted later, with all others of it. */
	private void floodGroup() {
		String group = oneOf(GROUPS);
		List<NewPayload> all = IntStream.range(0, 30)
			.mapToObj((i) -> NewPayload.of(group + "flood " + i, StoreContract.bytes("p")))
			.toList();
		step("flood " + group, (store) -> store.shards().enqueue(this.shard, all));
		if (this.lease != null) {
			completeAndFetch(this.lease);
		}
	}

	/**
	 * Deletes what waits in a group. What runs may come back to a list of void elements.
	 */
	private void deleteGroup() {
		String group = oneOf(GROUPS);
		JobQuery query = JobQuery.first(JobList.QUEUED, 100).withPrefix(group);
		step("delete all of " + group, (store) -> store.actions()
			.delete(this.shard, ListedJobs.of(store, query).stream().map(JobView::id).toList()));
		if (this.lease != null && this.random.nextBoolean()) {
			acquire(LeaseRequest.afterCrash(otherSession(this.lease), this.lease.session()));
		}
	}

	private static String text(NewPayload payload) {
		return "%s=%s score %s performAt %s delay %d by %s".formatted(payload.id(),
				new String(payload.payload(), StandardCharsets.UTF_8), payload.score(), payload.performAt(),
				payload.delay(), payload.producer());
	}

	private void moveClock() {
		int dice = this.random.nextInt(100);
		if (dice < 30) {
			this.clock.advance(Duration.ofNanos(this.random.nextInt(3_000_000)));
		}
		else if (dice < 93) {
			this.clock.advanceMillis(this.random.nextInt(25));
		}
		else {
			this.clock.goBackMillis(this.random.nextInt(this.random.nextBoolean() ? 60 : 60_000));
		}
	}

	private void acquire(LeaseRequest request) {
		if (this.random.nextInt(3) == 0) {
			this.gathering = gathering(this.random.nextInt(4));
		}
		if (this.payloads == Payloads.IN_GROUPS) {
			this.separator = oneOf(List.of(":", ":", "/", ""));
		}
		LeaseRequest withPolicy = request.with(this.gathering);
		Acquisition answer = step("acquire " + withPolicy,
				(store) -> store.shards().acquire(this.shard, withPolicy).join());
		if (answer instanceof Acquisition.Acquired acquired) {
			this.stale = this.lease;
			this.lease = acquired.lease();
			this.sequence = 0;
			this.waiting = acquired.groups();
			if (!acquired.kept()) {
				this.busy.clear();
			}
		}
	}

	private void completeAndFetch(Lease current) {
		List<Outcome> outcomes = outcomes();
		int most = (this.payloads == Payloads.MANY) ? 25 : 5;
		Fetch fetch = new Fetch(this.random.nextInt(most),
				this.random.nextBoolean() ? 1_000 : 1 + this.random.nextInt(3), this.random.nextBoolean(), turns());
		int wrong = (this.random.nextInt(30) > 0) ? 0 : 1 - 2 * this.random.nextInt(2);
		int count = Math.max(0, this.busy.size() + wrong);
		this.sequence++;
		long number = this.sequence;
		FetchResult result = step("completeAndFetch %d busy %d %s %s".formatted(number, count, outcomes, fetch),
				(store) -> store.shards().completeAndFetch(current, number, count, outcomes, fetch).join());
		if (result instanceof FetchResult.Fetched fetched) {
			outcomes.forEach(this::complete);
			this.waiting = fetched.groups();
			fetched.jobs().forEach((job) -> this.busy.put(job.id(), job.payloads().size()));
		}
		else if (result instanceof FetchResult.OutOfStep) {
			acquire(LeaseRequest.toRenew(current, number));
		}
	}

	private void complete(Outcome outcome) {
		if (outcome instanceof Outcome.FollowUp next) {
			this.lastFollowUp = next.number();
			return;
		}
		int taken = (outcome instanceof Outcome.PartlyDone part) ? part.gone().size() + part.dead().size()
				: Integer.MAX_VALUE;
		this.busy.computeIfPresent(outcome.id(), (id, count) -> (count > taken) ? count - taken : null);
	}

	/** How groups take turns; null if there are none, and none of before wait. */
	private @Nullable GroupTurns turns() {
		if (this.payloads != Payloads.IN_GROUPS || (this.separator.isEmpty() && !this.waiting.any())) {
			return null;
		}
		GroupTurns.Use use = TestTurns.use(oneOf(List.of("x", "y", "")), this.random.nextInt(3),
				1 + this.random.nextInt(2));
		return TestTurns.of(this.separator, this.random.nextInt(4) > 0, Integer.MAX_VALUE, 0, use);
	}

	/** Outcomes of some busy jobs. */
	private List<Outcome> outcomes() {
		List<Outcome> outcomes = new ArrayList<>();
		int share = this.random.nextInt(4);
		this.busy.forEach((id, count) -> {
			if (this.random.nextInt(4) <= share) {
				if (this.random.nextInt(4) == 0) {
					outcomes.add(next(id, outcomes.size()));
				}
				if (this.random.nextInt(8) == 0) {
					outcomes.add(part(id, count));
				}
				if (this.random.nextInt(8) > 0) {
					outcomes.add(outcome(id));
				}
			}
		});
		if (this.random.nextInt(10) == 0) {
			outcomes.add(outcome(id()));
			outcomes.add(next(id(), outcomes.size()));
		}
		return outcomes;
	}

	private Outcome next(String id, int place) {
		NewPayload payload = NewPayload.of(id(), StoreContract.bytes("p" + this.random.nextInt(6)));
		return new Outcome.FollowUp(id, this.lastFollowUp + 1 + place, new FollowUp("next" + place,
				this.random.nextBoolean() ? payload : payload.withScore(place).withDelay(Duration.ofMillis(place))));
	}

	/** Removes some follow-ups, perhaps under a lease that is not current. */
	private void moveFollowUps(Lease current) {
		Lease of = (this.stale != null && this.random.nextInt(4) == 0) ? this.stale : current;
		long after = this.lastFollowUp - this.random.nextInt(5);
		List<Long> moved = IntStream.range(0, 3).mapToObj((i) -> this.lastFollowUp - this.random.nextInt(8)).toList();
		long known = this.lastFollowUp - this.random.nextInt(4);
		step("another shard enqueues follow-ups up to " + known, (store) -> enqueued(store, TARGET,
				List.of(NewPayload.of("x", new byte[0]).from(new Origin(of.shard(), of.epoch(), known)))));
		step("move follow-ups " + moved + " after " + after, (store) -> {
			NextFollowUps next = store.shards()
				.moveFollowUps(of, List.of(new EnqueuedFollowUps(TARGET, moved)), after)
				.join();
			return next.forgotten() ? List.of("forgotten")
					: next.followUps()
						.stream()
						.map((each) -> each.number() + " " + HexFormat.of().formatHex(each.followUp().toBytes()))
						.toList();
		});
	}

	private static String enqueued(TestedStore store, Shard target, List<NewPayload> call) {
		EnqueueResult result = store.shards().enqueueFollowUps(target, call, Remembered.NOTHING).join();
		Remembered remembered = result.remembered();
		if (remembered != null) {
			result = store.shards().enqueueFollowUps(target, call, remembered).join();
		}
		return remembered + ", " + result.merged() + ", " + result.remembered();
	}

	private Outcome outcome(String id) {
		return switch (this.random.nextInt(16)) {
			case 0 -> buried(id, error("fatal"));
			case 1 -> new Outcome.Hold(id, failure("hold"));
			case 2, 3, 4 -> new Outcome.Retry(id, this.random.nextInt(40), failure("failure"), false);
			case 5, 6 -> new Outcome.Retry(id, this.random.nextInt(40), failure("out of memory"), true);
			case 7 -> new Outcome.Unreadable(id, this.random.nextInt(40), failure("unreadable"));
			case 8, 9 -> new Outcome.Returned(id);
			default -> new Outcome.Done(id);
		};
	}

	private Outcome part(String id, int count) {
		List<Integer> gone = this.random.nextBoolean() ? places(count) : List.of();
		List<Integer> dead = places(count).stream().filter((place) -> !gone.contains(place)).toList();
		return new Outcome.PartlyDone(id, gone, dead, failure("part"), this.random.nextBoolean());
	}

	private Failure failure(String text) {
		List<Failure.Attempt> attempts = IntStream.range(0, this.random.nextInt(3))
			.mapToObj((i) -> new Failure.Attempt(i + 1, i, "node", error(text)))
			.toList();
		return new Failure(error(text), attempts);
	}

	private String error(String text) {
		return text + " " + this.random.nextInt(100);
	}

	private List<Integer> places(int count) {
		List<Integer> places = IntStream.range(0, count).filter((place) -> this.random.nextBoolean()).boxed().toList();
		return places.isEmpty() ? List.of(count - 1) : places;
	}

	/** Crashes, lost answers, late calls, wrong requests and transfers. */
	private void trouble(Lease current) {
		switch (this.random.nextInt(10)) {
			case 0, 1, 2, 3 -> acquire(LeaseRequest.afterCrash(otherSession(current), current.session()));
			case 4 -> acquire(LeaseRequest.afterLapse(otherSession(current), current.session()));
			case 5 ->
				acquire(LeaseRequest.toRenew((this.stale != null && this.random.nextInt(4) == 0) ? this.stale : current,
						this.sequence + this.random.nextInt(2)));
			case 6 -> acquire(this.random.nextBoolean() ? LeaseRequest.forFreeShard(session())
					: LeaseRequest.afterCrash(otherSession(current), "nobody"));
			case 7 -> release(current);
			case 8 -> late(current, this.sequence + (this.random.nextBoolean() ? 2 : -this.random.nextInt(2)));
			default -> late((this.stale != null) ? this.stale : new Lease(this.shard, "nobody", current.epoch()),
					this.sequence + 5);
		}
	}

	private void release(Lease current) {
		List<Outcome> outcomes = outcomes();
		long number = this.sequence + 1 + this.random.nextInt(2);
		step("release " + number + " " + outcomes, (store) -> store.shards().release(current, number, outcomes).join());
		outcomes.stream().filter(Outcome.FollowUp.class::isInstance).forEach(this::complete);
		this.stale = current;
		this.lease = null;
		this.busy.clear();
	}

	/**
	 * A call that must change nothing: of a lease that is not current, or with a number
	 * that was applied or is not the next one.
	 */
	private void late(Lease of, long number) {
		List<Outcome> outcomes = outcomes();
		int count = this.busy.size();
		step("late completeAndFetch " + of + " " + number + " " + outcomes,
				(store) -> store.shards().completeAndFetch(of, number, count, outcomes, new Fetch(3, 10, true)).join());
	}

	private void act() {
		int limit = 1 + this.random.nextInt(3);
		List<String> ids = IntStream.range(0, 3).mapToObj((i) -> id()).distinct().toList();
		long before = this.clock.millis() + 1 - this.random.nextInt(20);
		if (this.payloads == Payloads.IN_GROUPS && this.random.nextInt(5) == 0) {
			deleteGroup();
			return;
		}
		switch (this.random.nextInt(23)) {
			case 0 -> all("performAllNow " + limit, (store) -> store.actions().performAllNow(this.shard, limit));
			case 1 -> all("killAllFailed " + limit, (store) -> store.actions().killAllFailed(this.shard, limit));
			case 2 -> all("deleteAllFailed " + limit, (store) -> store.actions().deleteAllFailed(this.shard, limit));
			case 3 -> all("reEnqueueAll " + limit + " before " + before,
					(store) -> store.actions().reEnqueueAll(this.shard, limit, before));
			case 4 -> all("deleteAllDead " + limit + " before " + before,
					(store) -> store.actions().deleteAllDead(this.shard, limit, before));
			case 5, 6 -> step("performNow " + ids, (store) -> store.actions().performNow(this.shard, ids));
			case 7 -> step("delete " + ids, (store) -> store.actions().delete(this.shard, ids));
			case 8 -> {
				step("delete " + ids, (store) -> store.actions().delete(this.shard, ids));
				enqueue(ids.stream().map((id) -> NewPayload.of(id, StoreContract.bytes("again"))).toList());
			}
			case 9 -> step("reEnqueue " + ids, (store) -> store.actions().reEnqueue(this.shard, ids));
			case 10 -> step("deleteDead " + ids, (store) -> store.actions().deleteDead(this.shard, ids));
			case 11 -> step("kill " + ids, (store) -> store.actions().kill(this.shard, ids));
			case 12 -> step("release held " + ids, (store) -> store.actions().release(this.shard, ids));
			case 13 -> all("releaseAll " + limit, (store) -> store.actions().releaseAll(this.shard, limit));
			case 14, 15 -> edit(ids);
			case 16, 17 -> step("hold " + ids, (store) -> store.actions().hold(this.shard, ids));
			case 18, 19 -> step("erase " + ids,
					(store) -> ids.stream().map((id) -> store.actions().erase(this.shard, id)).toList());
			case 20 -> bury(oneOf(ids));
			default -> pause(this.random.nextInt(3) == 0);
		}
	}

	/** Edits the first payload of jobs that may be on hold. */
	private void edit(List<String> ids) {
		byte[] replacement = StoreContract.bytes("p" + this.random.nextInt(6));
		boolean isWrong = this.random.nextInt(5) == 0;
		step("edit " + ids + " " + new String(replacement, StandardCharsets.UTF_8) + (isWrong ? " wrong" : ""),
				(store) -> ids.stream().map((id) -> {
					byte[] known = store.inspection()
						.find(this.shard, JobView.State.QUEUED, id, 1)
						.map((job) -> job.payloads().get(0).bytes())
						.orElse(replacement);
					return store.actions()
						.editHeld(this.shard, id, isWrong ? StoreContract.bytes("wrong") : known, replacement);
				}).toList());
	}

	/** Buries a payload that may be dead already, perhaps with another score. */
	private void bury(String id) {
		byte[] payload = StoreContract.bytes("p" + this.random.nextInt(6));
		double score = this.random.nextInt(5);
		String error = error("buried");
		step("bury %s=%s score %s %s".formatted(id, new String(payload, StandardCharsets.UTF_8), score, error),
				(store) -> {
					store.actions().bury(this.shard, id, payload, score, error);
					return true;
				});
	}

	private void pause(boolean paused) {
		step("pause " + paused, (store) -> {
			store.actions().pause(this.shard, paused);
			return paused;
		});
	}

	/**
	 * Repeats a step until there is no more to do: which jobs each step takes is open.
	 */
	private void all(String description, Function<TestedStore, ShardActions.Step> action) {
		step(description, (store) -> {
			int changed = 0;
			ShardActions.Step answer;
			do {
				answer = action.apply(store);
				changed += answer.changed();
			}
			while (answer.more());
			return changed;
		});
	}

	/** Looks at a list page by page, or at one job. */
	private void look() {
		if (this.random.nextInt(3) == 0) {
			String id = id();
			JobView.State state = oneOf(List.of(JobView.State.values()));
			int count = this.random.nextInt(4);
			step("find " + state + " " + id, (store) -> store.inspection().find(this.shard, state, id, count));
			return;
		}
		JobList list = oneOf(List.of(JobList.values()));
		JobQuery first = JobQuery.first(list, 1 + this.random.nextInt(20));
		boolean backwards = list != JobList.QUEUED && list != JobList.BUSY && list != JobList.DUE
				&& this.random.nextBoolean();
		JobQuery ordered = backwards ? first.backwards() : first;
		JobQuery query = this.random.nextBoolean() ? ordered : ordered.withPrefix(id().substring(0, 1));
		step("list " + query, (store) -> ListedJobs.of(store, query));
	}

	private void changeTheRegistry() {
		String node = oneOf(NODES);
		NodeInfo info = new NodeInfo(node, 1, Duration.ofSeconds(1 + this.random.nextInt(2)), Set.of("orders"),
				this.random.nextInt(3) == 0);
		int number = this.random.nextInt(4);
		switch (this.random.nextInt(6)) {
			case 0 -> step("join " + info, (store) -> store.nodes().join(node, info));
			case 1 -> step("beat " + info, (store) -> store.nodes().beat(node, info));
			case 2 -> step("end " + node + " " + number, (store) -> store.nodes().end(node, number, true));
			case 3 -> step("leave " + node, (store) -> {
				store.nodes().leave(node);
				return store.nodes().members();
			});
			case 4 -> step("assign to " + node, (store) -> {
				long version = store.nodes().members().assignmentVersion() + number;
				store.nodes().assign(new Assignment(version, Map.of(this.shard, node)));
				return List.of(store.nodes().assignment(), store.nodes().assignedTo(node));
			});
			default -> step("report " + number, (store) -> {
				store.nodes().report(node, "status " + number);
				return store.nodes().reports();
			});
		}
	}

}
