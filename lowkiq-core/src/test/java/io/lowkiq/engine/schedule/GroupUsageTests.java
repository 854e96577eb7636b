package io.lowkiq.engine.schedule;

import java.util.Map;

import io.lowkiq.GroupPolicy;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.GroupTurns.Use;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GroupUsageTests {

	@Test
	void namesGroupsThatRunAndThoseWithAWeight() {
		GroupUsage usage = new GroupUsage(new GroupPolicy(":", 100, Map.of("a", 3, "b", 2)), 10);
		usage.add("a:1");
		usage.add("c:1");
		usage.add("a:2");
		usage.add("none");
		GroupTurns turns = usage.turns();
		assertThat(turns.separator()).isEqualTo(":");
		assertThat(turns.most()).isEqualTo(Integer.MAX_VALUE);
		assertThat(turns.uses()).containsExactlyInAnyOrder(new Use("a", 2, 3), new Use("b", 0, 2), new Use("c", 1, 1),
				new Use("", 1, 1));
	}

	@Test
	void groupHasNoMoreThanItsShare() {
		GroupUsage usage = new GroupUsage(new GroupPolicy(":", 25, Map.of()), 10);
		usage.add("a:1");
		assertThat(usage.isFull("a")).isFalse();
		usage.add("a:2");
		assertThat(usage.isFull("a")).isTrue();
		assertThat(usage.isFull("b")).isFalse();
		assertThat(usage.turns().most()).isEqualTo(2);
		assertThat(new GroupUsage(new GroupPolicy(":", 1, Map.of()), 10).turns().most()).isEqualTo(1);
	}

	@Test
	void whatCallsUnderWayMayBringCounts() {
		GroupUsage usage = new GroupUsage(new GroupPolicy(":", 50, Map.of()), 10);
		usage.add("a:1");
		usage.reserve(4);
		assertThat(usage.isFull("a")).isTrue();
		assertThat(usage.isFull("b")).isFalse();
		assertThat(usage.turns().most()).isEqualTo(1);
		usage.reserve(9);
		assertThat(usage.hasRoom()).isFalse();
		assertThat(usage.turns().most()).isZero();
	}

	@Test
	void withoutAShareNothingIsReserved() {
		GroupUsage usage = new GroupUsage(new GroupPolicy(":"), 10);
		usage.reserve(20);
		assertThat(usage.hasRoom()).isTrue();
		assertThat(usage.turns().most()).isEqualTo(Integer.MAX_VALUE);
	}

	@Test
	void queueWithoutGroupsServesThoseOfBefore() {
		assertThat(new GroupUsage(GroupPolicy.NONE, 10).turns()).isEqualTo(GroupTurns.OF_BEFORE);
	}

}
