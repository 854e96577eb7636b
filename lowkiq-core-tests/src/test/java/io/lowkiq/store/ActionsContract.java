package io.lowkiq.store;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.ShardActions.Closing;
import io.lowkiq.store.inspection.ShardActions.Step;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardActions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static io.lowkiq.testing.Outcomes.buried;

/**
 * What people do to jobs (rules 7 and 9).
 */
abstract class ActionsContract extends StoreContract {

	private ShardActions actions() {
		return this.store.actions();
	}

	/**
	 * Repeats an action until nothing is left to do.
	 * @param action the action
	 * @param limit the most jobs a step may change
	 * @return the number of jobs changed
	 */
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
	void performAllNowMakesJobsDueNow() {
		TestOwner owner = owner("s");
		fail(owner, "retry", "p", 60_000);
		enqueueIn(5_000, "delayed", "p");
		this.clock.advanceMillis(10);
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(2, false));
		assertThat(queued("delayed").performAt()).isEqualTo(now());
		assertThat(queued("retry").performAt()).isEqualTo(now());
		assertThat(queued("retry").retryCount()).isZero();
		assertThat(queued("retry").error()).isEqualTo("failed retry");
		assertThat(owner.fetch(10).jobs()).hasSize(2);
	}

	@Test
	void performAllNowLeavesDueJobsAlone() {
		enqueueIn(-5_000, "due", "p");
		enqueue("ready", "p");
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(queued("due").performAt()).isEqualTo(now() - 5_000);
	}

	@Test
	void performNowLeavesReadyJobsAlone() {
		enqueue("ready", "p");
		this.clock.goBackMillis(1_000);
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(actions().performNow(SHARD, List.of("ready"))).isEqualTo(new Step(0, false));
		assertThat(queued("ready").performAt()).isEqualTo(now() + 1_000);
	}

	@Test
	void performAllNowWorksInSteps() {
		for (int i = 0; i < 10; i++) {
			enqueueIn(1_000 + i, "id-" + i, "p");
		}
		assertThat(actions().performAllNow(SHARD, 4).more()).isTrue();
		assertThat(all(() -> actions().performAllNow(SHARD, 4), 4)).isEqualTo(6);
		assertThat(actions().performAllNow(SHARD, 4)).isEqualTo(new Step(0, false));
	}

	@Test
	void performNowMakesTheNamedJobsDue() {
		enqueueIn(5_000, "a", "p");
		enqueueIn(5_000, "b", "p");
		enqueueIn(-5_000, "due", "p");
		assertThat(actions().performNow(SHARD, List.of("a", "due", "unknown"))).isEqualTo(new Step(1, false));
		assertThat(queued("a").performAt()).isEqualTo(now());
		assertThat(queued("b").performAt()).isEqualTo(now() + 5_000);
		assertThat(queued("due").performAt()).isEqualTo(now() - 5_000);
	}

	@Test
	void jobPerformedNowIsFetchedThen() {
		TestOwner owner = owner("s");
		enqueueIn(5_000, "a", "p");
		actions().performNow(SHARD, List.of("a"));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
	}

	@Test
	void killAllFailedMovesFailedJobsToTheMorgue() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p1", 60_000);
		enqueue("a", "p2");
		enqueue("fresh", "p");
		this.clock.advanceMillis(10);
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(1, false));
		JobView dead = dead("a");
		assertThat(texts(dead.payloads())).containsExactly("p1", "p2");
		assertThat(dead.error()).isEqualTo("failed a");
		assertThat(dead.performAt()).isEqualTo(now());
		assertThat(isQueued("a")).isFalse();
		assertThat(isQueued("fresh")).isTrue();
		assertThat(counts().retry()).isZero();
		assertThat(counts().failed()).isEqualTo(1);
	}

	@Test
	void buriedPayloadIsDeadAndNotQueued() {
		actions().bury(SHARD, "a", bytes("p"), 7.5, "no order");
		JobView dead = dead("a");
		assertThat(dead.payloads()).containsExactly(payload("p", 7.5));
		assertThat(dead.error()).isEqualTo("no order");
		assertThat(dead.performAt()).isEqualTo(now());
		assertThat(isQueued("a")).isFalse();
		assertThat(counts().dead()).isEqualTo(1);
		assertThat(counts().failed()).isZero();
	}

	@Test
	void buriedPayloadMergesInTheMorgueAndLeavesTheQueuedJobAlone() {
		enqueue("a", "queued");
		actions().bury(SHARD, "a", bytes("p2"), 2, "first");
		this.clock.advanceMillis(10);
		actions().bury(SHARD, "a", bytes("p1"), 1, "second");
		actions().bury(SHARD, "a", bytes("p2"), 3, "second");
		assertThat(dead("a").payloads()).containsExactly(payload("p1", 1), payload("p2", 2));
		assertThat(dead("a").error()).isEqualTo("second");
		assertThat(dead("a").performAt()).isEqualTo(now());
		assertThat(texts(queued("a").payloads())).containsExactly("queued");
	}

	@Test
	void buriedPayloadCanBeEnqueuedAgain() {
		TestOwner owner = owner("s");
		actions().bury(SHARD, "a", bytes("p"), 1, "no order");
		assertThat(actions().reEnqueue(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
	}

	@Test
	void killAllFailedMergesInTheMorgue() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		fail(owner, "a", "p2", 60_000);
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(1, false));
		assertThat(texts(dead("a").payloads())).containsExactly("p1", "p2");
		assertThat(dead("a").error()).isEqualTo("failed a");
		assertThat(counts().dead()).isEqualTo(1);
	}

	@Test
	void killAllFailedLeavesBusyJobsAlone() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p", 0);
		owner.fetch(1);
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(isBusy("a")).isTrue();
	}

	@Test
	void killAllFailedWorksInSteps() {
		failMany(7);
		assertThat(actions().killAllFailed(SHARD, 3).more()).isTrue();
		assertThat(all(() -> actions().killAllFailed(SHARD, 3), 3)).isEqualTo(4);
		assertThat(counts().dead()).isEqualTo(7);
		assertThat(counts().retry()).isZero();
	}

	@Test
	void deleteAllFailedWorksInSteps() {
		failMany(7);
		enqueue("fresh", "p");
		assertThat(actions().deleteAllFailed(SHARD, 3).more()).isTrue();
		assertThat(all(() -> actions().deleteAllFailed(SHARD, 3), 3)).isEqualTo(4);
		assertThat(counts().dead()).isZero();
		assertThat(counts().retry()).isZero();
		assertThat(counts().fresh()).isEqualTo(1);
	}

	private void failMany(int count) {
		TestOwner owner = owner("s");
		for (int i = 0; i < count; i++) {
			fail(owner, "id-" + i, "p", 60_000);
		}
	}

	@Test
	void deleteRemovesTheNamedQueuedJobs() {
		TestOwner owner = owner("s");
		enqueue("busy", "p1");
		owner.fetch(1);
		enqueue("busy", "p2");
		enqueue("ready", "p");
		enqueue("kept", "p");
		enqueueIn(5_000, "delayed", "p");
		enqueue("many", "p1");
		enqueue("many", "p2");
		assertThat(actions().delete(SHARD, List.of("busy", "ready", "delayed", "many", "unknown")))
			.isEqualTo(new Step(4, false));
		assertThat(isBusy("busy")).isTrue();
		assertThat(isQueued("busy")).isFalse();
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(jobTexts(owner.completeAndFetch(new Outcome.Done("busy"), 10))).containsExactly("kept=[p]");
	}

	@Test
	void deletedIdMayBeEnqueuedAgain() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("b", "p1");
		actions().delete(SHARD, List.of("a"));
		enqueue("a", "p2");
		assertThat(jobTexts(owner.fetch(10))).containsExactlyInAnyOrder("a=[p2]", "b=[p1]");
	}

	@Test
	void deleteOfTheJobBehindABusyOneLeavesThatBusy() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		assertThat(actions().delete(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		assertThat(owner.complete(new Outcome.Done("a")).next()).isEqualTo(FetchResult.NOTHING);
		assertThat(owner.fetch(10).jobs()).isEmpty();
		assertThat(counts().processed()).isEqualTo(1);
	}

	@Test
	void performNowLeavesTheJobBehindABusyOneAlone() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueueIn(5_000, "a", "p2");
		assertThat(actions().performNow(SHARD, List.of("a"))).isEqualTo(new Step(0, false));
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(queued("a").performAt()).isEqualTo(now() + 5_000);
	}

	@Test
	void performNowMakesSuspectsDueThatStaySuspects() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		owner.fetch(2);
		owner.complete(new Outcome.Retry("a", 5_000, "e", true), new Outcome.Retry("b", 5_000, "e", true));
		assertThat(actions().performNow(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		assertThat(actions().performAllNow(SHARD, 10)).isEqualTo(new Step(1, false));
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a", "b");
		assertThat(queued("a").crashes()).isEqualTo(2);
		assertThat(owner.fetch(10).jobs()).isEmpty();
		assertThat(ids(owner.fetchSuspect())).containsExactly("a");
	}

	@Test
	void reEnqueuePutsTheNamedJobsBackFromTheMorgue() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		bury(owner, "b", "p");
		this.clock.advanceMillis(10);
		assertThat(actions().reEnqueue(SHARD, List.of("a", "unknown"))).isEqualTo(new Step(1, false));
		JobView job = queued("a");
		assertThat(job.performAt()).isEqualTo(now());
		assertThat(job.retryCount()).isEqualTo(-1);
		assertThat(job.crashes()).isZero();
		assertThat(job.error()).isEqualTo("fatal");
		assertThat(texts(job.payloads())).containsExactly("p");
		assertThat(isDead("a")).isFalse();
		assertThat(isDead("b")).isTrue();
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p]");
	}

	@Test
	void reEnqueueMergesIntoTheQueuedJob() {
		TestOwner owner = owner("s");
		enqueue("a", "p1", 1);
		owner.fetch(1);
		owner.complete(buried("a", "fatal"));
		enqueue("a", "p2", 2);
		owner.fetch(1);
		enqueue("a", "p1", 5);
		owner.complete(new Outcome.Retry("a", 60_000, "e"));
		assertThat(actions().reEnqueue(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		JobView job = queued("a");
		assertThat(job.payloads()).containsExactly(payload("p1", 1), payload("p2", 2));
		assertThat(job.performAt()).isEqualTo(now());
		assertThat(job.retryCount()).isEqualTo(-1);
		assertThat(job.error()).isEqualTo("fatal");
		assertThat(counts().retry()).isZero();
		assertThat(counts().fresh()).isEqualTo(1);
	}

	@Test
	void reEnqueueClearsAQueuedSuspect() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		owner.release();
		enqueue("a", "p2");
		owner = crash("a", 2);
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(queued("a").crashes()).isZero();
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p1, p2]");
	}

	@Test
	void reEnqueueDelaysAReadyJob() {
		TestOwner owner = owner("s");
		bury(owner, "b", "p1");
		enqueue("b", "p2");
		enqueue("c", "p");
		this.clock.advanceMillis(1);
		actions().reEnqueue(SHARD, List.of("b"));
		assertThat(ids(owner.fetch(10))).containsExactly("c", "b");
	}

	@Test
	void reEnqueueOfABusyIdWaitsBehindIt() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		enqueue("a", "p2");
		owner.fetch(1);
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(texts(busy("a").payloads())).containsExactly("p2");
		assertThat(texts(queued("a").payloads())).containsExactly("p1");
		assertThat(owner.fetch(10).jobs()).isEmpty();
		owner.complete(new Outcome.Done("a"));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p1]");
	}

	@Test
	void reEnqueueAllTakesTheLongestDeadFirstAndWorksInSteps() {
		buryMany(5);
		assertThat(actions().reEnqueueAll(SHARD, 2, now() + 1)).isEqualTo(new Step(2, true));
		assertThat(isQueued("id-0")).isTrue();
		assertThat(isQueued("id-1")).isTrue();
		assertThat(isDead("id-2")).isTrue();
		assertThat(all(() -> actions().reEnqueueAll(SHARD, 2, now() + 1), 2)).isEqualTo(3);
		assertThat(counts().dead()).isZero();
		assertThat(counts().fresh()).isEqualTo(5);
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
		assertThat(counts().dead()).isEqualTo(1);
		assertThat(counts().queued()).isZero();
	}

	private void buryMany(int count) {
		TestOwner owner = owner("s");
		for (int i = 0; i < count; i++) {
			this.clock.advanceMillis(1);
			bury(owner, "id-" + i, "p");
		}
	}

	@Test
	void deleteDeadRemovesTheNamedJobsFromTheMorgue() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		bury(owner, "b", "p");
		enqueue("a", "p2");
		assertThat(actions().deleteDead(SHARD, List.of("a", "unknown"))).isEqualTo(new Step(1, false));
		assertThat(isDead("a")).isFalse();
		assertThat(isDead("b")).isTrue();
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void actionsMayBeDoneTwice() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		enqueueIn(1_000, "b", "p");
		actions().reEnqueue(SHARD, List.of("a"));
		actions().performNow(SHARD, List.of("b"));
		assertThat(actions().reEnqueue(SHARD, List.of("a")).changed()).isZero();
		assertThat(actions().performNow(SHARD, List.of("b")).changed()).isZero();
		assertThat(actions().delete(SHARD, List.of("b")).changed()).isEqualTo(1);
		assertThat(actions().delete(SHARD, List.of("b")).changed()).isZero();
	}

	@Test
	void actionsOnNoIdsChangeNothing() {
		enqueue("a", "p");
		assertThat(actions().performNow(SHARD, List.of())).isEqualTo(new Step(0, false));
		assertThat(actions().delete(SHARD, List.of())).isEqualTo(new Step(0, false));
		assertThat(actions().reEnqueue(SHARD, List.of())).isEqualTo(new Step(0, false));
		assertThat(actions().deleteDead(SHARD, List.of())).isEqualTo(new Step(0, false));
	}

	@Test
	void pauseMayBeRepeated() {
		actions().pause(SHARD, true);
		actions().pause(SHARD, true);
		assertThat(counts().paused()).isTrue();
		actions().pause(SHARD, false);
		actions().pause(SHARD, false);
		assertThat(counts().paused()).isFalse();
	}

	private TestOwner hold(String id, String... payloads) {
		TestOwner owner = owner("holding");
		for (int i = 0; i < payloads.length; i++) {
			enqueue(id, payloads[i], i);
		}
		owner.fetch(1);
		owner.complete(new Outcome.Hold(id, "on hold"));
		return owner;
	}

	@Test
	void heldJobsAreCountedAndListed() {
		hold("a", "p");
		enqueueIn(1_000, "b", "p");
		assertThat(counts().held()).isEqualTo(1);
		assertThat(listed(JobList.HELD)).containsExactly("a");
		assertThat(listed(JobList.DELAYED)).containsExactly("b", "a");
		JobQuery backwards = JobQuery.first(JobList.HELD, 10).backwards();
		assertThat(this.store.inspection().list(SHARD, backwards).jobs()).extracting(JobView::id).containsExactly("a");
	}

	@Test
	void failedJobsOnHoldWaitForNoRetry() {
		TestOwner owner = hold("a", "p");
		enqueue("b", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("b", 5_000, "boom"));
		assertThat(counts().retry()).isEqualTo(1);
		assertThat(listed(JobList.RETRIES)).containsExactly("b");
		actions().hold(SHARD, List.of("b"));
		assertThat(counts().retry()).isZero();
		assertThat(listed(JobList.RETRIES)).isEmpty();
		assertThat(actions().killAllFailed(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(actions().deleteAllFailed(SHARD, 10)).isEqualTo(new Step(0, false));
		assertThat(listed(JobList.HELD)).containsExactly("a", "b");
		assertThat(queued("b").retryCount()).isZero();
	}

	@Test
	void releasedJobIsPerformedWithItsNewerPayloads() {
		TestOwner owner = hold("a", "p0");
		enqueue("a", "p1");
		assertThat(actions().release(SHARD, List.of("a", "b"))).isEqualTo(new Step(1, false));
		FetchedJob job = owner.fetch(1).jobs().get(0);
		assertThat(text(job)).isEqualTo("a=[p0, p1]");
		assertThat(job.retryCount()).isEqualTo(-1);
		assertThat(job.error()).isEqualTo("on hold");
		assertThat(listed(JobList.RETRIES)).isEmpty();
		assertThat(counts().held()).isZero();
	}

	@Test
	void allHeldJobsAreReleasedInSteps() {
		TestOwner owner = hold("a", "p");
		for (String id : List.of("b", "c")) {
			enqueue(id, "p");
			owner.fetch(1);
			owner.complete(new Outcome.Hold(id, "on hold"));
		}
		enqueueIn(1_000, "d", "p");
		assertThat(actions().releaseAll(SHARD, 2)).isEqualTo(new Step(2, true));
		assertThat(actions().releaseAll(SHARD, 2)).isEqualTo(new Step(1, false));
		assertThat(ids(owner.fetch(10))).containsExactlyInAnyOrder("a", "b", "c");
	}

	@Test
	void onlyHeldJobsAreReleased() {
		owner("s");
		enqueueIn(1_000, "a", "p");
		assertThat(actions().release(SHARD, List.of("a")).changed()).isZero();
		assertThat(queued("a").performAt()).isEqualTo(now() + 1_000);
	}

	@Test
	void theFirstPayloadOfADeadJobIsReplacedAndKeepsItsScore() {
		actions().bury(SHARD, "a", bytes("bad"), 1, "failed");
		actions().bury(SHARD, "a", bytes("p2"), 2, "failed");
		actions().bury(SHARD, "a", bytes("good"), 3, "failed");
		assertThat(actions().editDead(SHARD, "a", bytes("p2"), bytes("good"))).isEqualTo(EditResult.CHANGED);
		assertThat(actions().editDead(SHARD, "b", bytes("bad"), bytes("good"))).isEqualTo(EditResult.NONE);
		assertThat(actions().editDead(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		JobView dead = this.store.inspection().find(SHARD, JobView.State.DEAD, "a", 10).orElseThrow();
		assertThat(dead.payloads()).containsExactly(payload("good", 1), payload("p2", 2));
		assertThat(dead.error()).isEqualTo("failed");
		assertThat(actions().editHeld(SHARD, "a", bytes("good"), bytes("other"))).isEqualTo(EditResult.DEAD);
	}

	@Test
	void firstPayloadOfAHeldJobMayBeEdited() {
		TestOwner owner = hold("a", "bad", "p1");
		assertThat(actions().editHeld(SHARD, "a", bytes("p1"), bytes("good"))).isEqualTo(EditResult.CHANGED);
		assertThat(actions().editHeld(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		assertThat(queued("a").payloads()).containsExactly(payload("good", 0), payload("p1", 1));
		actions().release(SHARD, List.of("a"));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[good, p1]");
	}

	@Test
	void onlyPayloadOfAHeldJobMayBeEdited() {
		hold("a", "bad");
		assertThat(actions().editHeld(SHARD, "a", bytes("other"), bytes("good"))).isEqualTo(EditResult.CHANGED);
		assertThat(actions().editHeld(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		assertThat(queued("a").payloads()).containsExactly(payload("good", 0));
	}

	@Test
	void editedPayloadMergesWithAnEqualOne() {
		hold("a", "bad", "good");
		assertThat(actions().editHeld(SHARD, "a", bytes("bad"), bytes("good"))).isEqualTo(EditResult.EDITED);
		assertThat(queued("a").payloads()).containsExactly(payload("good", 0));
	}

	@Test
	void jobThatIsNotHeldCanNotBeEdited() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		assertThat(actions().editHeld(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.QUEUED);
		assertThat(actions().editHeld(SHARD, "b", bytes("p"), bytes("good"))).isEqualTo(EditResult.NONE);
		assertThat(texts(queued("a").payloads())).containsExactly("p");
		assertThat(actions().editDead(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.QUEUED);
		owner.fetch(1);
		assertThat(actions().editHeld(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.BUSY);
		assertThat(actions().editDead(SHARD, "a", bytes("p"), bytes("good"))).isEqualTo(EditResult.BUSY);
	}

	@Test
	void heldJobMayBeBuried() {
		hold("a", "p0", "p1");
		assertThat(actions().kill(SHARD, List.of("a", "b"))).isEqualTo(new Step(1, false));
		assertThat(dead("a").payloads()).containsExactly(payload("p0", 0), payload("p1", 1));
		assertThat(dead("a").error()).isEqualTo("on hold");
		assertThat(isQueued("a")).isFalse();
		assertThat(counts().held()).isZero();
	}

	@Test
	void aHoldThatIsGivenWhileTheIdIsBusySurvivesAFailure() {
		TestOwner owner = owner("s");
		enqueue("a", "p1", 1);
		owner.fetch(1);
		enqueue("a", "p2", 2);
		assertThat(actions().hold(SHARD, List.of("a")).changed()).isEqualTo(1);
		owner.complete(new Outcome.Retry("a", 0, "failed"));
		assertThat(counts().held()).isEqualTo(1);
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2");
		assertThat(owner.fetch(10).jobs()).isEmpty();
	}

	@Test
	void aBusyJobThatIsPutOnHoldIsDoneIfItIsDone() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		assertThat(actions().hold(SHARD, List.of("a"))).isEqualTo(new Step(1, false));
		assertThat(actions().hold(SHARD, List.of("a"))).as("again").isEqualTo(new Step(0, false));
		assertThat(busy("a").performAt()).isEqualTo(FetchResult.NOTHING);
		assertThat(counts().held()).isZero();
		enqueue("a", "p2");
		owner.complete(new Outcome.Done("a"));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void aBusyJobThatIsPutOnHoldIsOnHoldHoweverItComesBack() {
		TestOwner owner = owner("s");
		List<Outcome> comebacks = List.of(new Outcome.Retry("a", 0, "failed"), new Outcome.Returned("b"),
				new Outcome.Unreadable("c", 0, "unreadable"), new Outcome.Retry("d", 0, "out of memory", true));
		comebacks.forEach((outcome) -> enqueue(outcome.id(), "p"));
		for (String id : List.of("released", "lapsed", "many")) {
			enqueue(id, "p1");
			enqueue(id, "p2");
		}
		owner.fetch(10);
		List<String> all = List.of("a", "b", "c", "d", "released", "lapsed", "many");
		assertThat(actions().hold(SHARD, all).changed()).isEqualTo(7);
		owner.complete(comebacks.toArray(Outcome[]::new));
		owner.complete(new Outcome.PartlyDone("many", List.of(0), List.of(), "failed", true),
				new Outcome.Retry("many", 0, "failed"));
		TestOwner next = owner("t", LeaseRequest.afterLapse("t", "s"));
		assertThat(listed(JobList.HELD)).containsExactlyInAnyOrderElementsOf(all);
		assertThat(counts().retry()).isZero();
		enqueue("a", "p2");
		assertThat(next.fetchSuspect().jobs()).isEmpty();
		assertThat(queued("d").crashes()).isZero();
		assertThat(texts(queued("many").payloads())).containsExactly("p2");
		actions().release(SHARD, List.of("a", "released"));
		assertThat(jobTexts(next.fetch(10))).containsExactlyInAnyOrder("a=[p, p2]", "released=[p1, p2]");
	}

	@Test
	void aBusyJobThatIsReleasedIsNotPutOnHold() {
		TestOwner owner = owner("s");
		for (String id : List.of("a", "b")) {
			enqueue(id, "p1");
		}
		owner.fetch(2);
		enqueue("b", "p2");
		actions().hold(SHARD, List.of("a", "b"));
		assertThat(actions().release(SHARD, List.of("a", "b", "c"))).isEqualTo(new Step(2, false));
		owner.complete(new Outcome.Returned("a"), new Outcome.Returned("b"));
		assertThat(jobTexts(owner.fetch(10))).containsExactlyInAnyOrder("a=[p1]", "b=[p1, p2]");
	}

	@Test
	void anErasedBusyJobCanNotBePutOnHold() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		actions().erase(SHARD, "a");
		assertThat(actions().hold(SHARD, List.of("a")).changed()).isZero();
		assertThat(actions().release(SHARD, List.of("a")).changed()).isZero();
		owner.complete(new Outcome.Retry("a", 0, "failed"));
		assertThat(isQueued("a")).isFalse();
	}

	@Test
	void reEnqueueKeepsScoresErrorsAndHolds() {
		TestOwner owner = owner("s");
		enqueue("a", "p5", 5);
		enqueue("a", "p1", 1);
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(), List.of(0, 1), "fatal", true));
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(queued("a").payloads()).containsExactly(payload("p1", 1), payload("p5", 5));
		assertThat(queued("a").error()).isEqualTo("fatal");
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(), List.of(1), "fatal", true),
				new Outcome.Hold("a", "on hold"));
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p5");
		assertThat(counts().held()).isEqualTo(1);
		assertThat(queued("a").error()).isEqualTo("on hold");
	}

	@Test
	void aShardInWhichAFollowUpWaitsIsNotEmpty() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.release(new Outcome.FollowUp("a", 1, new FollowUp("mails", NewPayload.of("m", bytes("x")))),
				new Outcome.Done("a"));
		assertThat(actions().close(SHARD, null, true)).isEqualTo(Closing.NOT_EMPTY);
	}

	@Test
	void aShardThatHasGotAFollowUpMayBeEmpty() {
		TestOwner owner = owner("s");
		enqueue(NewPayload.of("m", bytes("x")).from(new Origin(new Shard("sources", 1, 7), 50, 1)));
		owner.fetch(1);
		owner.release(new Outcome.Done("m"));
		assertThat(actions().close(SHARD, null, true)).isEqualTo(Closing.CLOSED);
	}

	@Test
	void aShardThatSomebodyOwnsIsNotClosed() {
		owner("s");
		assertThat(actions().close(SHARD, null, false)).isEqualTo(Closing.OWNED);
		assertThat(actions().close(SHARD, "other", false)).isEqualTo(Closing.OWNED);
		enqueue("a", "p");
		assertThat(actions().close(SHARD, "s", true)).isEqualTo(Closing.NOT_EMPTY);
		assertThat(actions().close(SHARD, "s", false)).isEqualTo(Closing.CLOSED);
		assertThat(counts().session()).isNull();
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> enqueue("a", "p"));
	}

	@Test
	void aClosedShardOfABatchHoldsUpNoOther() {
		Shard other = new Shard("orders", 1, 1);
		actions().close(SHARD, null, false);
		BatchResult result = this.store.shards()
			.enqueueAll(List.of(new ShardPayloads(SHARD, List.of(NewPayload.of("a", bytes("1")))),
					new ShardPayloads(other, List.of(NewPayload.of("b", bytes("1")))),
					new ShardPayloads(SHARD, List.of(NewPayload.of("a", bytes("2"))))));
		assertThat(result.problems()).containsOnlyKeys(0, 2)
			.allSatisfy((position, problem) -> assertThat(problem).isInstanceOf(QueueClosedException.class));
		assertThat(this.store.shards().isQueued(other, "b")).isTrue();
		assertThat(counts().queued()).isZero();
	}

	@Test
	void nothingIsBuriedInAClosedShard() {
		actions().close(SHARD, null, false);
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> actions().bury(SHARD, "a", bytes("p"), 1, "no order"))
			.withMessageContaining("'" + SHARD.queue() + "'");
		assertThat(counts().dead()).isZero();
		this.store.queues().register(SHARD.queue(), 1);
		actions().bury(SHARD, "a", bytes("p"), 1, "no order");
		assertThat(counts().dead()).isEqualTo(1);
	}

	@Test
	void anOpenShardIsNotEmptied() {
		enqueue("a", "p");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> actions().empty(SHARD, 10));
		actions().close(SHARD, null, false);
		this.store.queues().register(SHARD.queue(), 1);
		enqueue("b", "p");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> actions().empty(SHARD, 10));
		assertThat(counts().queued()).isEqualTo(2);
	}

	@Test
	void idThatIsEnqueuedAgainComesAfterThoseThatWereReadyBefore() {
		TestOwner owner = owner("s");
		List.of("a", "b", "c", "d").forEach((id) -> enqueue(id, "old"));
		actions().delete(SHARD, List.of("b"));
		enqueue("b", "p1");
		actions().kill(SHARD, List.of("a"));
		enqueue("a", "p1");
		actions().erase(SHARD, "b");
		actions().erase(SHARD, "d");
		enqueue("d", "p2");
		enqueue("b", "p2");
		assertThat(jobTexts(owner.fetch(2))).containsExactly("c=[old]", "a=[p1]");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("d=[p2]", "b=[p2]");
		assertThat(owner.fetch(10).jobs()).isEmpty();
		enqueue("e", "p");
		assertThat(ids(owner.completeAndFetch(new Outcome.Done("a"), 10))).containsExactly("e");
	}

	@Test
	void idThatIsEnqueuedAgainAfterItWasHeldComesLast() {
		TestOwner owner = owner("s");
		List.of("a", "b", "c").forEach((id) -> enqueue(id, "p"));
		actions().hold(SHARD, List.of("b"));
		actions().delete(SHARD, List.of("b"));
		enqueue("b", "p");
		assertThat(ids(owner.fetch(10))).containsExactly("a", "c", "b");
	}

	@Test
	void noJobIsPassedOverForVoidEntries() {
		TestOwner owner = owner("s");
		for (int round = 0; round < 5; round++) {
			enqueue("first", "p" + round);
			enqueue("a", "p" + round);
			actions().delete(SHARD, List.of("a"));
			enqueue("a", "q" + round);
			assertThat(jobTexts(owner.fetch(1))).containsExactly("first=[p" + round + "]");
			assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[q" + round + "]");
			owner.complete(new Outcome.Done("first"), new Outcome.Done("a"));
		}
	}

	@ParameterizedTest
	@CsvSource({ "3, 1200", "1200, 3", "1100, 1200" })
	void killedPayloadsJoinTheDeadOnesAndComeBackHoweverManyThereAre(int dead, int queued) {
		TestOwner owner = owner("s");
		enqueue(numbered(0, dead, 0));
		owner.fetch(1, dead);
		owner.complete(new Outcome.PartlyDone("a", List.of(), IntStream.range(0, dead).boxed().toList(), "dead", true));
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
		assertThat(counts().dead()).isZero();
	}

	/** Payloads of an id with their numbers and something else as scores. */
	private static NewPayload[] numbered(int from, int to, double more) {
		return IntStream.range(from, to)
			.mapToObj((i) -> NewPayload.of("a", bytes("p" + i)).withScore(i + more))
			.toArray(NewPayload[]::new);
	}

	@Test
	void lateAcquireDoesNotOpenAShardOfARemovedQueue() {
		owner("s").release();
		actions().close(SHARD, null, false);
		assertThat(actions().empty(SHARD, 10).more()).isFalse();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> owner("s"))
			.withCauseInstanceOf(QueueClosedException.class);
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> enqueue("a", "p"));
		assertThat(counts().session()).isNull();
	}

}
