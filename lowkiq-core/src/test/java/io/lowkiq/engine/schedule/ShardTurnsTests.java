package io.lowkiq.engine.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.GroupTurns.Use;
import io.lowkiq.store.WaitingGroups;
import io.lowkiq.store.WaitingGroups.Waiting;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ShardTurnsTests {

	private static final int ANY = Integer.MAX_VALUE;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimit RATE = new RateLimit(1, Duration.ofSeconds(1), 3);

	private final Map<String, Long> waits = new HashMap<>();

	private QueueTurns queue = queue(new GroupPolicy(":"), Map.of());

	private ShardTurns shard = shard();

	private QueueTurns queue(GroupPolicy policy, Map<String, GroupOverride> overrides) {
		QueueTurns turns = new QueueTurns(policy, 10, 1, () -> 0, (nanos) -> this.waits);
		turns.settings(new GroupSettings(policy, overrides));
		return turns;
	}

	private ShardTurns shard() {
		return new ShardTurns(this.queue, WaitingGroups.NONE, 0);
	}

	private void with(GroupPolicy policy, Map<String, GroupOverride> overrides) {
		this.queue = queue(policy, overrides);
		this.shard = shard();
	}

	private void limited(Limits limits, Map<String, GroupOverride> overrides) {
		with(new GroupPolicy(":", 100, Map.of(), true, limits), overrides);
	}

	private static <T> Change<T> set(T value) {
		return new Change<>(value, "anna", 1);
	}

	private void full(String... groups) {
		this.shard.answered(new WaitingGroups(false, true, 0, List.of(), Set.of(groups)), GroupTurns.OF_BEFORE, 0);
	}

	private void waiting(String... groups) {
		List<Waiting> first = Arrays.stream(groups).map((group) -> new Waiting(group, 0)).toList();
		this.shard.answered(new WaitingGroups(false, true, 0, first, Set.of()), null, 0);
	}

	private GroupTurns turns(long nanos) {
		return this.shard.turns(List.of(), 1, nanos);
	}

	private Use use(String group, long nanos) {
		return turns(nanos).uses().stream().filter((use) -> use.group().equals(group)).findFirst().orElseThrow();
	}

	private List<String> named(long nanos) {
		return turns(nanos).uses().stream().map(Use::group).toList();
	}

	private void start(String group, int count, long nanos) {
		for (int i = 0; i < count; i++) {
			this.queue.take(List.of(group)).start(nanos);
			this.shard.start(group, nanos);
		}
	}

	private void use(String group, int starts, long nanos, long until) {
		for (int i = 0; i < starts; i++) {
			QueueTurns.Turn turn = this.queue.take(List.of(group));
			turn.start(nanos);
			this.shard.start(group, nanos);
			turn.end(until);
		}
	}

	@Test
	void groupsAreNamedThatWaitFirstOrRun() {
		with(new GroupPolicy(":", 100, Map.of("a", 3, "idle", 9)), Map.of());
		start("a", 2, 0);
		start("c", 1, 0);
		waiting("b", "a");
		GroupTurns turns = this.shard.turns(List.of("done:1"), 1, 10 * SECOND);
		assertThat(turns.separator()).isEqualTo(":");
		assertThat(turns.others()).isTrue();
		assertThat(turns.share()).isEqualTo(ANY);
		assertThat(turns.answered()).isEqualTo(10);
		assertThat(turns.uses()).extracting(Use::group).containsExactly("b", "a", "done", "c");
		assertThat(turns.uses()).extracting(Use::weight).containsExactly(1, 3, 1, 1);
		assertThat(turns.uses()).extracting(Use::running).containsExactly(0, 2, 0, 1);
	}

	@Test
	void namedGroupsAreBounded() {
		waiting(IntStream.range(0, 60).mapToObj((i) -> "w" + i).toArray(String[]::new));
		IntStream.range(0, 60).forEach((i) -> start("r" + i, 1, 0));
		assertThat(named(0)).hasSize(100).contains("w0", "w59", "r0").doesNotContain("r59");
		assertThat(this.shard.turns(List.of(), 60, 0).answered()).isEqualTo(60);
		assertThat(this.shard.turns(List.of(), 600, 0).answered()).isEqualTo(100);
	}

	/** Groups with a weight that don't wait cost nothing. */
	@Test
	void configuredGroupsAreNotNamed() {
		with(new GroupPolicy(":", 100,
				IntStream.range(0, 5_000).boxed().collect(Collectors.toMap((i) -> "g" + i, (i) -> 2))), Map.of());
		waiting("g7");
		assertThat(turns(0).uses()).extracting(Use::weight).containsExactly(2);
	}

	@Test
	void accountGrowsWithTheTimeThatJobsRun() {
		with(new GroupPolicy(":", 100, Map.of("a", 4)), Map.of());
		waiting("a", "b");
		double before = use("b", 0).account();
		QueueTurns.Turn turn = this.queue.take(List.of("a", "b"));
		assertThat(use("b", 0).account() - before).as("charged before it starts").isEqualTo(1_000);
		turn.start(0);
		assertThat(use("a", 8 * SECOND).account() - before).isCloseTo(SECOND, within(300.0));
		assertThat(use("b", 8 * SECOND).account() - before).isEqualTo(4 * SECOND);
		turn.end(16 * SECOND);
		assertThat(use("b", 99 * SECOND).account() - before).isEqualTo(8 * SECOND);
		this.queue.take(List.of("b")).giveBack();
		assertThat(use("b", 99 * SECOND).account() - before).isEqualTo(8 * SECOND);
		QueueTurns.Turn lost = this.queue.take(List.of("b"));
		lost.start(99 * SECOND);
		lost.lose();
		assertThat(use("b", 200 * SECOND)).extracting(Use::running).isEqualTo(0);
	}

	@Test
	void shardOfTheGroupWithTheSmallestAccountIsNext() {
		ShardTurns other = shard();
		waiting("a");
		other.answered(new WaitingGroups(false, true, 0, List.of(new Waiting("b", 0)), Set.of()), null, 0);
		start("a", 1, 0);
		assertThat(next(SECOND, this.shard, other)).isSameAs(other);
		start("b", 2, SECOND);
		assertThat(next(3 * SECOND, this.shard, other)).isSameAs(this.shard);
		assertThat(next(3 * SECOND, other)).isSameAs(other);
	}

	private ShardTurns next(long nanos, ShardTurns... shards) {
		this.queue.beginRound(Set.of(shards)::contains, nanos);
		ShardTurns next = this.queue.next(nanos);
		this.queue.endRound();
		return next;
	}

	@Test
	void shardOfWhichNothingIsKnownComesFirst() {
		ShardTurns other = shard();
		waiting("a");
		assertThat(next(0, this.shard, other)).isSameAs(other);
		other.answered(new WaitingGroups(false, true, 0, List.of(new Waiting("b", 9e18)), Set.of()), null, 0);
		this.shard.news(true);
		start("a", 1, 0);
		assertThat(next(SECOND, this.shard, other)).isSameAs(this.shard);
	}

	/** Else it would make up for the time in which it had nothing to do. */
	@Test
	void groupThatComesBackEntersWithTheSmallestAccount() {
		waiting("a", "b");
		QueueTurns.Turn a = this.queue.take(List.of("a"));
		QueueTurns.Turn b = this.queue.take(List.of("b"));
		a.start(0);
		b.start(0);
		a.end(100 * SECOND);
		b.end(100 * SECOND);
		assertThat(next(100 * SECOND, this.shard)).isNotNull();
		waiting("a", "b", "new");
		assertThat(use("new", 100 * SECOND).account()).isCloseTo(use("a", 100 * SECOND).account(), within(1e3));
		assertThat(use("new", 100 * SECOND).account()).isGreaterThanOrEqualTo(use("a", 100 * SECOND).account());
	}

	@Test
	void groupHasNoMoreThanItsShare() {
		with(new GroupPolicy(":", 25, Map.of()), Map.of());
		waiting("a");
		assertThat(turns(0).share()).isEqualTo(2);
		start("a", 2, 0);
		assertThat(use("a", 0)).extracting(Use::running, Use::room).containsExactly(2, ANY);
		assertThat(next(0, this.shard)).as("asked once, for others").isSameAs(this.shard);
		this.shard.answered(new WaitingGroups(false, true, 0, List.of(new Waiting("a", 0)), Set.of()), turns(0), 0);
		assertThat(next(0, this.shard)).isNull();
		this.shard.news(true);
		assertThat(next(0, this.shard)).isSameAs(this.shard);
		with(new GroupPolicy(":", 1, Map.of()), Map.of());
		assertThat(turns(0).share()).isEqualTo(1);
	}

	@Test
	void whatCallsUnderWayMayBringCounts() {
		with(new GroupPolicy(":", 50, Map.of()), Map.of());
		ShardTurns other = shard();
		other.asks(4, 0);
		assertThat(turns(0).share()).isEqualTo(1);
		other.asks(9, 0);
		assertThat(this.queue.mayFetch()).isFalse();
		assertThat(turns(0).share()).isZero();
		other.close();
		assertThat(turns(0).share()).isEqualTo(5);
		with(new GroupPolicy(":"), Map.of());
		this.shard.asks(20, 0);
		assertThat(this.queue.mayFetch()).isTrue();
	}

	/** So others can be asked at the same time. */
	@Test
	void callAsksForNoMoreThanKnownGroupsMayStart() {
		assertThat(this.shard.shareLeft()).isEqualTo(ANY);
		with(new GroupPolicy(":", 50, Map.of()), Map.of());
		start("a", 4, 0);
		start("b", 3, 0);
		assertThat(this.shard.shareLeft()).isEqualTo(5);
		waiting("a");
		assertThat(this.shard.shareLeft()).isEqualTo(1);
		waiting("a", "b");
		assertThat(this.shard.shareLeft()).isEqualTo(2);
		this.shard.news(true);
		assertThat(this.shard.shareLeft()).isEqualTo(5);
	}

	@Test
	void queueWithoutGroupsServesThoseOfBefore() {
		with(GroupPolicy.NONE, Map.of());
		assertThat(this.shard.areAny()).isFalse();
		this.shard.answered(WaitingGroups.before(5), null, 0);
		assertThat(this.shard.areAny()).isTrue();
		assertThat(turns(0)).isEqualTo(GroupTurns.OF_BEFORE);
	}

	@Test
	void groupHasNoMoreThanItsLimits() {
		limited(new Limits(2, RATE), Map.of());
		use("a", 2, 100 * SECOND, 100 * SECOND);
		this.queue.take(List.of("a"));
		start("b", 3, 100 * SECOND);
		assertThat(this.shard.roomInLimits("a", 100 * SECOND)).isZero();
		assertThat(this.shard.untilRoom("a", 100 * SECOND)).isEqualTo(SECOND);
		assertThat(this.shard.roomInLimits("b", 100 * SECOND)).isNegative();
		assertThat(this.shard.untilRoom("b", 100 * SECOND)).isEqualTo(Long.MAX_VALUE);
		assertThat(this.shard.roomInLimits("", 100 * SECOND)).isEqualTo(ANY);
		GroupTurns turns = turns(100 * SECOND);
		assertThat(turns.others()).isFalse();
		assertThat(turns.uses()).extracting(Use::group).containsExactlyInAnyOrder("a", "b");
		assertThat(use("b", 100 * SECOND).room()).isZero();
	}

	@Test
	void groupsBeginWithNothingSavedUp() {
		limited(new Limits(0, RATE), Map.of());
		assertThat(this.shard.untilStarts(0)).isEqualTo(SECOND);
		assertThat(this.shard.roomInLimits("a", 0)).isZero();
		assertThat(this.shard.roomInLimits("a", SECOND)).isEqualTo(1);
		assertThat(this.shard.roomInLimits("a", 11 * SECOND)).isEqualTo(3);
	}

	@Test
	void fullGroupsThatHaveRoomAgainAreNamedAndNotTooMany() {
		limited(new Limits(0, RATE), Map.of());
		String[] groups = IntStream.range(0, 6_000).mapToObj((i) -> "g" + i).toArray(String[]::new);
		Arrays.stream(groups).forEach((group) -> use(group, 3, 10 * SECOND, 10 * SECOND));
		full(groups);
		assertThat(this.shard.lookForRoom(10 * SECOND)).isEqualTo(SECOND);
		assertThat(named(10 * SECOND)).isEmpty();
		this.shard.lookForRoom(11 * SECOND);
		assertThat(turns(11 * SECOND).uses()).hasSize(100).allMatch((use) -> use.room() > 0);
		assertThat(this.shard.areWaiting()).isTrue();
	}

	@Test
	void pausedGroupsAreLookedAtWhenTheSettingsChangeOnly() {
		GroupPolicy policy = new GroupPolicy(":");
		with(policy, Map.of("a", new GroupOverride(set(true), null, null, null)));
		full("a");
		assertThat(this.shard.lookForRoom(0)).isEqualTo(Long.MAX_VALUE);
		assertThat(this.shard.areWaiting()).isFalse();
		this.queue.settings(new GroupSettings(policy, Map.of()));
		this.shard.lookForRoom(0);
		assertThat(named(0)).containsExactly("a");
	}

	@Test
	void groupsSleepUntilTheirTime() {
		limited(new Limits(2, RATE), Map.of());
		use("a", 3, 10 * SECOND, 10 * SECOND);
		start("running", 2, 10 * SECOND);
		full("a", "running");
		assertThat(this.shard.lookForRoom(10 * SECOND)).isEqualTo(SECOND);
		assertThat(this.shard.areWaiting()).isFalse();
		this.shard.lookForRoom(11 * SECOND - 1);
		assertThat(this.shard.areWaiting()).isFalse();
		this.shard.lookForRoom(11 * SECOND);
		assertThat(named(11 * SECOND)).startsWith("a");
		assertThat(turns(11 * SECOND).answered()).as("more may be found").isEqualTo(100);
	}

	@Test
	void groupsThatWereNamedWithRoomOrAreGoneAreNoLongerFull() {
		with(new GroupPolicy(":"), Map.of());
		full("a", "b");
		this.shard.lookForRoom(0);
		GroupTurns turns = new GroupTurns(":", true, ANY, 0, 0, 1, 9,
				List.of(new Use("a", 0, 0, 1, 1), new Use("b", 0, 1, 1, 0)));
		this.shard.answered(new WaitingGroups(false, true, 0, List.of(), Set.of("d")), turns, 0);
		this.shard.lookForRoom(0);
		assertThat(named(0)).containsExactlyInAnyOrder("b", "d");
		this.shard.answered(WaitingGroups.NONE, turns, 0);
		this.shard.lookForRoom(0);
		assertThat(named(0)).isEmpty();
	}

	@Test
	void whatOperatorsHaveSetStandsInPlaceOfTheSettings() {
		RateLimit slow = new RateLimit(1, Duration.ofSeconds(10), 1);
		Map<String, GroupOverride> overrides = Map.of("paused", new GroupOverride(set(true), null, null, null), "small",
				new GroupOverride(null, set(1), null, null), "slow", new GroupOverride(null, null, set(slow), null),
				"heavy", new GroupOverride(null, null, null, set(7)), "",
				new GroupOverride(set(true), set(1), set(slow), set(9)));
		limited(new Limits(4, null), overrides);
		start("small", 1, 0);
		waiting("paused", "slow", "heavy", "");
		assertThat(use("paused", 10 * SECOND).room()).isZero();
		assertThat(use("small", 10 * SECOND).room()).isZero();
		assertThat(use("slow", 10 * SECOND).room()).isEqualTo(1);
		assertThat(use("heavy", 10 * SECOND)).extracting(Use::weight, Use::room).containsExactly(7, 4);
		assertThat(use("", 10 * SECOND)).extracting(Use::weight, Use::room).containsExactly(1, ANY);
		assertThat(this.shard.untilRoom("paused", 10 * SECOND)).isEqualTo(Long.MAX_VALUE);
		use("slow", 1, 10 * SECOND, 10 * SECOND);
		assertThat(this.shard.untilRoom("slow", 10 * SECOND)).isEqualTo(10 * SECOND);
		assertThat(new GroupSettings(new GroupPolicy(":"), Map.of()).areLimited()).isFalse();
		assertThat(new GroupSettings(new GroupPolicy(":"), overrides).areLimited()).isTrue();
	}

	@Test
	void limitsSetForGroupsOverAllShardsHaveNoEffect() {
		with(new GroupPolicy(":"), Map.of("a", new GroupOverride(null, set(1), set(RATE), null)));
		assertThat(this.shard.roomInLimits("a", 0)).isEqualTo(ANY);
	}

	@Test
	void groupWhoseRateChangesBeginsWithNothingSavedUp() {
		RateLimit fast = new RateLimit(10, Duration.ofSeconds(1), 10);
		limited(new Limits(0, RATE), Map.of());
		use("a", 1, 100 * SECOND, 100 * SECOND);
		assertThat(this.shard.roomInLimits("a", 100 * SECOND)).isEqualTo(2);
		this.queue.settings(new GroupSettings(this.queue.settings().policy(),
				Map.of("a", new GroupOverride(null, null, set(fast), null))));
		assertThat(this.shard.roomInLimits("a", 100 * SECOND)).isZero();
		assertThat(this.shard.roomInLimits("a", 101 * SECOND)).isEqualTo(10);
	}

	@Test
	void groupWaitsAsLongAsAJobHasAsked() {
		limited(new Limits(2, RATE), Map.of());
		this.waits.putAll(Map.of("a", 104 * SECOND, "b", 104 * SECOND));
		start("b", 2, 0);
		assertThat(this.shard.untilRoom("a", 100 * SECOND)).isEqualTo(4 * SECOND);
		assertThat(this.shard.untilRoom("b", 100 * SECOND)).isEqualTo(Long.MAX_VALUE);
		assertThat(this.shard.untilRoom("c", 100 * SECOND)).isZero();
		assertThat(turns(100 * SECOND).others()).isFalse();
		full("a");
		this.shard.lookForRoom(100 * SECOND);
		assertThat(named(100 * SECOND)).doesNotContain("a");
	}

	/** However tasks end, what is kept is what can be counted. */
	@RepeatedTest(20)
	void keptCountsAreThoseCountedAnew(RepetitionInfo repetition) {
		SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
		List<Map.Entry<List<String>, QueueTurns.Turn>> fetched = new ArrayList<>();
		List<Map.Entry<List<String>, QueueTurns.Turn>> running = new ArrayList<>();
		List<String> names = List.of("a", "b", "c", "");
		for (long nanos = 0; nanos < 300; nanos++) {
			int dice = fetched.isEmpty() && running.isEmpty() ? 0 : random.nextInt(5);
			if (dice <= 1) {
				List<String> groups = random.ints(1 + random.nextInt(3), 0, 4).mapToObj(names::get).toList();
				fetched.add(Map.entry(groups, this.queue.take(groups)));
			}
			else if (dice == 2 && !fetched.isEmpty()) {
				Map.Entry<List<String>, QueueTurns.Turn> next = fetched.remove(0);
				next.getValue().start(nanos);
				running.add(next);
			}
			else if (dice == 3 && !running.isEmpty()) {
				running.remove(random.nextInt(running.size())).getValue().end(nanos);
			}
			else if (!fetched.isEmpty()) {
				fetched.remove(0).getValue().giveBack();
			}
			else {
				running.remove(0).getValue().lose();
			}
			for (String group : names) {
				long counted = Stream.concat(fetched.stream(), running.stream())
					.flatMap((task) -> task.getKey().stream())
					.filter(group::equals)
					.count();
				assertThat(this.queue.jobs(group)).isEqualTo((int) counted);
			}
		}
		fetched.forEach((task) -> task.getValue().lose());
		running.forEach((task) -> task.getValue().lose());
		assertThat(this.queue.active()).isEmpty();
	}

}
