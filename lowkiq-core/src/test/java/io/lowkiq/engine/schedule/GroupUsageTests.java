package io.lowkiq.engine.schedule;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.GroupTurns.Use;
import io.lowkiq.store.WaitingGroups;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupUsageTests {

	private static final int ANY = Integer.MAX_VALUE;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimit RATE = new RateLimit(1, Duration.ofSeconds(1), 3);

	private static GroupUsage usage(GroupPolicy policy) {
		return new GroupUsage(new GroupSettings(policy, Map.of()), 10, new GroupStarts(0), Map.of(), 0);
	}

	private static GroupUsage limited(Limits limits, GroupStarts starts, long nanos) {
		return overridden(limits, Map.of(), starts, nanos);
	}

	private static GroupUsage overridden(Limits limits, Map<String, GroupOverride> overrides, GroupStarts starts,
			long nanos) {
		GroupPolicy policy = new GroupPolicy(":", 100, Map.of(), true, limits);
		return new GroupUsage(new GroupSettings(policy, overrides), 10, starts, Map.of(), nanos);
	}

	@Test
	void namesGroupsThatRunAndThoseWithAWeight() {
		GroupUsage usage = usage(new GroupPolicy(":", 100, Map.of("a", 3, "b", 2)));
		usage.add("a:1");
		usage.add("c:1");
		usage.add("a:2");
		usage.add("none");
		GroupTurns turns = usage.turns(full(), Set.of());
		assertThat(turns.separator()).isEqualTo(":");
		assertThat(turns.room()).isEqualTo(ANY);
		assertThat(turns.uses()).containsExactlyInAnyOrder(new Use("a", 2, 3, ANY), new Use("b", 0, 2, ANY),
				new Use("c", 1, 1, ANY), new Use("", 1, 1, ANY));
	}

	@Test
	void groupHasNoMoreThanItsShare() {
		GroupUsage usage = usage(new GroupPolicy(":", 25, Map.of()));
		usage.add("a:1");
		assertThat(usage.untilRoom("a")).isZero();
		usage.add("a:2");
		assertThat(usage.untilRoom("a")).isEqualTo(Long.MAX_VALUE);
		assertThat(usage.untilRoom("b")).isZero();
		GroupTurns turns = usage.turns(full("b"), Set.of());
		assertThat(turns.room()).isEqualTo(2);
		assertThat(turns.uses()).contains(new Use("a", 2, 1, 0), new Use("b", 0, 1, 2));
		assertThat(usage(new GroupPolicy(":", 1, Map.of())).turns(full(), Set.of()).room()).isEqualTo(1);
	}

	@Test
	void whatCallsUnderWayMayBringCounts() {
		GroupUsage usage = usage(new GroupPolicy(":", 50, Map.of()));
		usage.add("a:1");
		usage.reserve(4);
		assertThat(usage.untilRoom("a")).isEqualTo(Long.MAX_VALUE);
		assertThat(usage.untilRoom("b")).isZero();
		assertThat(usage.turns(full(), Set.of()).room()).isEqualTo(1);
		usage.reserve(9);
		assertThat(usage.hasRoom()).isFalse();
		assertThat(usage.turns(full(), Set.of()).room()).isZero();
	}

	@Test
	void withoutAShareNothingIsReserved() {
		GroupUsage usage = usage(new GroupPolicy(":"));
		usage.reserve(20);
		assertThat(usage.hasRoom()).isTrue();
		assertThat(usage.turns(full(), Set.of()).room()).isEqualTo(ANY);
	}

	@Test
	void queueWithoutGroupsServesThoseOfBefore() {
		assertThat(usage(GroupPolicy.NONE).turns(full(), Set.of())).isEqualTo(GroupTurns.OF_BEFORE);
	}

	@Test
	void groupHasNoMoreThanItsLimits() {
		GroupStarts starts = new GroupStarts(0);
		starts.begin("a", RATE, 100 * SECOND);
		starts.begin("a", RATE, 100 * SECOND);
		GroupUsage usage = limited(new Limits(2, RATE), starts, 100 * SECOND);
		usage.add("a:1");
		usage.add("b:1");
		usage.add("b:2");
		usage.add("b:3");
		usage.addFetched("a:1");
		assertThat(usage.roomInLimits("a")).isZero();
		assertThat(usage.untilRoom("a")).isEqualTo(SECOND);
		assertThat(usage.roomInLimits("b")).isNegative();
		assertThat(usage.untilRoom("b")).isEqualTo(Long.MAX_VALUE);
		assertThat(usage.roomInLimits("")).isEqualTo(ANY);
		GroupTurns turns = usage.turns(full(), Set.of());
		assertThat(turns.room()).isEqualTo(2);
		assertThat(turns.uses()).containsExactlyInAnyOrder(new Use("a", 1, 1, 0), new Use("b", 3, 1, 0),
				new Use("", 0, 1, ANY));
	}

	@Test
	void groupsBeginWithNothingSavedUpAndFullBucketsAreForgotten() {
		GroupStarts starts = new GroupStarts(0);
		Limits limits = new Limits(0, RATE);
		assertThat(starts.untilFirst(RATE, 0)).isEqualTo(SECOND);
		assertThat(limited(limits, starts, 0).turns(full(), Set.of()).room()).isZero();
		assertThat(limited(limits, starts, SECOND).turns(full(), Set.of()).room()).isEqualTo(1);
		IntStream.range(0, 50).forEach((i) -> starts.begin("g" + i, RATE, 10 * SECOND));
		starts.begin("late", RATE, 11 * SECOND);
		assertThat(starts.used(11 * SECOND - 1)).hasSize(51);
		assertThat(starts.used(11 * SECOND)).containsExactly("late");
		assertThat(limited(limits, starts, 11 * SECOND).turns(full(), Set.of()).room()).isEqualTo(3);
	}

	@Test
	void onlyFullGroupsThatHaveRoomAgainAreNamedAndNotTooMany() {
		GroupStarts starts = new GroupStarts(0);
		Set<String> full = IntStream.range(0, 6_000).mapToObj((i) -> "g" + i).collect(Collectors.toSet());
		full.forEach((group) -> {
			for (int i = 0; i < 3; i++) {
				starts.begin(group, RATE, 10 * SECOND);
			}
		});
		Limits limits = new Limits(0, RATE);
		FullGroups all = full(full.toArray(String[]::new));
		assertThat(limited(limits, starts, 10 * SECOND).turns(all, Set.of()).uses()).extracting(Use::group)
			.containsExactly("");
		assertThat(limited(limits, starts, 11 * SECOND).turns(all, Set.of()).uses()).hasSize(501)
			.allMatch((use) -> use.room() > 0);
		assertThat(limited(limits, starts, 10 * SECOND).turns(full(), Set.of()).uses()).hasSize(5_000);
	}

	private static FullGroups full(String... groups) {
		FullGroups full = new FullGroups();
		full.note(new WaitingGroups(false, true, new LinkedHashSet<>(List.of(groups))), GroupTurns.OF_BEFORE);
		return full;
	}

	@Test
	void pausedGroupsAreLookedAtWhenTheSettingsChangeOnly() {
		GroupPolicy policy = new GroupPolicy(":");
		GroupSettings paused = new GroupSettings(policy, Map.of("a", new GroupOverride(set(true), null, null, null)));
		FullGroups full = full("a", "b");
		assertThat(full.awake(paused, 0)).containsExactly("b");
		full.note(new WaitingGroups(false, true, Set.of("a", "c")), GroupTurns.OF_BEFORE);
		assertThat(full.awake(paused, 0)).containsExactly("b", "c");
		assertThat(full.contains("a")).isTrue();
		GroupSettings resumed = new GroupSettings(policy, Map.of());
		assertThat(full.awake(resumed, 0)).containsExactly("b", "c", "a");
	}

	@Test
	void groupsThatWaitForATimeAreNotLookedAtBefore() {
		GroupSettings settings = new GroupSettings(new GroupPolicy(":", 100, Map.of(), true, new Limits(2, RATE)),
				Map.of());
		FullGroups full = full("a", "b", "running", "fetched");
		GroupUsage usage = new GroupUsage(settings, 10, allUsed("a", "b", "fetched"), Map.of(), 10 * SECOND);
		usage.add("running:1");
		usage.add("running:2");
		usage.addFetched("fetched:1");
		assertThat(usage.untilRoom(full)).isEqualTo(SECOND);
		full.note(new WaitingGroups(false, true, Set.of("a")), GroupTurns.OF_BEFORE);
		assertThat(full.awake(settings, 11 * SECOND - 1)).containsExactly("running", "fetched");
		assertThat(full.contains("a")).isTrue();
		assertThat(full.awake(settings, 11 * SECOND)).containsExactlyInAnyOrder("running", "fetched", "a", "b");
		assertThat(full.untilAwake(11 * SECOND)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void groupsSleepUntilTheSettingsChangeOrTheyAreNamedWithRoom() {
		GroupPolicy policy = new GroupPolicy(":", 100, Map.of(), true, new Limits(0, RATE));
		GroupSettings changed = new GroupSettings(policy, Map.of());
		GroupStarts starts = allUsed("a", "b");
		FullGroups full = full("a", "b");
		new GroupUsage(new GroupSettings(policy, Map.of()), 10, starts, Map.of(), 10 * SECOND).untilRoom(full);
		assertThat(full.awake(changed, 10 * SECOND)).containsExactlyInAnyOrder("a", "b");
		new GroupUsage(changed, 10, starts, Map.of(), 10 * SECOND).untilRoom(full);
		full.note(WaitingGroups.SOME, new GroupTurns(":", 1, List.of(new Use("a", 0, 1, 1))));
		assertThat(full.contains("a")).isFalse();
		assertThat(full.contains("b")).isTrue();
		assertThat(full.awake(changed, 11 * SECOND)).containsExactly("b");
	}

	/** Groups that have nothing saved up in the tenth second. */
	private static GroupStarts allUsed(String... groups) {
		GroupStarts starts = new GroupStarts(0);
		for (String group : groups) {
			IntStream.range(0, RATE.burst()).forEach((i) -> starts.begin(group, RATE, 10 * SECOND));
		}
		return starts;
	}

	@Test
	void groupsThatWereNamedWithRoomOrAreGoneAreNoLongerFull() {
		FullGroups full = full("a", "b", "c");
		GroupTurns turns = new GroupTurns(":", 1, List.of(new Use("a", 0, 1, 1), new Use("b", 1, 1, 0)));
		full.note(new WaitingGroups(false, true, Set.of("d")), turns);
		assertThat(full.awake(new GroupSettings(new GroupPolicy(":"), Map.of()), 0)).containsExactly("b", "c", "d");
		full.note(WaitingGroups.NONE, turns);
		assertThat(full.isEmpty()).isTrue();
		full = full("a");
		full.note(WaitingGroups.SOME, null);
		assertThat(full.isEmpty()).isTrue();
	}

	private static <T> Change<T> set(T value) {
		return new Change<>(value, "anna", 1);
	}

	@Test
	void whatOperatorsHaveSetStandsInPlaceOfTheSettings() {
		RateLimit slow = new RateLimit(1, Duration.ofSeconds(10), 1);
		Map<String, GroupOverride> overrides = Map.of("paused", new GroupOverride(set(true), null, null, null), "small",
				new GroupOverride(null, set(1), null, null), "slow", new GroupOverride(null, null, set(slow), null),
				"heavy", new GroupOverride(null, null, null, set(7)), "",
				new GroupOverride(set(true), set(1), set(slow), set(9)));
		GroupStarts starts = new GroupStarts(0);
		GroupUsage usage = overridden(new Limits(4, null), overrides, starts, 10 * SECOND);
		usage.add("small:1");
		assertThat(usage.turns(full("paused"), Set.of("found")).uses()).containsExactlyInAnyOrder(
				new Use("small", 1, 1, 0), new Use("slow", 0, 1, 1), new Use("heavy", 0, 7, 4), new Use("", 0, 1, ANY),
				new Use("found", 0, 1, 4));
		assertThat(usage.turns(full(), Set.of()).uses()).contains(new Use("paused", 0, 1, 0));
		assertThat(usage.turns(full(), Set.of()).room()).isEqualTo(4);
		assertThat(usage.untilRoom("paused")).isEqualTo(Long.MAX_VALUE);
		assertThat(usage.untilRoom("small")).isEqualTo(Long.MAX_VALUE);
		starts.begin("slow", slow, 10 * SECOND);
		assertThat(usage.untilRoom("slow")).isEqualTo(10 * SECOND);
		assertThat(new GroupSettings(new GroupPolicy(":"), Map.of()).areLimited()).isFalse();
		assertThat(new GroupSettings(new GroupPolicy(":"), overrides).areLimited()).isTrue();
	}

	@Test
	void limitsSetForGroupsOverAllShardsHaveNoEffect() {
		Map<String, GroupOverride> overrides = Map.of("a", new GroupOverride(null, set(1), set(RATE), null));
		GroupUsage usage = new GroupUsage(new GroupSettings(new GroupPolicy(":"), overrides), 10, new GroupStarts(0),
				Map.of(), 0);
		assertThat(usage.roomInLimits("a")).isEqualTo(ANY);
	}

	@Test
	void groupWhoseRateChangesBeginsWithNothingSavedUp() {
		RateLimit fast = new RateLimit(10, Duration.ofSeconds(1), 10);
		Map<String, GroupOverride> overrides = Map.of("a", new GroupOverride(null, null, set(fast), null));
		GroupStarts starts = new GroupStarts(0);
		starts.begin("a", RATE, 100 * SECOND);
		Limits limits = new Limits(0, RATE);
		assertThat(limited(limits, starts, 100 * SECOND).roomInLimits("a")).isEqualTo(2);
		assertThat(overridden(limits, overrides, starts, 100 * SECOND).roomInLimits("a")).isZero();
		assertThat(overridden(limits, overrides, starts, 101 * SECOND).roomInLimits("a")).isEqualTo(10);
	}

	@Test
	void groupsWithSettingsOfTheirOwnAreNotAllNamed() {
		GroupUsage usage = overridden(Limits.NONE, overrides(10_000, new GroupOverride(null, set(1), null, null)),
				new GroupStarts(0), 0);
		assertThat(usage.turns(full(), Set.of("g9999")).uses()).hasSize(102).contains(new Use("g9999", 0, 1, 1));
	}

	@Test
	void pausedGroupsAreNamedInTurnIfAJobOfOneWentBack() {
		Map<String, GroupOverride> overrides = overrides(2_000, new GroupOverride(set(true), null, null, null));
		GroupUsage usage = overridden(Limits.NONE, overrides, new GroupStarts(0), 0);
		FullGroups full = full("g5");
		Set<String> named = new HashSet<>();
		assertThat(usage.turns(full, Set.of()).uses()).hasSize(101);
		for (int i = 0; i < 4; i++) {
			List<Use> uses = usage.turns(full, Set.of("g1234")).uses();
			assertThat(uses).hasSizeBetween(500, 602)
				.filteredOn((use) -> !use.group().isEmpty())
				.allMatch((use) -> use.room() == 0);
			uses.forEach((use) -> named.add(use.group()));
		}
		assertThat(named).hasSize(2_000).containsAll(Set.of("", "g0", "g1999")).doesNotContain("g5");
	}

	private static Map<String, GroupOverride> overrides(int groups, GroupOverride override) {
		return IntStream.range(0, groups).boxed().collect(Collectors.toMap((i) -> "g" + i, (i) -> override));
	}

	@Test
	void groupWaitsAsLongAsAJobHasAsked() {
		GroupPolicy policy = new GroupPolicy(":", 100, Map.of(), true, new Limits(2, RATE));
		GroupUsage usage = new GroupUsage(new GroupSettings(policy, Map.of()), 10, new GroupStarts(0),
				Map.of("a", 104 * SECOND, "b", 104 * SECOND), 100 * SECOND);
		usage.add("b:1");
		usage.add("b:2");
		assertThat(usage.untilRoom("a")).isEqualTo(4 * SECOND);
		assertThat(usage.untilRoom("b")).isEqualTo(Long.MAX_VALUE);
		assertThat(usage.untilRoom("c")).isZero();
		assertThat(usage.turns(full(), Set.of()).uses()).contains(new Use("a", 0, 1, 0));
		assertThat(usage.turns(full("a"), Set.of()).uses()).extracting(Use::group).doesNotContain("a");
	}

}
