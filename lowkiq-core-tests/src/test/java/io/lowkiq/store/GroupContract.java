package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

import io.lowkiq.redis.ShardActions;
import io.lowkiq.store.GroupTurns.Use;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardCounts.ParkedGroup;
import io.lowkiq.store.inspection.ShardGroup;
import io.lowkiq.store.inspection.ShardGroups;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.lowkiq.store.TestTurns.use;
import static org.assertj.core.api.Assertions.assertThat;

/** Groups of ids that take turns. */
abstract class GroupContract extends OwnedShardContract {

	/** The account of the first group that waits, as far as is known. */
	private double smallest;

	/** The jobs of some groups that wait, in the order of their numbers. */
	private void enqueueOf(String group, int count) {
		enqueueEach(IntStream.rangeClosed(1, count).mapToObj((i) -> group + ":" + i).toArray(String[]::new));
	}

	private FetchResult.Fetched turn(int jobs, Use... uses) {
		return turn(jobs, turns(":", true, uses));
	}

	/** A turn of the named groups only. */
	private FetchResult.Fetched turnOfNamed(int jobs, Use... uses) {
		return turn(jobs, turns(":", false, uses));
	}

	private GroupTurns turns(String separator, boolean others, Use... uses) {
		return TestTurns.of(separator, others, Integer.MAX_VALUE, this.smallest, uses);
	}

	private FetchResult.Fetched turn(int jobs, GroupTurns turns, Outcome... outcomes) {
		FetchResult.Fetched fetched = this.owner.applied(List.of(outcomes), new Fetch(jobs, 1_000, true, turns));
		fetched.groups().first().stream().findFirst().ifPresent((first) -> this.smallest = first.account());
		return fetched;
	}

	@Test
	void groupsTakeTurns() {
		enqueueOf("a", 4);
		enqueueOf("b", 2);
		enqueueOf("c", 1);
		then(turn(5)).ids("a:1", "b:1", "c:1", "a:2", "b:2");
		then(turn(5)).ids("a:3", "a:4").next(FetchResult.NOTHING);
	}

	@Test
	void turnsGoOnOverCalls() {
		enqueueOf("a", 3);
		enqueueOf("b", 3);
		enqueueOf("c", 3);
		then(turn(1)).ids("a:1");
		then(turn(1)).ids("b:1");
		then(turn(2)).ids("c:1", "a:2");
		enqueueOf("d", 1);
		then(turn(4)).ids("b:2", "c:2", "d:1", "a:3");
	}

