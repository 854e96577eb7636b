package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.FaultKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the checker: each rule is broken by a hand-made history and found out, and
 * what the promise allows is let pass.
 */
class VerdictTests {

	private static final RegisteredWorker.Settings BURIES_ALL = RegisteredWorker.Settings.DEFAULTS
		.with(new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_ALL, FailurePolicy.DEFAULT_UNREADABLE_GRACE,
				Duration.ZERO));

	private static final RegisteredWorker.Settings RETRIES_NOW = RegisteredWorker.Settings.DEFAULTS
		.with(new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, false, false, true));

	private Scenes scenes = new Scenes();

	/** Node a owns the shard from 0 on and beats until 900. */
	private Scenes ownedByA() {
		this.scenes = new Scenes();
		return this.scenes.held(0, "a").held(300, "a").held(600, "a").held(900, "a").lease(1, "a", 1);
	}

	@Test
	void plainHistoryIsClean() {
		ownedByA().enqueue(10, 1).enqueue(12, 2).done(20, 1, 2).enqueue(40, 3).done(50, 3).isClean();
		Figures figures = this.scenes.verdict().figures();
		assertThat(figures.acknowledged()).isEqualTo(3);
		assertThat(figures.performs()).isEqualTo(2);
		assertThat(figures.merged()).isEqualTo(1);
		assertThat(figures.duplicates()).isZero();
	}

	@Test
	void nothingIsLostStrandedOrInvented() {
		// Acknowledged payload that is never performed is lost
		ownedByA().enqueue(10, 1).enqueue(11, 2).done(20, 1).breaks(Rule.NOTHING_LOST);
		// Only what was acknowledged before Redis lost everything may be lost
		ownedByA().enqueue(10, 1).fault(50, 60, FaultKind.EMPTY, "*").isClean();
		ownedByA().fault(50, 60, FaultKind.EMPTY, "*").enqueue(70, 1).breaks(Rule.NOTHING_LOST);
		// Acknowledged payload that only failed is lost
		ownedByA().enqueue(10, 1).failed(20, 1).breaks(Rule.NOTHING_LOST);
		// Acknowledged payload that was cut off is lost
		ownedByA().enqueue(10, 1).kill(30, "a").begin(20, 1).breaksAtLeast(Rule.NOTHING_LOST);
		// Dead payload is not lost
		ownedByA().enqueue(10, 1).perform(20, 1, 2, false, 1).dead(1).isClean();
		// Payload that was not acknowledged may be performed or not
		ownedByA().call(10, 1, true).call(11, 2, true).done(20, 2).isClean();
		assertThat(this.scenes.verdict().figures().uncertain()).isEqualTo(2);
		// Job that is left at the end is stranded
		ownedByA().left().breaks(Rule.NOTHING_STRANDED);
		// Payload that nobody enqueued is invented
		ownedByA().done(20, 7).dead(8).breaks(Rule.NOTHING_INVENTED);
		assertThat(this.scenes.verdict().violations()).hasSize(2);
	}

	@Test
	void deathsAreExplained() {
		// Payload that died in an outage of Redis is not explained
		ownedByA().enqueue(10, 1).fault(15, 900, FaultKind.OUTAGE, "*");
		for (int i = 0; i < 5; i++) {
			this.scenes.begin(20 + i, 1);
		}
		this.scenes.gone(2_000, "a").dead(1).breaksAtLeast(Rule.MORGUE_EXPLAINED);
		// Payload that was caught in four crashes is explained and in three is not
		assertThat(caughtIn(4).broken()).doesNotContain(Rule.MORGUE_EXPLAINED);
		assertThat(caughtIn(3).broken()).contains(Rule.MORGUE_EXPLAINED);
		// Payload of which only other retries failed is not explained
		ownedByA().enqueue(10, 1).failed(20, 1).perform(400, 1, 0, true, 1).dead(1);
		this.scenes.breaksAtLeast(Rule.MORGUE_EXPLAINED);
	}

	/** Payload 1 kills one node after the other, and dies. */
	private static Scenes caughtIn(int crashes) {
		Scenes scenes = new Scenes().enqueue(1, 1);
		for (int i = 1; i <= crashes; i++) {
			String node = "node" + i;
			scenes.held(10 * i, node).lease(10 * i, node, i).begin(10 * i + 1, 1);
			scenes.fault(10 * i + 2, 10 * i + 3, FaultKind.KILL, node).gone(10 * i + 3, node);
		}
		return scenes.dead(1);
	}

	@Test
	void crashBeforeTheRunOfAFetchedJobBeginsCounts() {
		Scenes scenes = caughtIn(3).held(60, "node4").lease(60, "node4", 4).fetch(61, 4);
		assertThat(scenes.broken()).contains(Rule.MORGUE_EXPLAINED);
		scenes.fault(63, 64, FaultKind.KILL, "node4").gone(64, "node4");
		assertThat(scenes.broken()).doesNotContain(Rule.MORGUE_EXPLAINED);
	}

	@Test
	void crashInWhichTheAnswerOfAFetchWasLostCounts() {
		Scenes scenes = caughtIn(3).held(60, "node4").lease(60, "node4", 4).fetchInVain(61, 70, 4);
		assertThat(scenes.broken()).contains(Rule.MORGUE_EXPLAINED);
		scenes.fault(62, 71, FaultKind.LOST_ANSWERS, "node4");
		assertThat(scenes.broken()).doesNotContain(Rule.MORGUE_EXPLAINED);
	}

	@Test
	void runsOfAnIdDoNotOverlap() {
		// Overlap of two nodes with leases is found
		ownedByA().enqueue(10, 1).fault(0, 500, FaultKind.CLIENT_KILL, "*").begin(20, 1).takenByB(30).done(40, 1);
		this.scenes.end(60, true).breaks(Rule.EXCLUSION, Rule.DUPLICATES_EXPLAINED);
		// Overlap of two threads of one node is found
		ownedByA().enqueue(10, 1).enqueue(11, 2).begin(20, 1).begin(25, 2).end(30, true).end(31, true);
		this.scenes.breaks(Rule.EXCLUSION);
		// Overlap after the lease is over is counted only
		ownedByA().enqueue(10, 1).fault(1_000, 2_500, FaultKind.STOP, "a").begin(950, 1).takenByB(2_000).done(2_010, 1);
		this.scenes.end(2_600, true).complete(2_601, 1, Answer.REFUSED).isClean();
		assertThat(this.scenes.verdict().figures().overlapsWithoutLease()).isEqualTo(1);
		assertThat(this.scenes.verdict().figures().duplicates()).isEqualTo(1);
		assertThat(this.scenes.verdict().figures().fenced()).isEqualTo(1);
		// Killed node does not overlap with its successor
		ownedByA().enqueue(10, 1).begin(950, 1).kill(960, "a").takenByB(1_500).done(1_700, 1).isClean();
		assertThat(this.scenes.verdict().figures().cutOff()).isEqualTo(1);
		// Perform long after the lease ended is found
		ownedByA().enqueue(10, 1).done(2_500, 1).breaks(Rule.LEASE_BEFORE_PERFORM);
		// Perform just after a stop of the process is allowed
		ownedByA().fault(1_000, 2_499, FaultKind.STOP, "a").enqueue(10, 1).begin(2_500, 1).end(2_510, true);
		this.scenes.takenByB(2_400).isClean();
		// Perform under an epoch that nobody got is found
		ownedByA().enqueue(10, 1).begin("a", 20, 5, -1, 1).end(30, true).breaks(Rule.LEASE_BEFORE_PERFORM);
	}

	@Test
	void payloadsComeInTheirOrder() {
		// Descending scores are found
		ownedByA().enqueueScored(10, 1).enqueueScored(12, 2).done(20, 2, 1).breaks(Rule.ORDER);
		// Later payload in an earlier perform is found
		ownedByA().enqueue(10, 1).enqueue(12, 2).done(20, 2).done(40, 1).breaks(Rule.ORDER);
		// Payload that went unread to the morgue comes late after a failover
		ownedByA().enqueue(10, 1).enqueue(12, 2).complete(18, 1, Answer.APPLIED).done(20, 2);
		this.scenes.fault(50, 60, FaultKind.FAILOVER, "*").done(70, 1, 2).isClean();
		// Payload that comes late without a failover is found
		ownedByA().enqueue(10, 1).enqueue(12, 2).complete(18, 1, Answer.APPLIED).done(20, 2).done(70, 1);
		this.scenes.breaks(Rule.ORDER);
		// Payload that was replaced comes late after a failover that forgot the fetch of
		// the newer one
		replacedAndPerformedLate(FaultKind.FAILOVER).isClean();
		// Payload that was replaced and comes late without a failover is found
		replacedAndPerformedLate(FaultKind.KILL).breaksAtLeast(Rule.ORDER);
		// Later payload earlier in one perform is found
		ownedByA().enqueue(10, 2).enqueue(12, 1).done(20, 1, 2).breaks(Rule.ORDER);
		// Default score before an earlier scored payload is found
		ownedByA().enqueueScored(10, 2).enqueue(12, 1).done(20, 1, 2).breaks(Rule.ORDER);
		// Enqueues at the same time have no order
		ownedByA().call(10, 1, true).call(11, 2, true).acknowledge(12, 1).acknowledge(13, 2).done(20, 2).done(40, 1);
		this.scenes.isClean();
		// Scored payloads are ordered only within a perform
		ownedByA().enqueueScored(10, 2).done(20, 2).enqueueScored(40, 1).done(50, 1).isClean();
	}

	/** The outcome of the first run is not sent before the fault. */
	private Scenes replacedAndPerformedLate(FaultKind fault) {
		ownedByA().with(gathering(0, 0, 0, true, false)).enqueue(10, 1).enqueue(12, 2).fetch(18, 1).begin(20, 2);
		return this.scenes.end(30, true).fault(50, 60, fault, "*").lease(65, "a", 7).fetch(68, 7).done(70, 1);
	}

	@Test
	void orderSurvivesFailure() {
		// Newer payload that overtakes a retry is found
		ownedByA().enqueue(10, 1).failed(20, 1).enqueue(40, 2).perform(240, 1, 0, true, 2).done(300, 1);
		this.scenes.breaks(Rule.ORDER_AFTER_FAILURE);
		// Newer payload behind the retry is clean
		ownedByA().enqueue(10, 1).failed(20, 1).enqueue(40, 2).perform(240, 1, 0, true, 1, 2).isClean();
		// Newer payload that overtakes a cut off perform is found
		ownedByA().enqueue(10, 1).enqueue(30, 2).begin(20, 1).kill(960, "a").takenByB(1_500).done(1_700, 2);
		this.scenes.done(1_750, 1).breaks(Rule.ORDER_AFTER_FAILURE);
		// Retry before its time is found
		ownedByA().enqueue(10, 1).failed(20, 1).perform(100, 1, 0, true, 1).breaks(Rule.RETRY_DELAY);
		// Payload that is buried lets the others go on
		ownedByA().enqueue(10, 1).enqueue(11, 2).perform(20, 1, 2, false, 1, 2).dead(1).done(50, 2).isClean();
		// Buried payload that comes back is found
		ownedByA().enqueue(10, 1).enqueue(11, 2).perform(20, 1, 2, false, 1, 2).done(50, 1, 2).breaks(Rule.BURIAL);
		// All payloads that failed together may be buried
		ownedByA().with(BURIES_ALL).enqueue(10, 1).enqueue(11, 2).perform(20, 1, 2, false, 1, 2).dead(1).dead(2);
		this.scenes.enqueue(40, 3).done(50, 3).isClean();
		// Payload that comes back though all are buried is found
		ownedByA().with(BURIES_ALL).enqueue(10, 1).enqueue(11, 2).perform(20, 1, 2, false, 1, 2).dead(1).done(50, 2);
		this.scenes.breaks(Rule.BURIAL);
		// Newer payload may make a retry due
		ownedByA().with(RETRIES_NOW).enqueue(10, 1).failed(20, 1).enqueue(40, 2).perform(50, 1, 0, true, 1, 2);
		this.scenes.isClean();
		// Retry before its time without a newer payload is found
		ownedByA().with(RETRIES_NOW).enqueue(10, 1).failed(20, 1).perform(50, 1, 0, true, 1).breaks(Rule.RETRY_DELAY);
	}

	@Test
	void shardsAreTakenOver() {
		// Retry count that grows by a kill is found
		ownedByA().enqueue(10, 1).begin(20, 1).kill(960, "a").takenByB(1_500).perform(1_700, 2, 0, true, 1);
		this.scenes.breaks(Rule.RETRY_COUNT);
		// Retry count that grows by two is found
		ownedByA().enqueue(10, 1).failed(20, 1).perform(240, 1, 1, true, 1).breaks(Rule.RETRY_COUNT);
		// Retry count that stays after a failure is found
		ownedByA().enqueue(10, 1).failed(20, 1).done(240, 1).breaks(Rule.RETRY_COUNT);
		// Retry count that is left over from a done job is found
		ownedByA().enqueue(10, 1).perform(20, 1, 0, true, 1).enqueue(40, 2).perform(50, 1, 0, true, 2);
		this.scenes.breaks(Rule.RETRY_COUNT);
		// Failure that the store does not know of may be forgotten
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, false).kill(31, "a").takenByB(1_400).done(1_410, 1).isClean();
		// Recovery in time is measured
		ownedByA().kill(960, "a").takenByB(2_060).isClean();
		assertThat(this.scenes.verdict().figures().recoveries()).containsExactly(1_100L);
		// Recovery that is too late is found
		ownedByA().kill(960, "a").takenByB(2_500).breaks(Rule.RECOVERY);
		// Shard of another is not taken over though a failover forgot a greater epoch
		givenToBWithASmallerEpoch(FaultKind.FAILOVER).isClean();
		// Shard is held by the greater epoch without a failover
		givenToBWithASmallerEpoch(FaultKind.CLOCK).breaksAtLeast(Rule.RECOVERY);
		// Shard that is never taken over is found
		ownedByA().kill(960, "a").breaks(Rule.RECOVERY);
		// Shard that was released before needs no recovery
		ownedByA().release(900, 1).kill(960, "a").isClean();
		assertThat(this.scenes.verdict().figures().recoveries()).isEmpty();
	}

	/** Then the first owner dies. */
	private Scenes givenToBWithASmallerEpoch(FaultKind fault) {
		ownedByA().lease(10, "a", 7).fault(50, 60, fault, "*").held(70, "b").lease(70, "b", 5);
		return this.scenes.kill(960, "a");
	}

	@Test
	void formerOwnersAreFenced() {
		// Call that is applied under an old epoch is found
		ownedByA().enqueue(10, 1).fault(1_000, 2_500, FaultKind.STOP, "a").begin(950, 1).takenByB(2_000).done(2_010, 1);
		this.scenes.end(2_600, true).complete(2_601, 1, Answer.APPLIED).breaksAtLeast(Rule.FENCING);
		// Call that was under way when the epoch grew is allowed
		ownedByA().complete(2_000, 1, Answer.APPLIED).takenByB(2_001).isClean();
		// Epoch that is given twice is found
		ownedByA().held(2_000, "b").lease(2_001, "b", 1).breaks(Rule.FENCING);
	}

	@Test
	void duplicatesAreExplained() {
		// Duplicate without a fault is found
		ownedByA().enqueue(10, 1).done(20, 1).done(40, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate after an applied outcome is found though there was a fault
		ownedByA().enqueue(10, 1).fault(15, 60, FaultKind.CUT, "a").done(20, 1).done(40, 1);
		this.scenes.breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate after a lost outcome is explained by the kill
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, true).kill(31, "a").takenByB(1_400).done(1_410, 1).isClean();
		assertThat(this.scenes.verdict().figures().duplicates()).isEqualTo(1);
		// Duplicate is not explained by a fault of another node
		ownedByA().enqueue(10, 1).fault(10, 20, FaultKind.CUT, "c").begin(20, 1).end(30, true);
		this.scenes.complete(31, 1, Answer.REFUSED).takenByB(1_400).done(1_410, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is explained by a request of the owner that arrived twice
		ownedByA().enqueue(10, 1).fault(5, 60, FaultKind.REPEATED, "a").begin(20, 1).end(30, true);
		this.scenes.complete(31, 1, Answer.REFUSED).gone(39, "a").held(40, "b").lease(41, "b", 2).done(50, 1).isClean();
		// Duplicate is not explained by a late request before the lease was last held
		ownedByA().enqueue(10, 1).fault(5, 25, FaultKind.LATENCY, "a").begin(20, 1).fetch(26, 1).end(30, true);
		this.scenes.complete(31, 1, Answer.REFUSED).lease(32, "a", 2).done(50, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate of a payload that was enqueued twice is explained
		ownedByA().call(5, 1, true).enqueue(10, 1).done(20, 1).done(40, 1).isClean();
		// Duplicate is explained by a fault that touched the call with its outcome
		ownedByA().enqueue(10, 1).fault(50, 60, FaultKind.CUT, "a").begin(20, 1).end(30, true);
		this.scenes.completeInVain(31, 55, 1).lease(70, "a", 2).done(80, 1).isClean();
		assertThat(this.scenes.verdict().figures().excused()).isEqualTo(1);
		// Duplicate is not explained by a fault before the call with its outcome
		ownedByA().enqueue(10, 1).fault(21, 29, FaultKind.CUT, "a").begin(20, 1).end(30, true);
		this.scenes.completeInVain(31, 55, 1).lease(70, "a", 2).done(80, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is explained by a fault that touched another call of the shard during
		// the perform
		ownedByA().enqueue(10, 1).fault(22, 26, FaultKind.CUT, "a").begin(20, 1).fetchInVain(21, 25, 1);
		this.scenes.lease(27, "a", 2).end(30, true).done(80, 1).isClean();
		// New session of the owner explains a duplicate on a busy machine only
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, true).rejoin(140, "a", "a-2", 2).done(150, 1);
		this.scenes.breaks(Rule.DUPLICATES_EXPLAINED).isCleanOnABusyMachine();
		// Outcome of a payload that could not be read is not that of the run before
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, true).takenByB(2_000).failed(2_050, 1).held(2_400, "a");
		this.scenes.lease(2_410, "a", 3).fetch(2_420, 3).complete(2_430, 3, Answer.APPLIED);
		this.scenes.perform(2_700, 3, 0, true, 1).isCleanOnABusyMachine();
		// Missing answer of another call of the shard explains a duplicate on a busy
		// machine only
		ownedByA().enqueue(10, 1).begin(20, 1).fetchInVain(21, 25, 1).lease(27, "a", 2).end(30, true).done(80, 1);
		this.scenes.breaks(Rule.DUPLICATES_EXPLAINED).isCleanOnABusyMachine();
		// Duplicate is found on a busy machine if no answer is missing
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, true).complete(31, 1, Answer.REFUSED).lease(140, "a", 2);
		this.scenes.done(150, 1).breaksOnABusyMachine(Rule.DUPLICATES_EXPLAINED);
		// Duplicate of an applied outcome is found on a busy machine though another
		// answer
		// is missing
		ownedByA().enqueue(10, 1).done(20, 1).fetchInVain(50, 55, 1).lease(57, "a", 2).done(80, 1);
		this.scenes.breaksOnABusyMachine(Rule.DUPLICATES_EXPLAINED);
		// Missing answer after the shard was acquired again explains no duplicate
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, true).lease(40, "a", 2).fetchInVain(45, 50, 2).lease(57, "a", 3);
		this.scenes.done(80, 1).breaksOnABusyMachine(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is explained by a fault that touched the heartbeats
		ownedByA().enqueue(10, 1).fault(1_200, 1_300, FaultKind.HANG, "a").begin(950, 1).takenByB(2_000);
		this.scenes.end(2_100, true).done(2_200, 1).isClean();
		// Duplicate is not explained by an orderly stop
		ownedByA().enqueue(10, 1).fault(15, 60, FaultKind.TERMINATE, "a").begin(20, 1).end(30, true).gone(60, "a");
		this.scenes.takenByB(70).done(80, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is explained by a failover that forgot the outcome
		ownedByA().enqueue(10, 1).done(20, 1).fault(50, 60, FaultKind.FAILOVER, "*").done(70, 1).isClean();
		// Duplicate is explained by a failover during the run that forgot the lease
		ownedByA().enqueue(10, 1).begin(20, 1).fault(50, 60, FaultKind.FAILOVER, "*").end(200, true).lease(205, "a", 7);
		this.scenes.done(210, 1).isClean();
		// Duplicate is explained by a failover that forgot the lease also if another node
		// got the next
		ownedByA().held(40, "b").enqueue(10, 1).begin(20, 1).fault(50, 60, FaultKind.FAILOVER, "*").lease(65, "b", 7);
		this.scenes.begin("b", 70, 7, -1, 1).end(200, true).isClean();
		// Duplicate is explained by a failover during the run that forgot its fetch
		ownedByA().held(1_200, "a").enqueue(1_390, 1).fetch(1_400, 1).begin(1_402, 1);
		this.scenes.fault(1_500, 1_510, FaultKind.FAILOVER, "*").end(1_700, true).lease(1_705, "a", 7).done(1_710, 1);
		this.scenes.isClean();
		// Duplicate is not explained by an applied call after a failover that forgot the
		// fetch
		fetchedBeforeAFailover().complete(1_710, 1, Answer.APPLIED).lease(1_715, "a", 7).done(1_720, 1);
		this.scenes.breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is not explained by a release without a failover
		ownedByA().enqueue(10, 1).fetch(18, 1).begin(20, 1).end(30, true).completeAndRelease(31, 1);
		this.scenes.lease(40, "a", 7).done(50, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is not explained by a failover before the lease
		ownedByA().fault(50, 60, FaultKind.FAILOVER, "*").lease(200, "a", 7).enqueue(210, 1).begin(220, 1);
		this.scenes.end(400, true).lease(405, "a", 9).done(410, 1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Duplicate is explained though the failover forgot an epoch and gave a smaller
		// one
		ownedByA().lease(5, "a", 7).enqueue(10, 1).done(20, 1).fault(50, 60, FaultKind.FAILOVER, "*").lease(65, "a", 5);
		this.scenes.done(70, 1).isClean();
	}

	/** The owner learns of it only when the fault is over. */
	@Test
	void duplicateIsExplainedByARequestOfTheOwnerThatArrivedLateDuringTheRun() {
		ownedByA().enqueue(10, 1).fault(5, 25, FaultKind.LATENCY, "a").fetch(18, 1).begin(20, 1).end(30, true);
		this.scenes.complete(31, 1, Answer.REFUSED).lease(32, "a", 2).done(50, 1).isClean();
	}

	/** However soon it was given up: its connection looked dead. */
	@ParameterizedTest
	@ValueSource(longs = { 33, 135 })
	void missingAnswerExplainsADuplicateOnABusyMachineOnly(long givenUp) {
		ownedByA().enqueue(10, 1).begin(20, 1).end(30, true).completeInVain(31, givenUp, 1).lease(140, "a", 2);
		this.scenes.done(150, 1).breaks(Rule.DUPLICATES_EXPLAINED).isCleanOnABusyMachine();
	}

	/** A release is not refused for that, unlike other calls. */
	@Test
	void duplicateIsExplainedByAReleaseAfterAFailoverThatForgotTheFetch() {
		fetchedBeforeAFailover().completeAndRelease(1_710, 1).lease(1_715, "a", 7).done(1_720, 1).isClean();
	}

	private Scenes fetchedBeforeAFailover() {
		ownedByA().held(1_200, "a").enqueue(1_390, 1).fetch(1_400, 1).begin(1_402, 1);
		return this.scenes.fault(1_500, 1_510, FaultKind.FAILOVER, "*").end(1_700, true);
	}

	@Test
	void healthIsUpSoon() {
		// Health is up soon after a fault
		ownedByA().fault(100, 60_000, FaultKind.CUT, "a").health(200, "a", false).health(89_000, "a", true).isClean();
		// Health stays down after a fault
		ownedByA().fault(100, 60_000, FaultKind.CUT, "a").health(200, "a", false).health(91_000, "a", true);
		this.scenes.breaks(Rule.HEALTH);
		// Health never comes back
		ownedByA().fault(100, 200, FaultKind.FULL, "*").health(150, "a", false).breaks(Rule.HEALTH);
		// Fault of another node explains no bad health
		ownedByA().fault(100, 60_000, FaultKind.CUT, "b").health(200, "a", false).health(40_000, "a", true);
		this.scenes.breaks(Rule.HEALTH);
		// Health of a node that is gone does not count
		ownedByA().health(100, "a", false).fault(150, 150, FaultKind.TERMINATE, "a").gone(150, "a").isClean();
		// Equal payload that was enqueued again is performed again
		ownedByA().enqueue(10, 1).done(20, 1).enqueue(40, 1).done(50, 1).isClean();
		// Equal payload that was enqueued again and not performed again is lost
		ownedByA().enqueue(10, 1).done(20, 1).enqueue(40, 1).breaks(Rule.NOTHING_LOST);
		// Equal payload that was enqueued before explains no duplicate
		ownedByA().enqueue(10, 1).enqueue(12, 1).done(20, 1).done(50, 1).breaks(Rule.DUPLICATES_EXPLAINED);
	}

	@Test
	void whatOperatorsDoCounts() {
		// Deleted payload is not lost
		ownedByA().enqueue(10, 1).act(20, Action.DELETE, "42").isClean();
		// Payload enqueued after a deletion is lost
		ownedByA().act(5, Action.DELETE, "42").enqueue(10, 1).breaks(Rule.NOTHING_LOST);
		// Deletion of another id explains no loss
		ownedByA().enqueue(10, 1).act(20, Action.DELETE, "43").breaks(Rule.NOTHING_LOST);
		// Dead payload that an operator takes out of the morgue comes after the others
		ownedByA().enqueue(10, 1).enqueue(11, 2).perform(20, 1, 2, false, 1, 2).done(50, 2);
		this.scenes.act(100, Action.RE_ENQUEUE, "42").done(110, 1).isClean();
		// Second payload of a dead job that does not come back is found
		ownedByA().enqueue(10, 1).enqueue(11, 2).enqueue(12, 3).perform(20, 1, 2, false, 1, 2).dead(1).done(50, 3);
		this.scenes.done(70, 2).breaksAtLeast(Rule.ORDER_AFTER_FAILURE);
		// Retry that an operator hurries does not wait
		ownedByA().enqueue(10, 1).failed(20, 1).act(90, Action.PERFORM_NOW, "42").perform(100, 1, 0, true, 1).isClean();
		// Perform of a paused queue is found
		ownedByA().act(5, Action.PAUSE, "*").enqueue(10, 1).done(700, 1).act(800, Action.RESUME, "*");
		this.scenes.breaks(Rule.PAUSE);
		// Job that was fetched before a pause may begin late on a busy machine only
		ownedByA().enqueue(1, 1).fetch(3, 1).act(5, Action.PAUSE, "*").done(700, 1).act(800, Action.RESUME, "*");
		this.scenes.breaks(Rule.PAUSE).isCleanOnABusyMachine();
		// Job that is fetched during a pause is found on a busy machine
		ownedByA().enqueue(1, 1).act(5, Action.PAUSE, "*").fetch(9, 1).done(700, 1).act(800, Action.RESUME, "*");
		this.scenes.breaksOnABusyMachine(Rule.PAUSE);
		// Job whose fetch was answered late may begin during a pause
		ownedByA().enqueue(1, 1).act(5, Action.PAUSE, "*").fault(3, 690, FaultKind.HANG, "a").done(700, 1);
		this.scenes.act(800, Action.RESUME, "*").isClean();
		// Performs before and after a pause are clean
		ownedByA().enqueue(10, 1).done(20, 1).act(40, Action.PAUSE, "*").enqueue(50, 2).act(800, Action.RESUME, "*");
		this.scenes.done(810, 2).isClean();
	}

	@Test
	void delaysAreKept() {
		// Delayed payload before its time is found
		ownedByA().enqueueDelayed(10, 1, 300).done(200, 1).breaks(Rule.DELAY);
		// Delayed payload before its time is allowed when the clock jumped
		ownedByA().enqueueDelayed(10, 1, 300).fault(50, 51, FaultKind.CLOCK, "*").done(200, 1).isClean();
		// Delayed payload after its time is clean
		ownedByA().enqueueDelayed(10, 1, 300).done(320, 1).isClean();
	}

	@Test
	void eachPayloadFailsByItself() {
		// Payloads before the one that failed do not come back
		ownedByA().enqueue(10, 1).enqueue(11, 2).enqueue(12, 3).performPart(20, 1, 1, List.of(1L), List.of(), 1, 2, 3);
		this.scenes.perform(300, 1, 0, true, 2, 3).isClean();
		// Payload that is performed again because a later one failed is found
		ownedByA().enqueue(10, 1).enqueue(11, 2).performPart(20, 1, -1, List.of(1L), List.of(), 1, 2);
		this.scenes.perform(300, 1, 0, true, 1, 2).breaks(Rule.DUPLICATES_EXPLAINED);
		// Payload after the one that failed that does not come back is found
		ownedByA().enqueue(10, 1).enqueue(11, 2).enqueue(12, 3).performPart(20, 1, -1, List.of(1L), List.of(), 1, 2, 3);
		this.scenes.perform(300, 1, 0, true, 3).done(320, 2).breaks(Rule.ORDER_AFTER_FAILURE);
		// Retry count of a payload that is done is not that of the next
		ownedByA().enqueue(10, 1).enqueue(11, 2).performPart(20, 1, 0, List.of(1L), List.of(), 1, 2);
		this.scenes.perform(300, 1, 1, true, 2).breaks(Rule.RETRY_COUNT);
		// Discarded payload counts as handled
		ownedByA().enqueue(10, 1).enqueue(11, 2).performPart(20, 1, -1, List.of(1L, 2L), List.of(), 1, 2).isClean();
		// Buried payload that is dead is clean
		ownedByA().enqueue(10, 1).enqueue(11, 2).performPart(20, 1, -1, List.of(2L), List.of(1L), 1, 2).dead(1);
		this.scenes.isClean();
		// Buried payload that is not in the morgue is lost
		ownedByA().enqueue(10, 1).enqueue(11, 2).performPart(20, 1, -1, List.of(2L), List.of(1L), 1, 2);
		this.scenes.breaks(Rule.NOTHING_LOST);
		// Buried payload that is performed again is found
		ownedByA().enqueue(10, 1).performPart(20, 1, -1, List.of(), List.of(1L), 1);
		this.scenes.performPart(50, 1, -1, List.of(), List.of(1L), 1).dead(1).breaks(Rule.DUPLICATES_EXPLAINED);
		// Buried payload that an operator takes out of the morgue is performed again
		ownedByA().enqueue(10, 1).performPart(20, 1, -1, List.of(), List.of(1L), 1).act(40, Action.RE_ENQUEUE, "42");
		this.scenes.performPart(50, 1, -1, List.of(), List.of(1L), 1).dead(1).isClean();
		// Job on hold that nobody released is found
		ownedByA().with(HOLDS).enqueue(10, 1).perform(20, 1, 2, false, 1).done(500, 1).breaks(Rule.HOLD);
		// Newer payload behind a released job is clean
		ownedByA().with(HOLDS).enqueue(10, 1).perform(20, 1, 2, false, 1).enqueue(40, 2).act(100, Action.RELEASE, "42");
		this.scenes.done(150, 1, 2).isClean();
		// Newer payload that overtakes a job on hold is found
		ownedByA().with(HOLDS).enqueue(10, 1).perform(20, 1, 2, false, 1).enqueue(40, 2).done(60, 2);
		this.scenes.act(100, Action.RELEASE, "42").done(150, 1);
		assertThat(this.scenes.broken()).containsExactlyInAnyOrder(Rule.HOLD, Rule.ORDER_AFTER_FAILURE);
		// Newer payload that waits for an unreadable one is clean
		ownedByA().with(HOLDS).enqueue(10, 1).enqueue(12, 2).done(320, 2).dead(1).isClean();
		// Newer payload that overtakes an unreadable one within its grace is found
		ownedByA().with(HOLDS).enqueue(10, 1).enqueue(12, 2).done(100, 2).dead(1).breaks(Rule.UNREADABLE_GRACE);
		// Payload that cannot be read any more may come later
		ownedByA().with(HOLDS).enqueue(10, 1).enqueue(11, 2).failed(20, 1, 2).perform(300, 1, 0, true, 1).done(400, 2);
		this.scenes.isClean();
		// Payload with the score of one that cannot be read may come later
		ownedByA().with(HOLDS).enqueueScored(10, 1).enqueueScored(11, 2).performScored(20, 1, -1, false, 1, 1, 2);
		this.scenes.performScored(300, 1, 0, true, 1, 1).performScored(400, 1, -1, true, 1, 2).isClean();
		// Failures leave with an unreadable payload that came in front
		ownedByA().with(HOLDS).enqueueScored(10, 2).failed(20, 2).enqueueScored(40, 1).done(400, 2).dead(1).isClean();
		// Failures leave earlier if the clock jumped
		ownedByA().with(HOLDS).enqueueScored(10, 2).failed(20, 2).enqueueScored(40, 1);
		this.scenes.fault(50, 51, FaultKind.CLOCK, "*").done(240, 2).dead(1).isClean();
		// Failures that leave within the grace are found
		ownedByA().with(HOLDS).enqueueScored(10, 2).failed(20, 2).enqueueScored(40, 1).done(240, 2).dead(1);
		this.scenes.breaks(Rule.RETRY_COUNT);
		// Failover may forget that a payload went unread to the morgue
		unreadUntilAFailover(400).isClean();
		assertThat(unreadUntilAFailover(1_400).broken()).contains(Rule.ORDER_AFTER_FAILURE, Rule.RETRY_COUNT);
	}

	private static final RegisteredWorker.Settings HOLDS = RegisteredWorker.Settings.DEFAULTS
		.with(new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.HOLD, Duration.ofMillis(300), Duration.ZERO));

	/** Payload 1 isn't among the dead at the end. */
	private static Scenes unreadUntilAFailover(long time) {
		Scenes scenes = new Scenes().with(HOLDS).held(0, "a").held(900, "a").held(1_400, "a").lease(1, "a", 1);
		scenes.enqueue(10, 1).enqueue(11, 2).failed(20, 1, 2).done(330, 2);
		return scenes.fault(time, time + 10, FaultKind.FAILOVER, "*")
			.lease(time + 20, "a", 7)
			.perform(time + 30, 7, 0, true, 1, 2);
	}

	@Test
	void followUpsComeOnceAndInTime() {
		// Follow up of a job that is done is clean
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).move(35, 1, 7).done(50, 7);
		this.scenes.isClean();
		assertThat(this.scenes.verdict().figures().followUps()).isEqualTo(1);
		assertThat(this.scenes.verdict().figures().withheld()).isZero();
		// Follow up that never comes is lost
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).breaks(Rule.FOLLOW_UP_LOST);
		// Follow up that the next owner drops is lost
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).kill(32, "a");
		this.scenes.takenByB(1_100).breaks(Rule.FOLLOW_UP_LOST);
		// Follow up that the next owner moves is clean
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).kill(32, "a");
		this.scenes.takenByB(1_100).move(1_110, 2, 7).done(1_120, 7).isClean();
		// Follow up that is enqueued and never performed is lost
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).move(35, 1, 7);
		this.scenes.breaks(Rule.NOTHING_LOST, Rule.FOLLOW_UP_LOST);
		// Follow up in the morgue is not lost
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).move(35, 1, 7);
		this.scenes.performPart(40, 1, -1, List.of(), List.of(7L), 7).dead(7).isClean();
		// Follow up that a failover forgot may be missing
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED);
		this.scenes.fault(40, 60, FaultKind.FAILOVER, "*").isClean();
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED);
		this.scenes.fault(40, 60, FaultKind.LAST_CALL, "*").breaks(Rule.FOLLOW_UP_LOST);
		// Follow up of a perform that failed is found
		ownedByA().enqueue(10, 1).followed(20, 1, false, 1).complete(31, 1, Answer.APPLIED).move(35, 1, 7).done(50, 7);
		this.scenes.perform(240, 1, 0, true, 1).breaksAtLeast(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up of a perform that failed does not come
		ownedByA().enqueue(10, 1).followed(20, 1, false, 1).complete(31, 1, Answer.APPLIED).perform(240, 1, 0, true, 1);
		this.scenes.isClean();
		assertThat(this.scenes.verdict().figures().followUps()).isZero();
		assertThat(this.scenes.verdict().figures().withheld()).isEqualTo(1);
		// Follow up of the part that is done comes
		ownedByA().enqueue(10, 1).enqueue(12, 2).begin(20, 1, 2).onSuccess(21, 7).onSuccess(22, 8);
		this.scenes.end(30, false, List.of(1L), List.of(7L)).complete(31, 1, Answer.APPLIED);
		this.scenes.move(35, 1, 7).perform(240, 1, 0, true, 2, 7).isClean();
		this.scenes.move(260, 1, 8).done(300, 8).breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up of a perform that was cut off is found
		ownedByA().enqueue(10, 1).begin(20, 1).onSuccess(21, 7).kill(25, "a").takenByB(1_100).move(1_110, 2, 7);
		this.scenes.done(1_120, 1, 7).breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up before the outcome was sent is found
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).move(31, 1, 7).complete(33, 1, Answer.APPLIED).done(50, 7);
		this.scenes.breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up of an outcome that was not sent is found
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).kill(31, "a").takenByB(1_100).move(1_110, 2, 7);
		this.scenes.done(1_120, 1, 7).breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up of an outcome that was refused is found
		ownedByA().fault(950, 2_500, FaultKind.STOP, "a").enqueue(10, 1).followed(900, 1, true, 1).takenByB(2_000);
		this.scenes.done(2_010, 1).complete(2_600, 1, Answer.REFUSED).isClean().move(2_610, 2, 7).done(2_700, 7);
		this.scenes.breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up of an outcome without an answer may come or not
		ownedByA().enqueue(10, 1).fault(30, 200, FaultKind.CUT, "a").followed(20, 1, true, 1);
		this.scenes.completeInVain(31, 131, 1).isClean().move(140, 1, 7).done(150, 7).isClean();
		// Follow up of an outcome without an answer is found if the job comes back
		ownedByA().enqueue(10, 1).fault(30, 200, FaultKind.CUT, "a").followed(20, 1, true, 1);
		this.scenes.completeInVain(31, 131, 1).move(140, 1, 7).done(150, 1, 7).breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Follow up may be sent again
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).move(35, 1, 7).done(50, 7);
		this.scenes.kill(70, "a").takenByB(1_100).move(1_110, 2, 7).isClean();
		// Follow up that is enqueued again is found
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).complete(31, 1, Answer.APPLIED).move(35, 1, 7).done(50, 7);
		this.scenes.kill(70, "a").takenByB(1_100).move(1_110, 2, 7).done(1_120, 7).breaks(Rule.DUPLICATES_EXPLAINED);
		// Follow up that overtakes an earlier payload is found
		ownedByA().enqueue(10, 1).followed(20, 1, true, 1).enqueue(28, 2).complete(31, 1, Answer.APPLIED);
		this.scenes.move(35, 1, 7).done(50, 7).done(70, 2).breaks(Rule.ORDER);
		// Step after one that is done is clean
		ownedByA().step(9, 1, 7).step(9, 7, 8).enqueue(10, 1).done(20, 1).move(35, 1, 7).done(50, 7).move(65, 1, 8);
		this.scenes.done(70, 8).isClean();
		assertThat(this.scenes.verdict().figures().followUps()).isEqualTo(2);
		// Step that never comes is lost
		ownedByA().step(9, 1, 7).step(9, 7, 8).enqueue(10, 1).done(20, 1).move(35, 1, 7).done(50, 7);
		this.scenes.breaks(Rule.FOLLOW_UP_LOST);
		// Step after one that is dead is found
		ownedByA().step(9, 1, 7).enqueue(10, 1).perform(20, 1, 2, false, 1).dead(1).isClean().move(35, 1, 7);
		this.scenes.done(50, 7).breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Step that is skipped is found
		ownedByA().step(9, 1, 7).step(9, 7, 8).enqueue(10, 1).done(20, 1).move(35, 1, 8).done(50, 8);
		this.scenes.breaks(Rule.FOLLOW_UP_LOST, Rule.FOLLOW_UP_TOO_EARLY);
		// Step beside the one before it is found
		ownedByA().step(9, 1, 7).enqueue(10, 1).move(15, 1, 7).done(20, 1, 7).breaks(Rule.FOLLOW_UP_TOO_EARLY);
		// Step of a payload that was done twice may come twice
		ownedByA().step(9, 1, 7).enqueue(10, 1).done(20, 1).move(35, 1, 7).done(50, 7).step(60, 1, 7).enqueue(61, 1);
		this.scenes.done(70, 1).move(85, 1, 7).done(90, 7).isClean();
	}

	@Test
	void policiesOfGatheringAreKept() {
		// Id is performed after its quiet time
		ownedByA().with(gathering(200, 400, 0, false, false)).enqueue(10, 1).enqueue(100, 2).done(310, 1, 2).isClean();
		assertThat(this.scenes.verdict().figures().gathered()).isEqualTo(1);
		assertThat(this.scenes.verdict().figures().gatheredLate()).isZero();
		// Id that is performed before its quiet time is found
		ownedByA().with(gathering(200, 400, 0, false, false)).enqueue(10, 1).done(30, 1).breaks(Rule.DEBOUNCE);
		// Id that an operator hurries needs no quiet time
		ownedByA().with(gathering(200, 400, 0, false, false)).enqueue(10, 1).act(20, Action.PERFORM_NOW, "42");
		this.scenes.done(30, 1).isClean();
		// Id that waits too long is found
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1).done(900, 1).breaks(Rule.MAX_WAIT);
		// Id may wait too long for answers that a busy machine delays
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1).fetchInVain(230, 500, 1);
		this.scenes.fetchInVain(510, 890, 1).done(900, 1).breaks(Rule.MAX_WAIT).isCleanOnABusyMachine();
		// Id that waits too long under quick calls is found on a busy machine
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1);
		for (long time = 220; time < 880; time += 10) {
			this.scenes.fetchInVain(time, time + 9, 1);
		}
		this.scenes.done(900, 1).breaksOnABusyMachine(Rule.MAX_WAIT);
		// Id that waits too long between two calls is found on a busy machine
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1).fetchInVain(200, 300, 1);
		this.scenes.fetchInVain(850, 890, 1).done(900, 1).breaksOnABusyMachine(Rule.MAX_WAIT);
		// Id that waits a little too long is counted
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1).done(300, 1).isClean();
		assertThat(this.scenes.verdict().figures().gatheredLate()).isEqualTo(1);
		// Id may wait too long because of a fault
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1).fault(100, 150, FaultKind.CUT, "b");
		this.scenes.done(900, 1).isClean();
		assertThat(this.scenes.verdict().figures().gathered()).isZero();
		// Id may wait too long in a paused queue
		ownedByA().with(gathering(100, 200, 0, false, false)).enqueue(10, 1).act(20, Action.PAUSE, "*");
		this.scenes.act(890, Action.RESUME, "*").done(900, 1).isClean();
		// Performs that keep their distance are clean
		ownedByA().with(gathering(0, 0, 300, false, false)).enqueue(10, 1).done(20, 1).enqueue(40, 2).done(331, 2);
		this.scenes.isClean();
		// Perform that comes too soon is found
		ownedByA().with(gathering(0, 0, 300, false, false)).enqueue(10, 1).done(20, 1).enqueue(40, 2).done(200, 2);
		this.scenes.breaks(Rule.MIN_INTERVAL);
		// Perform may come too soon when the clock jumped
		ownedByA().with(gathering(0, 0, 300, false, false)).enqueue(10, 1).done(20, 1).enqueue(40, 2);
		this.scenes.fault(50, 51, FaultKind.CLOCK, "*").done(200, 2).isClean();
		// Older payload that waited with the latest may be dropped
		ownedByA().with(gathering(0, 0, 0, true, false)).enqueue(10, 1).enqueue(12, 2).done(20, 2).isClean();
		// Payload that is dropped without a newer one is lost
		ownedByA().with(gathering(0, 0, 0, true, false)).enqueue(10, 1).enqueue(15, 2).done(20, 1);
		this.scenes.breaks(Rule.NOTHING_LOST);
		// Payload that was gone before the newer one came is lost
		ownedByA().with(gathering(0, 0, 0, true, false)).enqueue(10, 1).enqueue(12, 2).done(20, 1).enqueue(40, 3);
		this.scenes.done(50, 3).breaks(Rule.NOTHING_LOST);
		// Older payload that is delivered with the latest is found
		ownedByA().with(gathering(0, 0, 0, true, false)).enqueue(10, 1).enqueue(12, 2).done(20, 1, 2);
		this.scenes.breaks(Rule.KEEP_LATEST);
		// Newer payload takes the place of one that failed
		ownedByA().with(gathering(0, 0, 0, true, false)).enqueue(10, 1).failed(20, 1).enqueue(40, 2);
		this.scenes.perform(240, 1, 0, true, 2).isClean();
		// Latest of equal payloads comes last
		ownedByA().with(gathering(0, 0, 0, false, true)).enqueue(10, 3).enqueue(12, 2).enqueue(14, 3).done(20, 2, 3);
		this.scenes.isClean();
		// Latest of equal payloads that does not come last is found
		ownedByA().with(gathering(0, 0, 0, false, true)).enqueue(10, 1).enqueue(12, 2).enqueue(14, 1).done(20, 1, 2);
		this.scenes.breaks(Rule.EQUAL_LATEST);
	}

	private static RegisteredWorker.Settings gathering(int debounce, int maxWait, int minInterval, boolean keepLatest,
			boolean equalLatest) {
		return RegisteredWorker.Settings.DEFAULTS.with(new GatheringPolicy(Duration.ofMillis(debounce),
				Duration.ofMillis(maxWait), Duration.ofMillis(minInterval), keepLatest, equalLatest, false));
	}

	/** By its score it is the latest; nothing else knows when a dead payload came. */
	@Test
	void payloadThatIsPutBackAfterTheClockWentBackReplacesANewerOne() {
		ownedByA().with(gathering(0, 0, 0, true, false))
			.enqueue(10, 1)
			.performPart(20, 1, -1, List.of(), List.of(1L), 1)
			.enqueue(40, 2);
		this.scenes.act(50, Action.RE_ENQUEUE, "42").done(60, 1).breaks(Rule.NOTHING_LOST);
		this.scenes.fault(30, 31, FaultKind.CLOCK, "*").isClean();
	}

	/**
	 * Since a failover may make epochs smaller, the one with the next number isn't next.
	 */
	@Test
	void leaseThatAFailoverForgotExcusesARepetitionAlsoIfTheEpochIsSmallerThanOneBefore() {
		this.scenes.enqueue(1, 1).held(2, "b").lease(5, "b", 6).fault(7, 8, FaultKind.FAILOVER, "*");
		this.scenes.held(9, "a").lease(10, "a", 5).begin("a", 20, 5, -1, 1);
		this.scenes.fault(30, 31, FaultKind.FAILOVER, "*").lease(31, "a", 7).end(50, true);
		this.scenes.perform(60, 7, -1, true, 1).isClean();
	}

}
