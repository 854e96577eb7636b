package io.lowkiq.store;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.ShardActions.Closing;
import io.lowkiq.redis.ShardActions.Step;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Origin;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What people do to jobs (rules 7 and 9). */
abstract class ActionsContract extends OwnedShardContract {

	/** Repeats an action until nothing is left to do. */
	private static int all(Supplier<Step> action, int limit) {
		int changed = 0;
		Step step;
		do {
			step = action.get();
			assertThat(step.changed()).isLessThanOrEqualTo(limit);
			changed += step.changed();
		}
		while (step.more());
		return changed;
	}

	@Test
	void performAllNowLeavesDueJobsAlone() {
		enqueueIn(-5_000, "due", "p");
		enqueue("ready", "p");
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(0, false));
		thenQueued("due").performAt(now() - 5_000);
	}

	@Test
	void performNowLeavesReadyJobsAlone() {
		enqueue("ready", "p");
		this.clock.goBackMillis(1_000);
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(actions().performNow(SHARD, List.of("ready"))).isEqualTo(new Step(0, false));
		thenQueued("ready").performAt(now() + 1_000);
	}

	@Test
	void buriedPayloadMergesInTheMorgueAndLeavesTheQueuedJobAlone() {
		enqueue("a", "queued");
		actions().bury(SHARD, "a", bytes("p2"), 2, "first");
		this.clock.advanceMillis(10);
		actions().bury(SHARD, "a", bytes("p1"), 1, "second");
		actions().bury(SHARD, "a", bytes("p2"), 3, "second");
		thenDead("a").has(payload("p1", 1), payload("p2", 2)).error("second").performAt(now());
		thenQueued("a").has("queued");
	}

	@Test
	void killAllFailedMergesInTheMorgue() {
		bury("a", "p1");
		fail("a", "p2", 60_000);
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(1, false));
		thenDead("a").has("p1", "p2").error("failed a").performAt(now());
		thenCounts().dead(1);
	}

	@Test
	void killAllFailedLeavesBusyJobsAlone() {
		fail("a", "p", 0);
		this.owner.fetch(1);
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(isBusy("a")).isTrue();
	}

	@Test
	void actionsOnAllJobsWorkInSteps() {
		IntStream.range(0, 7).forEach((i) -> fail("killed-" + i, "p", 60_000));
		assertSteps(7, () -> actions().killAllFailed(SHARD, 3));
		thenCounts().dead(7).retry(0);
		IntStream.range(0, 7).forEach((i) -> fail("deleted-" + i, "p", 60_000));
		assertSteps(7, () -> actions().deleteAllFailed(SHARD, 3));
		thenCounts().dead(7).retry(0).queued(0);
		IntStream.range(0, 4).forEach((i) -> hold("held-" + i, "p"));
		enqueueIn(1_000, "later", "p");
		assertSteps(4, () -> actions().releaseAll(SHARD, 3));
		thenQueued("later").performAt(now() + 1_000);
		IntStream.range(0, 6).forEach((i) -> enqueueIn(1_000 + i, "later-" + i, "p"));
		assertSteps(7, () -> actions().performAllNow(SHARD, 3));
	}

	private void assertSteps(int all, Supplier<Step> action) {
		Step first = action.get();
		assertThat(first.more()).isTrue();
		assertThat(first.changed() + all(action, 3)).isEqualTo(all);
		assertThat(action.get()).isEqualTo(new Step(0, false));
	}

	@Test
	void deleteOfTheJobBehindABusyOneLeavesThatBusy() {
		performing("a", "p1");
		enqueue("a", "p2");
		assertThat(actions().delete(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		then(this.owner.complete(done("a"))).next(FetchResult.NOTHING);
		then(this.owner.fetch(10)).nothing();
		thenCounts().processed(1);
	}

	@Test
	void performNowLeavesTheJobBehindABusyOneAlone() {
		performing("a", "p1");
		enqueueIn(5_000, "a", "p2");
		assertThat(actions().performNow(SHARD, List.of("a"))).isEqualTo(new Step(0, false));
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(0, false));
		thenQueued("a").performAt(now() + 5_000);
	}

	@Test
	void performNowMakesSuspectsDueThatStaySuspects() {
		performingEach("a", "b");
		this.owner.complete(retryAsSuspect("a", 5_000, "e"), retryAsSuspect("b", 5_000, "e"));
		assertThat(actions().performNow(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(1, false));
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a", "b");
		thenQueued("a").crashes(2);
		then(this.owner.fetch(10)).nothing();
		then(this.owner.fetchSuspect()).ids("a");
	}

	@Test
	void reEnqueueMergesIntoTheQueuedJob() {
		enqueue("a", "p1", 1);
		this.owner.fetch(1);
		this.owner.complete(buried("a", "fatal"));
		enqueue("a", "p2", 2);
		this.owner.fetch(1);
		enqueue("a", "p1", 5);
		this.owner.complete(retry("a", 60_000, "e"));
		assertThat(actions().reEnqueue(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		thenQueued("a").has(payload("p1", 1), payload("p2", 2)).performAt(now()).retryCount(-1).error("fatal");
		thenCounts().retry(0).fresh(1);
	}

	@Test
	void reEnqueueClearsAQueuedSuspect() {
		bury("a", "p1");
		this.owner.release();
		crash("a", 2, "p2");
		actions().reEnqueue(SHARD, List.of("a"));
		thenQueued("a").crashes(0);
		then(this.owner.fetch(10)).jobs("a=[p1, p2]");
	}

	@Test
	void reEnqueueDelaysAReadyJob() {
		bury("b", "p1");
		enqueue("b", "p2");
		enqueue("c", "p");
		this.clock.advanceMillis(1);
		actions().reEnqueue(SHARD, List.of("b"));
		then(this.owner.fetch(10)).ids("c", "b");
	}

	@Test
	void reEnqueueOfABusyIdWaitsBehindIt() {
		bury("a", "p1");
		performing("a", "p2");
		actions().reEnqueue(SHARD, List.of("a"));
		thenBusy("a").has("p2");
		thenQueued("a").has("p1");
		then(this.owner.fetch(10)).nothing();
		this.owner.complete(done("a"));
		then(this.owner.fetch(10)).jobs("a=[p1]");
	}

	@Test
	void reEnqueueAllTakesTheLongestDeadFirstAndWorksInSteps() {
		buryMany(5);
		assertThat(actions().reEnqueueAll(SHARD, 2, now() + 1)).isEqualTo(new Step(2, true));
		assertThat(isQueued("id-0")).isTrue();
		assertThat(isQueued("id-1")).isTrue();
		assertThat(isDead("id-2")).isTrue();
		assertThat(all(() -> actions().reEnqueueAll(SHARD, 2, now() + 1), 2)).isEqualTo(3);
		thenCounts().dead(0).fresh(5);
	}

	@Test
	void reEnqueueAllLeavesWhatDiedAfterThat() {
		buryMany(5);
		assertThat(actions().reEnqueueAll(SHARD, 10, dead("id-3").performAt())).isEqualTo(new Step(3, false));
		assertThat(isDead("id-3")).isTrue();
		assertThat(isDead("id-4")).isTrue();
	}

	@Test
	void deleteAllDeadTakesTheLongestDeadFirstAndWorksInSteps() {
		buryMany(5);
		assertThat(actions().deleteAllDead(SHARD, 2, now() + 1)).isEqualTo(new Step(2, true));
		assertThat(isDead("id-1")).isFalse();
		assertThat(isDead("id-2")).isTrue();
		assertThat(all(() -> actions().deleteAllDead(SHARD, 2, now()), 2)).isEqualTo(2);
		assertThat(isDead("id-4")).isTrue();
		thenCounts().dead(1).queued(0);
	}

	private void buryMany(int count) {
		for (int i = 0; i < count; i++) {
			this.clock.advanceMillis(1);
			bury("id-" + i, "p");
		}
	}

	/** A job that failed and is on hold; its payloads have the scores 0, 1, …. */
	private void hold(String id, String... payloads) {
		for (int i = 0; i < payloads.length; i++) {
			enqueue(id, payloads[i], i);
		}
		then(this.owner.fetch(1)).ids(id);
		this.owner.complete(new Outcome.Hold(id, "on hold"));
	}

	@Test
	void heldJobsAreCountedAndListed() {
		hold("a", "p");
		enqueueIn(1_000, "b", "p");
		thenCounts().held(1);
		assertThat(listed(JobList.HELD)).containsExactly("a");
		assertThat(listed(JobList.DELAYED)).containsExactly("b", "a");
		JobQuery backwards = JobQuery.first(JobList.HELD, 10).backwards();
		assertThat(this.store.inspection().list(SHARD, backwards).jobs()).extracting(JobView::id).containsExactly("a");
	}

	@Test
	void failedJobsOnHoldWaitForNoRetry() {
		hold("a", "p");
		performing("b", "p");
		this.owner.complete(retry("b", 5_000, "boom"));
		thenCounts().retry(1);
		assertThat(listed(JobList.RETRIES)).containsExactly("b");
		actions().hold(SHARD, List.of("b"));
		thenCounts().retry(0);
		assertThat(listed(JobList.RETRIES)).isEmpty();
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(actions().deleteAllFailed(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(listed(JobList.HELD)).containsExactly("a", "b");
		thenQueued("b").retryCount(0);
	}

	@Test
	void releasedJobIsPerformedWithItsNewerPayloads() {
		hold("a", "p0");
		enqueue("a", "p1");
		assertThat(actions().release(SHARD, List.of("a", "b"))).isEqualTo(new Step(1, false));
		then(this.owner.fetchOne()).is("a=[p0, p1]").retryCount(-1).error("on hold");
		assertThat(listed(JobList.RETRIES)).isEmpty();
		thenCounts().held(0);
	}

	@Test
	void theFirstPayloadOfADeadJobIsReplacedAndKeepsItsScore() {
		actions().bury(SHARD, "a", bytes("bad"), 1, "failed");
		actions().bury(SHARD, "a", bytes("p2"), 2, "failed");
		actions().bury(SHARD, "a", bytes("good"), 3, "failed");
		assertThat(actions().editDead(SHARD, "a", bytes("p2"), bytes("good"))).isEqualTo(EditResult.CHANGED);
		assertThat(actions().editDead(SHARD, "b", bytes("bad"), bytes("good"))).isEqualTo(EditResult.NONE);
		assertThat(actions().editDead(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		thenDead("a").has(payload("good", 1), payload("p2", 2)).error("failed");
		assertThat(actions().editHeld(SHARD, "a", bytes("good"), bytes("other"))).isEqualTo(EditResult.DEAD);
	}

	@Test
	void firstPayloadOfAHeldJobMayBeEdited() {
		hold("a", "bad", "p1");
		assertThat(actions().editHeld(SHARD, "a", bytes("p1"), bytes("good"))).isEqualTo(EditResult.CHANGED);
		assertThat(actions().editHeld(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		thenQueued("a").has(payload("good", 0), payload("p1", 1));
		actions().release(SHARD, List.of("a"));
		then(this.owner.fetch(1)).jobs("a=[good, p1]");
	}

	@Test
	void editedPayloadMergesWithAnEqualOne() {
		hold("a", "bad", "good");
		assertThat(actions().editHeld(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		thenQueued("a").has(payload("good", 0));
	}

	@Test
	void jobThatIsNotHeldCanNotBeEdited() {
		enqueue("a", "p");
		assertThat(actions().editHeld(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.QUEUED);
		assertThat(actions().editHeld(SHARD, "b", bytes("p"), bytes("good"))).isEqualTo(EditResult.NONE);
		thenQueued("a").has("p");
		assertThat(actions().editDead(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.QUEUED);
		this.owner.fetch(1);
		assertThat(actions().editHeld(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.BUSY);
		assertThat(actions().editDead(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.BUSY);
	}

	@Test
	void aHoldThatIsGivenWhileTheIdIsBusySurvivesAFailure() {
		enqueue("a", "p1", 1);
		this.owner.fetch(1);
		enqueue("a", "p2", 2);
		assertThat(actions().hold(SHARD, List.of("a")).changed()).isEqualTo(1);
		this.owner.complete(retry("a", 0, "failed"));
		thenCounts().held(1);
		thenQueued("a").has("p1", "p2");
		then(this.owner.fetch(10)).nothing();
	}

	@Test
	void aBusyJobThatIsPutOnHoldIsDoneIfItIsDone() {
		performing("a", "p1");
		assertThat(actions().hold(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		assertThat(actions().hold(SHARD, List.of("a"))).as("again").isEqualTo(new Step(0, false));
		thenBusy("a").performAt(FetchResult.NOTHING);
		thenCounts().held(0);
		enqueue("a", "p2");
		this.owner.complete(done("a"));
		then(this.owner.fetch(10)).jobs("a=[p2]");
	}

	@Test
	void aBusyJobThatIsPutOnHoldIsOnHoldHoweverItComesBack() {
		List<Outcome> comebacks = List.of(retry("a", 0, "failed"), returned("b"),
				new Outcome.Unreadable("c", 0, "unreadable"), retryAsSuspect("d", 0, "out of memory"));
		comebacks.forEach((outcome) -> enqueue(outcome.id(), "p"));
		for (String id : List.of("released", "lapsed", "many")) {
			enqueue(id, "p1", "p2");
		}
		this.owner.fetch(10);
		List<String> all = List.of("a", "b", "c", "d", "released", "lapsed", "many");
		assertThat(actions().hold(SHARD, all).changed()).isEqualTo(7);
		this.owner.complete(comebacks.toArray(Outcome[]::new));
		this.owner.complete(new Outcome.PartlyDone("many", List.of(0), List.of(), "failed", true),
				retry("many", 0, "failed"));
		TestOwner next = lapseTo("t");
		assertThat(listed(JobList.HELD)).containsExactlyInAnyOrderElementsOf(all);
		thenCounts().retry(0);
		enqueue("a", "p2");
		then(next.fetchSuspect()).nothing();
		thenQueued("d").crashes(0);
		thenQueued("many").has("p2");
		actions().release(SHARD, List.of("a", "released"));
		assertThat(jobTexts(next.fetch(10))).containsExactlyInAnyOrder("a=[p, p2]", "released=[p1, p2]");
	}

	@Test
	void aBusyJobThatIsReleasedIsNotPutOnHold() {
		performingEach("a", "b");
		enqueue("b", "p2");
		actions().hold(SHARD, List.of("a", "b"));
		assertThat(actions().release(SHARD, List.of("a", "b", "c"))).isEqualTo(new Step(2, false));
		this.owner.complete(returned("a"), returned("b"));
		assertThat(jobTexts(this.owner.fetch(10))).containsExactlyInAnyOrder("a=[p]", "b=[p, p2]");
	}

	@Test
	void anErasedBusyJobCanNotBePutOnHold() {
		performing("a", "p");
		actions().erase(SHARD, "a");
		assertThat(actions().hold(SHARD, List.of("a")).changed()).isZero();
		assertThat(actions().release(SHARD, List.of("a")).changed()).isZero();
		this.owner.complete(retry("a", 0, "failed"));
		assertThat(isQueued("a")).isFalse();
	}

	@Test
	void anIdThatIsOnHoldBehindItsRunStaysOnHoldWhenThatIsDone() {
		performing("a", "p1");
		enqueue("a", "p2");
		actions().hold(SHARD, List.of("a"));
		this.owner.complete(done("a"));
		then(this.owner.fetch(10)).nothing();
		actions().release(SHARD, List.of("a"));
		then(this.owner.fetch(10)).jobs("a=[p2]");
	}

	static Stream<Outcome> endsOfRuns() {
		return Stream.of(done("a"), returned("a"), retry("a", 0, "failed"), new Outcome.Hold("a", "failed"),
				new Outcome.Unreadable("a", 0, "failed"),
				new Outcome.PartlyDone("a", List.of(), List.of(0), "failed", true));
	}

	@ParameterizedTest
	@MethodSource("endsOfRuns")
	void nothingComesBackOfARunWhoseIdWasErased(Outcome outcome) {
		performing("a", "p1");
		enqueue("a", "p2");
		assertThat(actions().erase(SHARD, "a")).isEqualTo(new Erasure(true, true, false));
		then(this.owner.fetch(10)).nothing();
		this.owner.complete(outcome);
		thenCounts().queued(0).busy(0).dead(0);
	}

	@Test
	void nothingComesBackOfACrashedRunWhoseIdWasErased() {
		performing("a", "p1");
		actions().erase(SHARD, "a");
		then(lapseTo("t").fetch(10)).nothing();
		thenCounts().queued(0).busy(0).dead(0);
	}

	@Test
	void whatIsEnqueuedAfterAnErasureWaitsForTheRun() {
		performing("a", "p1");
		actions().erase(SHARD, "a");
		enqueue("a", "p2");
		then(this.owner.fetch(10)).nothing();
		this.owner.complete(retry("a", 0, "failed"));
		then(this.owner.fetch(10)).jobs("a=[p2]");
	}

	@Test
	void reEnqueueKeepsScoresErrorsAndHolds() {
		enqueue("a", "p5", 5);
		enqueue("a", "p1", 1);
		this.owner.fetch(1);
		this.owner.complete(exhausted("a", 0, 1));
		actions().reEnqueue(SHARD, List.of("a"));
		thenQueued("a").has(payload("p1", 1), payload("p5", 5)).error("fatal");
		this.owner.fetch(1);
		this.owner.complete(exhausted("a", 1), new Outcome.Hold("a", "on hold"));
		actions().reEnqueue(SHARD, List.of("a"));
		thenQueued("a").has("p1", "p5").error("on hold");
		thenCounts().held(1);
	}

	@Test
	void aShardInWhichAFollowUpWaitsIsNotEmpty() {
		performing("a", "p");
		this.owner.release(new Outcome.FollowUp("a", 1, new FollowUp("mails", NewPayload.of("m", bytes("x")))),
				done("a"));
		assertThat(actions().close(SHARD, null, true)).isEqualTo(Closing.NOT_EMPTY);
	}

	@Test
	void aShardThatHasGotAFollowUpMayBeEmpty() {
		enqueue(NewPayload.of("m", bytes("x")).from(new Origin(new Shard("sources", 1, 7), 50, 1)));
		this.owner.fetch(1);
		this.owner.release(done("m"));
		assertThat(actions().close(SHARD, null, true)).isEqualTo(Closing.CLOSED);
	}

	@Test
	void aShardThatSomebodyOwnsIsNotClosed() {
		assertThat(actions().close(SHARD, null, false)).isEqualTo(Closing.OWNED);
		assertThat(actions().close(SHARD, "other", false)).isEqualTo(Closing.OWNED);
		enqueue("a", "p");
		assertThat(actions().close(SHARD, "s", true)).isEqualTo(Closing.NOT_EMPTY);
		assertThat(actions().close(SHARD, "s", false)).isEqualTo(Closing.CLOSED);
		assertThat(this.owner.call(List.of(), Fetch.NONE)).isInstanceOf(FetchResult.Fenced.class);
		thenCounts().session(null);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> enqueue("a", "p"));
	}

	@Test
	void aClosedShardOfABatchHoldsUpNoOther() {
		this.owner.release();
		Shard other = new Shard("orders", 1, 1);
		actions().close(SHARD, null, false);
		BatchResult result = this.store.shards()
			.enqueueAll(List.of(new ShardPayloads(SHARD, List.of(NewPayload.of("a", bytes("1")))),
					new ShardPayloads(other, List.of(NewPayload.of("b", bytes("1")))),
					new ShardPayloads(SHARD, List.of(NewPayload.of("a", bytes("2"))))));
		assertThat(result.problems()).containsOnlyKeys(0, 2)
			.allSatisfy((position, problem) -> assertThat(problem).isInstanceOf(QueueClosedException.class));
		assertThat(this.store.shards().isQueued(other, "b")).isTrue();
		thenCounts().queued(0);
	}

	@Test
	void nothingIsBuriedInAClosedShard() {
		this.owner.release();
		actions().close(SHARD, null, false);
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> actions().bury(SHARD, "a", bytes("p"), 1, "no order"))
			.withMessageContaining("'" + SHARD.queue() + "'");
		thenCounts().dead(0);
		this.store.queues().register(SHARD.queue(), 1);
		actions().bury(SHARD, "a", bytes("p"), 1, "no order");
		thenCounts().dead(1);
	}

	@Test
	void anOpenShardIsNotEmptied() {
		this.owner.release();
		enqueue("a", "p");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> actions().empty(SHARD, 10));
		actions().close(SHARD, null, false);
		this.store.queues().register(SHARD.queue(), 1);
		enqueue("b", "p");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> actions().empty(SHARD, 10));
		thenCounts().queued(2);
	}

	@Test
	void idThatIsEnqueuedAgainComesAfterThoseThatWereReadyBefore() {
		List.of("a", "b", "c", "d").forEach((id) -> enqueue(id, "old"));
		actions().delete(SHARD, List.of("b"));
		enqueue("b", "p1");
		actions().kill(SHARD, List.of("a"));
		enqueue("a", "p1");
		actions().erase(SHARD, "b");
		actions().erase(SHARD, "d");
		enqueue("d", "p2");
		enqueue("b", "p2");
		then(this.owner.fetch(2)).jobs("c=[old]", "a=[p1]");
		then(this.owner.fetch(10)).jobs("d=[p2]", "b=[p2]");
		then(this.owner.fetch(10)).nothing();
		enqueue("e", "p");
		then(this.owner.completeAndFetch(done("a"), 10)).ids("e");
	}

	@Test
	void idThatIsEnqueuedAgainAfterItWasHeldComesLast() {
		enqueueEach("a", "b", "c");
		actions().hold(SHARD, List.of("b"));
		actions().delete(SHARD, List.of("b"));
		enqueue("b", "p");
		then(this.owner.fetch(10)).ids("a", "c", "b");
	}

	@Test
	void noJobIsPassedOverForVoidEntries() {
		for (int round = 0; round < 5; round++) {
			enqueue("first", "p" + round);
			enqueue("a", "p" + round);
			actions().delete(SHARD, List.of("a"));
			enqueue("a", "q" + round);
			then(this.owner.fetch(1)).jobs("first=[p" + round + "]");
			then(this.owner.fetch(10)).jobs("a=[q" + round + "]");
			this.owner.complete(done("first"), done("a"));
		}
	}

	@ParameterizedTest
	@CsvSource({ "3, 1200", "1200, 3", "1100, 1200" })
	void killedPayloadsJoinTheDeadOnesAndComeBackHoweverManyThereAre(int dead, int queued) {
		enqueue(numbered(0, dead, 0));
		this.owner.fetch(1, dead);
		this.owner
			.complete(new Outcome.PartlyDone("a", List.of(), IntStream.range(0, dead).boxed().toList(), "dead", true));
		enqueue(numbered(2, 2 + queued, -0.5));
		assertThat(actions().kill(SHARD, List.of("a")).changed()).isEqualTo(1);
		int all = Math.max(dead, 2 + queued);
		assertThat(dead("a").payloadCount()).isEqualTo(all);
		assertThat(dead("a").payloads().subList(0, 4)).containsExactly(payload("p0", 0), payload("p1", 1),
				payload("p2", 1.5), payload("p3", 2.5));
		enqueue(numbered(1, 3, -5));
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(queued("a").payloadCount()).isEqualTo(all);
		assertThat(queued("a").payloads().subList(0, 4)).containsExactly(payload("p1", -4), payload("p2", -3),
				payload("p0", 0), payload("p3", 2.5));
		thenCounts().dead(0);
	}

	/** Payloads of an id with their numbers and something else as scores. */
	private static NewPayload[] numbered(int from, int to, double more) {
		return IntStream.range(from, to)
			.mapToObj((i) -> NewPayload.of("a", bytes("p" + i)).withScore(i + more))
			.toArray(NewPayload[]::new);
	}

	@Test
	void lateAcquireDoesNotOpenAShardOfARemovedQueue() {
		this.owner.release();
		actions().close(SHARD, null, false);
		assertThat(actions().empty(SHARD, 10).more()).isFalse();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> owner("s"))
			.withCauseInstanceOf(QueueClosedException.class);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> enqueue("a", "p"));
		thenCounts().session(null);
	}

}
