package io.lowkiq.reliability.model;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import io.lowkiq.reliability.model.Bounds.Failover;
import io.lowkiq.reliability.model.World.Invariant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the whole model of the ownership: the protocol keeps I1, I3, I6 and the rule
 * of the crash marks, and each rule that is taken out lets one of them be broken.
 */
class OwnershipModelTests {

	/** Goes further, which takes many minutes and more heap than a build gives it. */
	private static final boolean DEEP = Boolean.getBoolean("model.deep");

	/** All rules but the one that goes beyond the protocol. */
	private static final Set<Rule> RULES = EnumSet.allOf(Rule.class);

	private static final Bounds TWO_NODES = Bounds.nodes(2, 1, 0);

	/** One node, whose session does not end. */
	private static final Bounds ONE_NODE = Bounds.nodes(1, 1, 0).withoutTime();

	private static final Bounds ONE_NODE_TWO_PAYLOADS = Bounds.nodes(1, 2, 0).withoutTime();

	/** Two ids, one of them with two payloads. */
	private static final Bounds ONE_NODE_TWO_IDS = Bounds.nodes(1, 2, 1).withoutTime();

	/** Two nodes, whose sessions don't end, and a failover of the shard. */
	private static final Bounds FORGETFUL = TWO_NODES.withoutTime()
		.withoutJobsThatComeBack()
		.failover(Failover.OF_THE_SHARD);

	@Test
	void theProtocolKeepsItsPromises() {
		// Two ids performed at once break nothing
		assertHolds(Bounds.nodes(2, DEEP ? 2 : 1, 1).withoutJobsThatComeBack());
		// Payloads behind a busy id break nothing
		assertHolds(Bounds.nodes(2, 2, 0).withoutJobsThatComeBack());
		// Slow heartbeats break nothing
		assertHolds(simple(TWO_NODES).withSlowHeartbeats());
		// Late and lost calls break nothing
		assertHolds(simple(TWO_NODES).timeouts(DEEP ? 2 : 1));
		// Repeated calls break nothing
		assertHolds(simple(TWO_NODES).repeats(DEEP ? 2 : 1));
		// Late lost and repeated calls about two ids break nothing
		assertHolds(ONE_NODE_TWO_IDS.timeouts(2).repeats(1));
		// Crashes break nothing
		assertHolds(simple(TWO_NODES).crashes(DEEP ? 2 : 1));
		// Registry that forgets sessions and their end breaks nothing
		assertHolds(simple(TWO_NODES).failover(Failover.OF_SESSIONS));
		// Shard that goes back loses only what it forgot
		assertHolds(ONE_NODE_TWO_PAYLOADS.timeouts(1).failover(Failover.OF_THE_SHARD));
		assertHolds(ONE_NODE.timeouts(DEEP ? 2 : 1).failover(Failover.OF_THE_SHARD_AND_AN_EPOCH));
		// Shard whose release is forgotten finds its new owner
		assertHolds(FORGETFUL);
		// With a holder that is not told a shard whose release is forgotten stays without
		// an owner
		assertStranded(FORGETFUL, Rule.HOLDER_TOLD);
	}

	@Test
	void threeNodesBreakNothing() {
		Bounds bounds = Bounds.nodes(3, 1, 0).withoutJobsThatComeBack();
		assertHolds(DEEP ? bounds : bounds.withoutTime());
	}

	@Test
	void rulesOfCallsAreNeeded() {
		// Without the epoch a fenced owner changes the shard
		assertBroken(ONE_NODE.timeouts(1), Invariant.FENCING, Rule.EPOCH_CHECKED);
		// Without the epoch a payload is lost
		assertBroken(ONE_NODE_TWO_PAYLOADS.timeouts(1).repeats(1), Invariant.NOTHING_LOST, Rule.EPOCH_CHECKED);
		// Without the sequence number a payload is lost
		assertBroken(ONE_NODE_TWO_PAYLOADS.repeats(1), Invariant.NOTHING_LOST, Rule.SEQUENCE_CHECKED);
	}

	/** A second guard: it holds where a request or an epoch fails. */
	@Test
	void withoutTheCountOfBusyJobsAnEpochGivenTwiceLetsAnIdBePerformedTwiceAtOnce() {
		Bounds bounds = ONE_NODE.timeouts(1).failover(Failover.OF_THE_SHARD_AND_AN_EPOCH);
		assertBroken(bounds, Invariant.EXCLUSION, Rule.BUSY_COUNTED);
	}

	@Test
	void withRequestsThatNameNoEpochAnIdIsPerformedTwiceAtOnce() {
		Bounds bounds = ONE_NODE_TWO_PAYLOADS.timeouts(3);
		assertBroken(bounds, Invariant.EXCLUSION, Rule.REQUEST_NAMES_EPOCH, Rule.BUSY_COUNTED);
		assertHolds(bounds, Rule.REQUEST_NAMES_EPOCH);
		assertHolds(bounds, Rule.BUSY_COUNTED);
	}

	/** Another second guard: nothing is sent after a release under the same epoch. */
	@Test
	void aReleaseNeedsNoNumber() {
		assertHolds(simple(TWO_NODES).withoutTime().timeouts(2).repeats(1), Rule.RELEASE_NUMBERED);
		assertHolds(FORGETFUL.timeouts(1), Rule.RELEASE_NUMBERED);
	}

	@Test
	void withoutRestoringAfterACallOutOfStepAJobIsStranded() {
		Bounds bounds = ONE_NODE.timeouts(1).failover(Failover.OF_THE_SHARD_AND_AN_EPOCH);
		assertStranded(bounds, Rule.OUT_OF_STEP_RESTORES);
	}