	@Test
	void groupsThatComeBackNeverGoBeforeTheFirst() {
		enqueueOf("a", 30);
		enqueueOf("b", 30);
		turn(0);
		for (int i = 0; i < 20; i++) {
			enqueueOf("c" + i, 1);
		}
		List<String> fetched = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			enqueueOf("d" + i, 1);
			turn(1).jobs().forEach((job) -> fetched.add(job.id()));
		}
		assertThat(fetched).startsWith("a:1").contains("b:1");
	}

	@Test
	void groupWithTheFewestRunningJobsIsNext() {
		enqueueOf("a", 2);
		enqueueOf("b", 3);
		then(turn(3, use("a", 2, 1))).ids("b:1", "b:2", "a:1");
	}

	@Test
	void groupOfFewJobsWaitsForNoOther() {
		enqueueOf("a", 2_000);
		enqueueOf("b", 1);
		while (turn(0).groups().undistributed()) {
			assertThat(isQueued("b:1")).isTrue();
		}
		then(turn(1, use("a", 1, 1))).ids("b:1");
	}

	@Test
	void weightIsTheShareOfAGroup() {
		enqueueOf("a", 20);
		enqueueOf("b", 20);
		assertThat(ids(turn(16, use("a", 0, 3)))).filteredOn((id) -> id.startsWith("a:")).hasSize(12);
	}

	@Test
	void fullGroupWaitsAndIsNamed() {
		enqueueOf("a", 3);
		FetchResult.Fetched none = turn(5, use("a", 1, 1, 0));
		then(none).nothing().next(FetchResult.NOTHING);
		assertThat(none.groups()).isEqualTo(new WaitingGroups(false, true, 0, List.of(), Set.of("a")));
		enqueueOf("b", 1);
		FetchResult.Fetched others = turn(5, use("a", 1, 1, 0));
		then(others).ids("b:1").next(FetchResult.NOTHING);
		assertThat(others.groups()).isEqualTo(WaitingGroups.before(0));
		then(turn(5)).nothing().next(FetchResult.NOTHING);
		FetchResult.Fetched some = turn(5, use("a", 0, 1, 2));
		then(some).ids("a:1", "a:2").next(FetchResult.NOTHING);
		assertThat(some.groups().full()).containsExactly("a");
		FetchResult.Fetched last = turn(5, use("a", 0, 1, 1));
		then(last).ids("a:3");
		assertThat(last.groups()).isEqualTo(WaitingGroups.NONE);
	}

	@Test
	void groupsThatMayBeginNothingReturnWithTheNextLease() {
		for (int i = 0; i < 300; i++) {
			enqueue("g" + i + ":1", "p");
			enqueue("g" + i + ":2", "p");
		}
		Set<String> full = new HashSet<>();
		for (int i = 0; i < 30; i++) {
			Use[] ten = IntStream.range(10 * i, 10 * i + 10)
				.mapToObj((group) -> use("g" + group, 0, 1, 1))
				.toArray(Use[]::new);
			full.addAll(turn(10, ten).groups().full());
		}
		assertThat(full).hasSize(300);
		then(turn(10)).nothing().next(FetchResult.NOTHING);
		owner("t", LeaseRequest.afterLapse("t", "s"));
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < 2; i++) {
			FetchResult.Fetched fetched = turn(0);
			assertThat(fetched.groups().undistributed()).as("call %d", i).isEqualTo(i == 0);
		}
		for (int i = 0; i < 60; i++) {
			ids.addAll(ids(turn(10)));
		}
		assertThat(ids).hasSize(600);
	}

	/** A call returns 250 of them, and need not, if it names them without room. */
	@Test
	void groupsThatStillMayBeginNothingAreNamedAfterOneCallOfTheNextLease() {
		Use[] full = IntStream.range(0, 300).mapToObj((i) -> use("g" + i, 0, 1, 0)).toArray(Use[]::new);
		for (Use use : full) {
			enqueueOf(use.group(), 1);
		}
		turn(0);
		assertThat(turn(0, full).groups().full()).hasSize(300);
		owner("t", LeaseRequest.afterLapse("t", "s"));
		assertThat(turn(0, full).groups().full()).hasSize(300);
		assertThat(turn(0, full).groups().full()).isEmpty();
		then(turn(10)).nothing();
	}

	/** It is named with room, but others come first. */
	@Test
	void groupThatHasRoomAgainWaitsInItsTurn() {
		enqueueOf("a", 2);
		enqueueOf("b", 2);
		then(turn(1, use("a", 1, 1, 0))).ids("b:1");
		then(turn(1, use("a", 5, 1, 9))).ids("b:2");
		then(turn(5)).ids("a:1", "a:2").next(FetchResult.NOTHING);
	}

	@Test
	void othersAreNotFetchedIfLimitsApply() {
		enqueueOf("a", 2);
		enqueueOf("b", 2);
		FetchResult.Fetched fetched = turnOfNamed(5, use("b", 0, 1, 1));
		then(fetched).ids("b:1");
		assertThat(fetched.groups().full()).containsExactly("b");
		then(turn(5)).ids("a:1", "a:2");
	}

	@Test
	void groupWithItsShareStaysInTheOrder() {
		enqueueOf("a", 3);
		FetchResult.Fetched two = turn(5, TestTurns.of(":", true, 3, 0, use("a", 1, 1)));
		then(two).ids("a:1", "a:2").next(FetchResult.NOTHING);
		assertThat(names(two.groups())).containsExactly("a");
		assertThat(two.groups().full()).isEmpty();
		enqueueIn(5, "b:1", "p");
		then(turn(5, TestTurns.of(":", true, 3, 0, use("a", 3, 1)))).nothing().next(now() + 5);
		then(turn(5)).ids("a:3");
	}

	@Test
	void firstGroupsInTheOrderAreNamedWithTheirAccounts() {
		enqueueOf("a", 3);
		enqueueOf("b", 3);
		FetchResult.Fetched fetched = turn(1, use("a", 7, 2));
		then(fetched).ids("b:1");
		assertThat(fetched.groups().first()).containsExactly(new WaitingGroups.Waiting("b", TestTurns.CHARGE + 2),
				new WaitingGroups.Waiting("a", TestTurns.CHARGE * 3.5));
	}

	@Test
	void groupsThatCameInUnderAnEarlierLeaseStartWithTheSmallestAccount() {
		enqueueOf("a", 9);
		enqueueOf("b", 9);
		then(turn(6, use("b", 9, 1))).ids("a:1", "a:2", "a:3", "a:4", "a:5", "a:6");
		this.smallest = 50_000;
		then(turn(4)).ids("a:7", "b:1", "a:8", "b:2");
	}

	@Test
	void groupIsWhatStandsBeforeTheFirstSeparator() {
		enqueueEach("a:1:x", "a:2", ":1", "2", "\u00e4\u20ac:1", "\uD83D\uDE00:1");
		then(turn(9)).ids("a:1:x", ":1", "\u00e4\u20ac:1", "\uD83D\uDE00:1", "a:2", "2");
		enqueueEach("x--1", "y--1", "x--2", "z-1");
		then(turn(9, turns("--", true))).ids("x--1", "y--1", "z-1", "x--2");
	}

	@Test
	void returnedJobComesFirstInItsGroup() {
		enqueueOf("a", 4);
		this.clock.advanceMillis(1);
		enqueueOf("b", 1);
		then(turn(3)).ids("a:1", "b:1", "a:2");
		GroupTurns turns = turns(":", true);
		then(turn(0, turns, returned("a:1"), returned("a:2"), done("b:1"))).nothing();
		then(turn(9)).ids("a:1", "a:2", "a:3", "a:4");
	}

	@Test
	void delayedJobGoesBehindThoseThatAreReady() {
		enqueueIn(5, "a:1", "p");
		enqueueOf("b", 1);
		enqueueEach("a:2");
		then(turn(0)).nothing();
		this.clock.advanceMillis(5);
		enqueueEach("a:3");
		then(turn(9)).ids("b:1", "a:2", "a:1", "a:3");
	}

	@Test
	void retryTakesItsTurn() {
		enqueueOf("a", 1);
		then(turn(1)).ids("a:1");
		then(turn(0, turns(":", true), retry("a:1", 10, "oops"))).nothing().next(now() + 10);
		thenCounts().retry(1);
		this.clock.advanceMillis(10);
		enqueue("a:1", "newer");
		assertThat(turn(0).next()).isEqualTo(now());
		thenCounts().retry(1);
		FetchResult.Fetched fetched = turn(9);
		then(fetched).jobs("a:1=[p, newer]");
		then(fetched.jobs().get(0)).retryCount(0).error("oops");
		thenCounts().retry(0);
	}

	@Test
	void callGivesABoundedNumberOfJobsToTheirGroups() {
		enqueueOf("a", 600);
		enqueueIn(1, "b:1", "p");
		this.clock.advanceMillis(1);
		FetchResult.Fetched first = turn(0);
		assertThat(first.groups()).extracting(WaitingGroups::undistributed).isEqualTo(true);
		assertThat(names(first.groups())).containsExactly("b", "a");
		then(first).next(now());
		assertThat(turn(0).groups().undistributed()).isFalse();
		for (int i = 0; i < 300; i++) {
			enqueue("many" + i + ":1", "p");
		}
		assertThat(turn(0).groups().undistributed()).isTrue();
		assertThat(turn(0).groups().undistributed()).isFalse();
		thenCounts().groups(302);
	}

	@Test
	void pausedShardGivesNothing() {
		enqueueOf("a", 2);
		then(turn(1)).ids("a:1");
		enqueueOf("b", 1);
		actions().pause(SHARD, true);
		FetchResult.Fetched paused = turn(9);
		then(paused).nothing().next(FetchResult.NOTHING);
		assertThat(names(paused.groups())).containsExactly("a");
		actions().pause(SHARD, false);
		then(turn(9)).ids("a:2", "b:1");
	}

	/** Its owner names it once: from then on, it takes it for one that waits its turn. */
	@Test
	void groupThatHasRoomAgainInAPausedShardReturns() {
		enqueueOf("a", 2);
		assertThat(turn(5, use("a", 1, 1, 0)).groups().full()).containsExactly("a");
		actions().pause(SHARD, true);
		FetchResult.Fetched paused = turn(5, use("a", 0, 1, 1));
		then(paused).nothing().next(FetchResult.NOTHING);
		assertThat(names(paused.groups())).containsExactly("a");
		actions().pause(SHARD, false);
		then(turn(5)).ids("a:1", "a:2");
	}

	@Test
	void suspectComesBeforeTheGroups() {
		crash("s:1", 2, "p");
		enqueueOf("a", 2);
		then(turn(2)).ids("s:1", "a:1");
	}

	@Test
	void whatWaitsIsServedAfterGroupsAreSwitchedOff() {
		enqueueOf("a", 3);
		enqueueOf("b", 1);
		then(turn(1)).ids("a:1");
		enqueueEach("late");
		FetchResult.Fetched some = turn(1, GroupTurns.OF_BEFORE);
		then(some).ids("b:1");
		assertThat(some.groups().any()).isTrue();
		FetchResult.Fetched rest = turn(9, GroupTurns.OF_BEFORE);
		then(rest).ids("a:2", "a:3", "late").next(FetchResult.NOTHING);
		assertThat(rest.groups()).isEqualTo(WaitingGroups.NONE);
	}

	@Test
	void nextOwnerServesWhatWaits() {
		enqueueOf("a", 3);
		then(turn(1)).ids("a:1");
		Acquisition.Acquired acquired = (Acquisition.Acquired) new TestOwner(this.store.shards(), SHARD, "t")
			.acquire(LeaseRequest.afterCrash("t", "s"));
		assertThat(acquired.groups()).isEqualTo(WaitingGroups.before(TestTurns.CHARGE + 1));
		assertThat(acquired.next()).isEqualTo(now());
		owner("u", LeaseRequest.afterLapse("u", "t"));
		then(turn(9)).ids("a:1", "a:2", "a:3");
		assertThat(((Acquisition.Acquired) acquire(LeaseRequest.afterLapse("v", "u"))).groups())
			.isEqualTo(WaitingGroups.NONE);
	}

	@Test
	void separatorMayChange() {
		enqueueEach("a:1/x", "a:2/x", "b:1/y");
		then(turn(1)).ids("a:1/x");
		enqueueEach("a:3/y", "c/x");
		then(turn(9, turns("/", true))).ids("b:1/y", "a:3/y", "c/x", "a:2/x");
	}

	@Test
	void jobThatIsDeletedAndEnqueuedAgainComesLast() {
		enqueueOf("a", 3);
		then(turn(0)).nothing();
		actions().delete(SHARD, List.of("a:1"));
		enqueue("a:1", "again");
		then(turn(9)).jobs("a:2=[p]", "a:3=[p]", "a:1=[again]");
		then(turn(9)).nothing().next(FetchResult.NOTHING);
		thenCounts().groups(0);
	}

	@Test
	void delayedJobOfADeletedIdComesLate() {
		enqueueOf("a", 3);
		then(turn(0)).nothing();
		actions().delete(SHARD, List.of("a:1"));
		enqueueIn(1, "a:1", "again");
		this.clock.advanceMillis(1);
		assertThat(turn(0).groups().undistributed()).isTrue();
		then(turn(9)).jobs("a:2=[p]", "a:3=[p]", "a:1=[again]");
	}

	@Test
	void groupOfDeletedJobsIsForgotten() {
		enqueueOf("a", 700);
		enqueueOf("b", 1);
		while (turn(0).groups().undistributed()) {
			thenCounts().busy(0);
		}
		actions().delete(SHARD, IntStream.rangeClosed(1, 700).mapToObj((i) -> "a:" + i).toList());
		then(turn(9)).ids("b:1").next(now());
		then(turn(9)).nothing().next(FetchResult.NOTHING);
		thenCounts().groups(0);
	}

	/**
	 * A job that becomes due while the list of its group is mostly void: the call that
	 * gives it to the group sweeps the list.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "delayed", "restored", "retried", "unblocked" })
	void jobThatBecomesDueAmongDeletedOnesIsFetched(String way) {
		enqueueEach("a:0");
		then(turn(1)).ids("a:0");
		enqueueOf("a", 1_005);
		while (turn(0).groups().undistributed()) {
			thenCounts().busy(1);
		}
		GroupTurns turns = turns(":", true);
		Outcome outcome = way.equals("retried") ? retry("a:0", 10, "oops") : done("a:0");
		if (way.equals("unblocked")) {
			enqueue("a:0", "newer");
		}
		actions().delete(SHARD, IntStream.rangeClosed(1, 1_005).mapToObj((i) -> "a:" + i).toList());
		if (way.equals("restored")) {
			owner("t", LeaseRequest.afterCrash("t", "s"));
		}
		else {
			then(turn(0, turns, outcome)).nothing();
		}
		if (way.equals("delayed")) {
			enqueueIn(10, "a:0", "p");
		}
		this.clock.advanceMillis(10);
		then(turn(0)).nothing();
		then(turn(9)).ids("a:0").next(FetchResult.NOTHING);
		thenCounts().groups(0).fresh(0);
	}

	@Test
	void jobsOfGroupsAreCountedAndListed() {
		long before = now();
		enqueueOf("a", 3);
		this.clock.advanceMillis(7);
		enqueueOf("b", 1);
		then(turn(1)).ids("a:1");
		enqueueOf("c", 1);
		assertThat(counts().oldest()).isEqualTo(before);
		assertThat(counts().groups()).isEqualTo(2);
		assertThat(listed(JobList.READY)).containsExactlyInAnyOrder("a:2", "a:3", "b:1", "c:1");
		assertThat(listed(JobList.DUE)).containsExactlyInAnyOrder("a:2", "a:3", "b:1", "c:1");
	}

	@Test
	void groupsWithTheMostWaitingJobsAreListed() {
		assertThat(groups(9)).isEmpty();
		enqueueOf("a", 2);
		enqueueOf("b", 4);
		enqueueOf("c", 2);
		enqueue("none", "p");
		assertThat(groups(9)).as("not given to their groups yet")
			.containsExactly(new ShardGroup(SHARD, "b", 4, false), new ShardGroup(SHARD, "a", 2, false),
					new ShardGroup(SHARD, "c", 2, false), new ShardGroup(SHARD, "", 1, false));
		assertThat(this.store.inspection().groups(List.of(SHARD), "", 9).groups()).as("the separator isn't known")
			.isEmpty();
		then(turn(1, use("c", 1, 1, 0))).ids("a:1");
		enqueue("c:3", "p");
		assertThat(groups(9)).containsExactly(new ShardGroup(SHARD, "b", 4, false), new ShardGroup(SHARD, "c", 3, true),
				new ShardGroup(SHARD, "", 1, false), new ShardGroup(SHARD, "a", 1, false));
		assertThat(groups(2)).extracting(ShardGroup::name).containsExactly("b", "c");
		assertThat(group("c")).containsExactly(new ShardGroup(SHARD, "c", 3, true));
		assertThat(group("")).containsExactly(new ShardGroup(SHARD, "", 1, false));
		assertThat(group("d")).isEmpty();
	}

	private List<ShardGroup> group(String name) {
		return this.store.inspection().group(List.of(SHARD), ":", name);
	}

	private List<ShardGroup> groups(int most) {
		return this.store.inspection().groups(List.of(SHARD), ":", most).groups();
	}

	@Test
	void aBoundedNumberOfJobsIsLookedAt() {
		enqueueOf("a", 1_500);
		enqueueOf("b", 2);
		assertThat(this.store.inspection().groups(List.of(SHARD), ":", 9))
			.isEqualTo(new ShardGroups(List.of(new ShardGroup(SHARD, "a", 1_000, false)), 502));
	}

	@Test
	void lagIsThatOfTheOldestJobThatMayStart() {
		enqueueOf("paused", 2);
		this.clock.advanceMillis(40);
		for (int i = 0; i < 2 * ShardCounts.MAX_PARKED; i++) {
			enqueueOf("full" + i, 1);
		}
		this.clock.advanceMillis(20);
		enqueueOf("b", 1);
		this.clock.advanceMillis(10);
		thenCounts().lag(70);
		Use[] parked = IntStream.range(0, 2 * ShardCounts.MAX_PARKED)
			.mapToObj((i) -> use("full" + i, 1, 1, 0))
			.toArray(Use[]::new);
		turn(0, parked);
		turn(0, use("paused", 1, 1, 0));
		thenCounts().lag(10);
		assertThat(counts().lagOfAll()).isGreaterThanOrEqualTo(30);
		assertThat(counts().parked()).hasSize(ShardCounts.MAX_PARKED);
		then(turn(5)).ids("b:1");
		thenCounts().lag(0);
	}

	@Test
	void parkedGroupsAreCounted() {
		enqueueOf("a", 2);
		this.clock.advanceMillis(60);
		enqueueOf("b", 1);
		turn(0, use("a", 1, 1, 0));
		thenCounts().lag(0);
		assertThat(counts().lagOfAll()).isEqualTo(60);
		assertThat(counts().parked()).containsExactly(new ParkedGroup("a", 2, now() - 60));
		this.clock.advanceMillis(5);
		thenCounts().lag(5);
		this.store.actions().pause(SHARD, true);
		thenCounts().lag(0);
		assertThat(counts().lagOfAll()).isEqualTo(65);
	}

	@Test
	void removalDeletesTheLists() {
		enqueueOf("a", 3);
		enqueueOf("b", 3);
		then(turn(1)).ids("a:1");
		this.owner.release();
		assertThat(actions().close(SHARD, null, false)).isEqualTo(ShardActions.Closing.CLOSED);
		while (actions().empty(SHARD, 2).more()) {
			assertThat(counts().groups()).isLessThan(2);
		}
		thenCounts().groups(0).fresh(0);
	}

	@Test
	void heldErasedAndKilledJobsTakeNoTurn() {
		enqueueOf("a", 5);
		then(turn(0)).nothing();
		actions().hold(SHARD, List.of("a:1"));
		actions().erase(SHARD, "a:2");
		actions().kill(SHARD, List.of("a:3"));
		then(turn(9)).ids("a:4", "a:5");
		actions().release(SHARD, List.of("a:1"));
		then(turn(9)).ids("a:1");
		actions().reEnqueue(SHARD, List.of("a:3"));
		then(turn(9)).ids("a:3");
	}

	private static List<String> names(WaitingGroups groups) {
		return groups.first().stream().map(WaitingGroups.Waiting::group).toList();
	}

	private static String oneOf(SplittableRandom random, String... names) {
		return names[random.nextInt(names.length)];
	}

	/** The order of each group, whatever is deleted and enqueued again. */
	@RepeatedTest(20)
	void groupsKeepTheirOrder(RepetitionInfo repetition) {
		SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
		Map<String, List<String>> expected = new TreeMap<>();
		Map<String, List<String>> fetched = new TreeMap<>();
		List<Outcome> done = new ArrayList<>();
		for (int step = 0; step < 150; step++) {
			this.clock.advanceMillis(random.nextInt(3));
			String group = "g" + random.nextInt(4);
			String id = group + ":" + random.nextInt(12);
			List<String> order = expected.computeIfAbsent(group, (key) -> new ArrayList<>());
			switch (random.nextInt(5)) {
				case 0, 1, 2 -> {
					if (!order.contains(id) && done.stream().noneMatch((outcome) -> outcome.id().equals(id))) {
						enqueue(id, "p");
						order.add(id);
					}
				}
				case 3 -> {
					if (order.remove(id)) {
						actions().delete(SHARD, List.of(id));
					}
				}
				default -> {
					Use use = use(group, random.nextInt(3), 1 + random.nextInt(3));
					FetchResult.Fetched jobs = turn(random.nextInt(6), turns(":", true, use),
							done.toArray(Outcome[]::new));
					done.clear();
					ids(jobs).forEach((one) -> {
						done.add(done(one));
						String of = one.substring(0, one.indexOf(':'));
						assertThat(expected.get(of).remove(0)).isEqualTo(one);
						fetched.computeIfAbsent(of, (key) -> new ArrayList<>()).add(one);
					});
				}
			}
		}
		while (!expected.values().stream().allMatch(List::isEmpty)) {
			FetchResult.Fetched jobs = turn(3);
			assertThat(jobs.jobs()).isNotEmpty();
			ids(jobs).forEach(
					(one) -> assertThat(expected.get(one.substring(0, one.indexOf(':'))).remove(0)).isEqualTo(one));
		}
		then(turn(9)).nothing();
		thenCounts().groups(0).fresh(0);
	}

	/**
	 * Nothing is lost and nothing comes twice, while groups are switched on and off and
	 * separators change.
	 */
	@RepeatedTest(40)
	void everyPayloadComesOnceWhateverTheGroups(RepetitionInfo repetition) {
		SplittableRandom random = new SplittableRandom(1_000 + repetition.getCurrentRepetition());
		Map<String, List<Integer>> waiting = new HashMap<>();
		Map<String, List<Integer>> busy = new HashMap<>();
		String session = "s";
		WaitingGroups groups = WaitingGroups.NONE;
		String separator = "";
		int number = 0;
		for (int step = 0; step < 300 || !waiting.isEmpty() || !busy.isEmpty(); step++) {
			boolean ending = step >= 300;
			this.clock.advanceMillis(random.nextInt(4));
			String id = "a%d%s%d".formatted(random.nextInt(3), List.of(":", "/", "").get(random.nextInt(3)),
					random.nextInt(5));
			int dice = ending ? 50 : random.nextInt(100);
			if (dice < 40) {
				number++;
				NewPayload payload = NewPayload.of(id, bytes("%06d".formatted(number)));
				enqueue((random.nextInt(4) > 0) ? payload : payload.withDelay(Duration.ofMillis(random.nextInt(6))));
				waiting.computeIfAbsent(id, (key) -> new ArrayList<>()).add(number);
			}
			else if (dice < 46) {
				actions().delete(SHARD, List.of(id));
				waiting.remove(id);
			}
			else if (dice < 48) {
				separator = List.of(":", "/", "").get(random.nextInt(3));
			}
			else if (dice < 50) {
				busy.forEach(
						(one, numbers) -> waiting.computeIfAbsent(one, (key) -> new ArrayList<>()).addAll(0, numbers));
				busy.clear();
				String next = "s" + step;
				this.owner = new TestOwner(this.store.shards(), SHARD, next);
				groups = ((Acquisition.Acquired) this.owner.acquire(LeaseRequest.afterLapse(next, session))).groups();
				session = next;
			}
			else {
				List<Outcome> outcomes = new ArrayList<>();
				for (String one : List.copyOf(busy.keySet())) {
					if (ending || random.nextInt(3) > 0) {
						List<Integer> numbers = busy.remove(one);
						boolean returns = !ending && random.nextInt(3) == 0;
						outcomes.add(returns ? returned(one) : done(one));
						if (returns) {
							waiting.computeIfAbsent(one, (key) -> new ArrayList<>()).addAll(0, numbers);
						}
					}
				}
				boolean inTurn = !separator.isEmpty() || groups.any();
				int running = random.nextInt(4);
				int room = random.nextInt(3);
				List<Use> uses = ending ? List.of(use("", 0, 1), use("a0", 0, 1), use("a1", 0, 1), use("a2", 0, 1))
						: List.of(use(oneOf(random, "", "a0", "a1", "a2"), running, 1, room));
				GroupTurns turns = turns(separator, random.nextBoolean(), uses.toArray(Use[]::new));
				FetchResult.Fetched fetched = this.owner.applied(outcomes, inTurn
						? new Fetch(random.nextInt(4), 1_000, true, turns) : new Fetch(random.nextInt(4), 1_000, true));
				groups = fetched.groups();
				for (FetchedJob job : fetched.jobs()) {
					List<Integer> numbers = texts(job.payloads()).stream().map(Integer::parseInt).toList();
					assertThat(waiting.remove(job.id())).as(job.id()).isEqualTo(numbers);
					assertThat(busy.put(job.id(), numbers)).isNull();
				}
			}
			assertThat(step).isLessThan(3_000);
		}
		assertThat(new HashSet<>(waiting.keySet())).isEmpty();
		thenCounts().fresh(0).busy(0);
	}

}
