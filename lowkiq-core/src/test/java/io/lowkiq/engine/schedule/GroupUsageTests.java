package io.lowkiq.engine.schedule;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.GroupTurns.Use;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupUsageTests {

	private static final int ANY = Integer.MAX_VALUE;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final RateLimit RATE = new RateLimit(1, Duration.ofSeconds(1), 3);

	private static GroupUsage usage(GroupPolicy policy) {
		return new GroupUsage(policy, 10, null, 0);
	}

	private static GroupUsage limited(Limits limits, GroupStarts starts, long nanos) {
		return new GroupUsage(new GroupPolicy(":", 100, Map.of(), true, limits), 10, starts, nanos);
	}

	@Test
	void namesGroupsThatRunAndThoseWithAWeight() {
		GroupUsage usage = usage(new GroupPolicy(":", 100, Map.of("a", 3, "b", 2)));
		usage.add("a:1");
		usage.add("c:1");
		usage.add("a:2");
		usage.add("none");
		GroupTurns turns = usage.turns(Set.of());
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
		GroupTurns turns = usage.turns(Set.of("b"));
		assertThat(turns.room()).isEqualTo(2);
		assertThat(turns.uses()).contains(new Use("a", 2, 1, 0), new Use("b", 0, 1, 2));
		assertThat(usage(new GroupPolicy(":", 1, Map.of())).turns(Set.of()).room()).isEqualTo(1);
	}

	@Test
	void whatCallsUnderWayMayBringCounts() {
		GroupUsage usage = usage(new GroupPolicy(":", 50, Map.of()));
		usage.add("a:1");
		usage.reserve(4);
		assertThat(usage.untilRoom("a")).isEqualTo(Long.MAX_VALUE);
		assertThat(usage.untilRoom("b")).isZero();
		assertThat(usage.turns(Set.of()).room()).isEqualTo(1);
		usage.reserve(9);
		assertThat(usage.hasRoom()).isFalse();
		assertThat(usage.turns(Set.of()).room()).isZero();
	}

	@Test
	void withoutAShareNothingIsReserved() {
		GroupUsage usage = usage(new GroupPolicy(":"));
		usage.reserve(20);
		assertThat(usage.hasRoom()).isTrue();
		assertThat(usage.turns(Set.of()).room()).isEqualTo(ANY);
	}

	@Test
	void queueWithoutGroupsServesThoseOfBefore() {
		assertThat(usage(GroupPolicy.NONE).turns(Set.of())).isEqualTo(GroupTurns.OF_BEFORE);
	}

	@Test
	void groupHasNoMoreThanItsLimits() {
		GroupStarts starts = new GroupStarts(RATE, 0);
		starts.begin("a", 100 * SECOND);
		starts.begin("a", 100 * SECOND);
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
		GroupTurns turns = usage.turns(Set.of());
		assertThat(turns.room()).isEqualTo(2);
		assertThat(turns.uses()).containsExactlyInAnyOrder(new Use("a", 1, 1, 0), new Use("b", 3, 1, 0),
				new Use("", 0, 1, ANY));
	}

	@Test
	void groupsBeginWithNothingSavedUpAndFullBucketsAreForgotten() {
		GroupStarts starts = new GroupStarts(RATE, 0);
		Limits limits = new Limits(0, RATE);
		assertThat(starts.untilFirst(0)).isEqualTo(SECOND);
		assertThat(limited(limits, starts, 0).turns(Set.of()).room()).isZero();
		assertThat(limited(limits, starts, SECOND).turns(Set.of()).room()).isEqualTo(1);
		IntStream.range(0, 50).forEach((i) -> starts.begin("g" + i, 10 * SECOND));
		starts.begin("late", 11 * SECOND);
		assertThat(starts.used(11 * SECOND - 1)).hasSize(51);
		assertThat(starts.used(11 * SECOND)).containsExactly("late");
		assertThat(limited(limits, starts, 11 * SECOND).turns(Set.of()).room()).isEqualTo(3);
	}

	@Test
	void onlyFullGroupsThatHaveRoomAgainAreNamedAndNotTooMany() {
		GroupStarts starts = new GroupStarts(RATE, 0);
		Set<String> full = IntStream.range(0, 6_000).mapToObj((i) -> "g" + i).collect(Collectors.toSet());
		full.forEach((group) -> {
			for (int i = 0; i < 3; i++) {
				starts.begin(group, 10 * SECOND);
			}
		});
		Limits limits = new Limits(0, RATE);
		assertThat(limited(limits, starts, 10 * SECOND).turns(full).uses()).extracting(Use::group).containsExactly("");
		assertThat(limited(limits, starts, 11 * SECOND).turns(full).uses()).hasSize(501)
			.allMatch((use) -> use.room() > 0);
		assertThat(limited(limits, starts, 10 * SECOND).turns(Set.of()).uses()).hasSize(5_000);
	}

}