	/** No rule of the protocol helps: epochs have to be unique. */
	@Test
	void withAnEpochGivenTwiceAPayloadIsLost() {
		Bounds bounds = ONE_NODE_TWO_PAYLOADS.timeouts(1).failover(Failover.OF_THE_SHARD_AND_AN_EPOCH);
		assertBroken(bounds, Invariant.NOTHING_LOST);
	}

	@Test
	void rulesOfJobsAreNeeded() {
		// With busy ids that are fetched a payload is lost
		assertBroken(ONE_NODE_TWO_PAYLOADS, Invariant.NOTHING_LOST, Rule.BUSY_SKIPPED);
		// With busy ids that are fetched two threads perform one
		assertBroken(ONE_NODE_TWO_PAYLOADS, Invariant.EXCLUSION, Rule.BUSY_SKIPPED);
		// With payloads left behind their id a job is stranded
		assertStranded(ONE_NODE_TWO_PAYLOADS, Rule.BEHIND_RELEASED);
		// With busy jobs that are not restored a job is stranded
		assertStranded(ONE_NODE.timeouts(1), Rule.BUSY_RESTORED);
		// With a late request that marks jobs a living owner looks crashed
		assertBroken(simple(TWO_NODES).repeats(1), Invariant.MARKS, Rule.ONLY_THE_DEAD_MARK);
		// Without waiting for old performs two threads perform one id
		assertBroken(ONE_NODE.timeouts(1), Invariant.EXCLUSION, Rule.OLD_PERFORMS_AWAITED);
		// With a release during a perform two nodes perform at once
		assertBroken(TWO_NODES, Invariant.EXCLUSION, Rule.RELEASE_AWAITS_PERFORMS);
		// With a release during an old perform two nodes perform at once
		assertBroken(TWO_NODES.timeouts(1), Invariant.EXCLUSION, Rule.RELEASE_AWAITS_OLD_PERFORMS);
		// With jobs kept that were put back two threads perform one id
		assertBroken(ONE_NODE.timeouts(1), Invariant.EXCLUSION, Rule.PUT_BACK_FORGOTTEN);
		// With jobs begun that a running call returns two nodes perform at once
		assertBroken(TWO_NODES, Invariant.EXCLUSION, Rule.RETURNED_NOT_BEGUN);
	}

	@Test
	void rulesOfSessionsAreNeeded() {
		// With performs begun without a lease two nodes perform at once
		assertBroken(TWO_NODES, Invariant.EXCLUSION, Rule.LEASE_ASKED);
		// With a lease counted from the answer two nodes perform at once
		assertBroken(TWO_NODES.withSlowHeartbeats(), Invariant.EXCLUSION, Rule.COUNTED_FROM_SENDING);
		// With sessions ended without looking at the counter two nodes perform at once
		assertBroken(TWO_NODES, Invariant.EXCLUSION, Rule.COUNTER_COMPARED);
		// With an observer that counts from its question two nodes perform at once
		assertBroken(TWO_NODES, Invariant.EXCLUSION, Rule.WATCHED_FROM_ANSWER);
		// With sessions that rise again two nodes perform at once
		// Either of the two rules is enough as long as the registry forgets nothing.
		assertBroken(TWO_NODES, Invariant.EXCLUSION, Rule.END_IS_FINAL, Rule.LAPSE_IS_FINAL);
		assertHolds(simple(TWO_NODES), Rule.END_IS_FINAL);
		assertHolds(simple(TWO_NODES), Rule.LAPSE_IS_FINAL);
		// With a lapsed session continued and its end forgotten two nodes perform at once
		assertBroken(TWO_NODES.failover(Failover.OF_SESSIONS), Invariant.EXCLUSION, Rule.LAPSE_IS_FINAL);
		// With an unknown holder taken for dead two nodes perform at once
		assertBroken(TWO_NODES.failover(Failover.OF_SESSIONS), Invariant.EXCLUSION, Rule.UNKNOWN_WATCHED);
		// A forgotten heartbeat breaks nothing
		assertHolds(simple(TWO_NODES).failover(Failover.OF_A_HEARTBEAT));
		// With a lease counted from a forgotten heartbeat two nodes perform at once
		// A heartbeat that was answered and then forgotten would give a lease that no
		// other
		// node knows of.
		assertBroken(simple(TWO_NODES).failover(Failover.OF_A_HEARTBEAT), Invariant.EXCLUSION,
				Rule.COUNTED_FROM_THE_ONE_BEFORE);
	}

	private static Bounds simple(Bounds bounds) {
		return DEEP ? bounds : bounds.withoutJobsThatComeBack();
	}

	private static Set<Rule> without(Rule... out) {
		Set<Rule> rules = EnumSet.copyOf(RULES);
		rules.removeAll(Set.of(out));
		return rules;
	}

	private static void assertHolds(Bounds bounds, Rule... out) {
		Search search = new Search(new World(bounds, without(out)), EnumSet.allOf(Invariant.class), true);
		assertThat(search.violation()).isEmpty();
		System.out.printf(Locale.ROOT, "Ownership model: %,d states within %s%n", search.states(), bounds);
	}

	private static void assertBroken(Bounds bounds, Invariant invariant, Rule... out) {
		Search search = new Search(new World(bounds, without(out)), Set.of(invariant), false);
		assertThat(search.violation()).last().isEqualTo(invariant.name());
		print(search, out);
	}

	private static void assertStranded(Bounds bounds, Rule... out) {
		Search search = new Search(new World(bounds, without(out)), Set.of(), true);
		assertThat(search.violation()).last().isEqualTo("STRANDED");
		print(search, out);
	}

	private static void print(Search search, Rule... out) {
		System.out.printf(Locale.ROOT, "Ownership model without %s: %s%n", Set.of(out),
				String.join(", ", search.violation()));
	}

}
