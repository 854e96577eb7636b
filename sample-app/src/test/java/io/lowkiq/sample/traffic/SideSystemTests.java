package io.lowkiq.sample.traffic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link SideSystem}.
 */
class SideSystemTests {

	private final List<SideSystem.Change> changes = new ArrayList<>();

	@BeforeEach
	void makeChanges() {
		SideSystem sideSystem = new SideSystem(new Random(1), 20, 1_000);
		for (int i = 0; i < 2_000; i++) {
			this.changes.add(sideSystem.next());
		}
	}

	@Test
	void versionsAreDistinctAndNotBeforeTheFirst() {
		assertThat(this.changes).extracting(SideSystem.Change::version)
			.doesNotHaveDuplicates()
			.allMatch((v) -> v >= 1_000);
	}

	@Test
	void ordersChangeInBursts() {
		int repeated = 0;
		for (int i = 1; i < this.changes.size(); i++) {
			repeated += this.changes.get(i).id().equals(this.changes.get(i - 1).id()) ? 1 : 0;
		}
		assertThat(repeated).isGreaterThan(this.changes.size() / 2);
	}

	@Test
	void someChangesComeInTheWrongOrder() {
		Map<String, Long> newest = new HashMap<>();
		int late = 0;
		for (SideSystem.Change change : this.changes) {
			Long before = newest.merge(change.id(), change.version(), Math::max);
			late += (before > change.version()) ? 1 : 0;
		}
		assertThat(late).isBetween(1, this.changes.size() / 2);
	}

	@Test
	void someOrdersFail() {
		assertThat(this.changes).extracting(SideSystem.Change::id).contains("flaky-1", "flaky-2", "broken-1");
		assertThat(this.changes).filteredOn((change) -> change.id().equals("broken-1"))
			.hasSizeLessThan(this.changes.size() / 20)
			.allMatch((change) -> change.status().equals("WAREHOUSE_REFUSES"));
	}

	@Test
	void troublesComeFirstSoThatAVisitorSeesTheMorgueSoon() {
		assertThat(this.changes.subList(0, 4)).extracting(SideSystem.Change::id)
			.containsExactly("broken-1", "flaky-1", "flaky-1", "flaky-2");
	}

	@Test
	void changeIsWrittenAsTheDoorTakesIt() {
		assertThat(new SideSystem.Change("42", 7, "PAID", "12.50").toJson())
			.isEqualTo("{\"version\":7,\"status\":\"PAID\",\"amount\":\"12.50\"}");
	}

}
