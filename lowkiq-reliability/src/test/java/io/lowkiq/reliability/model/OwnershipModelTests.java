package io.lowkiq.reliability.model;

import java.util.EnumSet;
import java.util.Set;

import io.lowkiq.reliability.model.World.Invariant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the whole model of the ownership: the protocol holds I1, I3 and I6, and each
 * rule that is taken out lets one of them be broken.
 */
class OwnershipModelTests {

	/** Goes further, which takes many minutes and more heap than a build gives it. */
	private static final boolean DEEP = Boolean.getBoolean("model.deep");

	private static final Bounds SLOW_HEARTBEATS = new Bounds(2, 1, 0, 0, 0, true);

	/** One node, whose calls get lost and are applied late again and again. */
	private static final Bounds MANY_LOST_ANSWERS = new Bounds(1, 2, 0, 3, 0, false, false);

	private static final Bounds LOST_ANSWERS = new Bounds(2, 2, 0, 1, 1, false);

	@Test
	void slowHeartbeatsBreakNothing() {
		assertHolds(SLOW_HEARTBEATS);
	}

	@Test
	void lateAndLostCallsBreakNothing() {
		assertHolds(new Bounds(2, 2, 0, DEEP ? 2 : 1, 0, false));
	}

	@Test
	void manyLateAndLostCallsOfOneNodeBreakNothing() {
		assertHolds(MANY_LOST_ANSWERS);
	}

	@Test
	void repeatedCallsBreakNothing() {
		assertHolds(new Bounds(2, DEEP ? 2 : 1, 0, 0, 1, false));
	}

	@Test
	void crashesBreakNothing() {
		assertHolds(new Bounds(2, 2, DEEP ? 2 : 1, 0, 0, false));
	}

	@Test
	void crashesWithLateCallsBreakNothing() {
		assertHolds(new Bounds(2, 1, 1, DEEP ? 1 : 0, 0, false));
	}

	@Test
	void threeNodesBreakNothing() {
		assertHolds(new Bounds(3, 1, DEEP ? 1 : 0, 0, 0, false));
	}

	@Test
	void withoutTheEpochAFencedOwnerChangesTheShard() {
		assertBroken(LOST_ANSWERS, Rules.WITHOUT_EPOCH, Invariant.FENCING);
	}

	@Test
	void withoutTheEpochAPayloadIsLost() {
		assertBroken(LOST_ANSWERS, Rules.WITHOUT_EPOCH, Invariant.NOTHING_LOST);
	}

	@Test
	void withoutTheSequenceNumberAPayloadIsLost() {
		assertBroken(LOST_ANSWERS, Rules.WITHOUT_SEQUENCE, Invariant.NOTHING_LOST);
	}

	@Test
	void withSessionsThatRiseAgainTwoNodesPerformAtOnce() {
		assertBroken(SLOW_HEARTBEATS, Rules.WITHOUT_FINAL_END, Invariant.EXCLUSION);
	}

	@Test
	void withALeaseCountedFromTheAnswerTwoNodesPerformAtOnce() {
		assertBroken(SLOW_HEARTBEATS, Rules.COUNTED_FROM_ANSWER, Invariant.EXCLUSION);
	}

	@Test
	void withClaimsThatNameNoEpochAJobIsStranded() {
		assertBroken(MANY_LOST_ANSWERS, Rules.WITHOUT_CLAIMED_EPOCH, Set.of(), true, "STRANDED");
	}

	@Test
	void withHandOversThatAreNoStepsAJobIsStranded() {
		assertBroken(new Bounds(1, 1, 0, 0, 0, false, false), Rules.WITHOUT_STEPS_OF_THE_STORE, Set.of(), true,
				"STRANDED");
	}

	private static void assertHolds(Bounds bounds) {
		Search search = new Search(new World(bounds, Rules.ALL), EnumSet.allOf(Invariant.class), true);
		assertThat(search.violation()).isEmpty();
		System.out.printf("Ownership model: %,d states within %s%n", search.states(), bounds);
	}

	private static void assertBroken(Bounds bounds, Rules rules, Invariant invariant) {
		assertBroken(bounds, rules, Set.of(invariant), false, invariant.name());
	}

	private static void assertBroken(Bounds bounds, Rules rules, Set<Invariant> invariants, boolean withProgress,
			String fault) {
		Search search = new Search(new World(bounds, rules), invariants, withProgress);
		assertThat(search.violation()).last().isEqualTo(fault);
		System.out.printf("Ownership model, %s broken: %s%n", rules, String.join(", ", search.violation()));
	}

}
