package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.TraceParent;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.TracedProducer;
import org.junit.jupiter.api.Test;

import static io.lowkiq.testing.Outcomes.buried;
import static io.lowkiq.testing.Outcomes.rejected;
import static org.assertj.core.api.Assertions.assertThat;

/** What becomes of busy jobs (rules 4 to 6, I4, I8). */
abstract class OutcomeContract extends OwnedShardContract {

	private static final TracedProducer PRODUCER = new TracedProducer(
			new TraceParent("1".repeat(32), "2".repeat(16), true), 2);

	@Test
	void doneRemovesTheJobAndCountsItAsProcessed() {
		performing("a", "p");
		this.owner.complete(done("a"));
		thenCounts().busy(0).queued(0).dead(0).processed(1).failed(0);
	}

	@Test
	void doneLetsTheJobBehindItBeFetched() {
		performing("a", "p1");
		this.clock.advanceMillis(5);
		enqueue("a", "p2");
		long performAt = now();
		this.clock.advanceMillis(5);
		then(this.owner.complete(done("a"))).next(performAt);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		thenQueued("a").performAt(performAt);
		then(this.owner.fetch(1)).jobs("a=[p2]");
	}

	@Test
	void partOfTheBusyJobsMayBeCompleted() {
		performingEach("a", "b", "c");
		this.owner.complete(done("b"));
		this.owner.complete(retry("c", 10, "e"));
		assertThat(listed(JobList.BUSY)).containsExactly("a");
		thenCounts().processed(1).failed(1);
	}

	@Test
	void returnedJobGoesBackAsItWas() {
		fail("a", "p1", 5);
		this.clock.advanceMillis(5);
		long performAt = now();
		this.owner.fetch(1);
		this.clock.advanceMillis(5);
		enqueue("a", "p2");
		this.owner.complete(returned("a"));
		thenQueued("a").has("p1", "p2").performAt(performAt).retryCount(0).error("failed a").crashes(0);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		assertThat(listed(JobList.RETRIES)).containsExactly("a");
		thenCounts().busy(0).processed(0).failed(1);
	}

	@Test
	void returnedJobIsFetchedBeforeThoseThatCameAfterIt() {
		enqueueEach("b", "a");
		this.owner.fetch(1);
		this.owner.complete(returned("b"));
		then(this.owner.fetch(10)).ids("b", "a");
	}

	@Test
	void returnedJobRejoinsWhatTheLimitOfPayloadsCut() {
		enqueue("a", "p1", "p2");
		this.owner.fetch(1, 1);
		this.owner.complete(returned("a"));
		then(this.owner.fetch(1)).jobs("a=[p1, p2]");
	}

	@Test
	void outcomeOfAJobThatIsNotBusyChangesNothing() {
		enqueue("a", "p");
		this.owner.complete(done("a"), retry("a", 1, "e"), buried("b", "e"), rejected("a", List.of(0), "e"));
		thenCounts().fresh(1).dead(0).processed(0).failed(0);
	}

	@Test
	void secondOutcomeOfAJobChangesNothing() {
		performing("a", "p");
		this.owner.complete(done("a"), done("a"), buried("a", "e"));
		thenCounts().processed(1).failed(0).dead(0);
	}

	@Test
	void outcomesOfABatchAreAppliedInOneStepWithTheNextFetch() {
		enqueueEach("a", "b", "c", "d");
		this.owner.fetch(3);
		FetchResult.Fetched fetched = this.owner.applied(List.of(done("a"), retry("b", 10, "e"), buried("c", "e")),
				new Fetch(10, 10, false));
		then(fetched).jobs("d=[p]").next(now() + 10).buried(1);
		thenCounts().failed(2);
	}

	@Test
	void retryPutsTheJobBackWithItsDelayAndError() {
		performing("a", "p");
		this.clock.advanceMillis(100);
		this.owner.complete(retry("a", 5_000, "boom"));
		thenQueued("a").performAt(now() + 5_000).retryCount(0).error("boom");
		thenCounts().retry(1).fresh(0).failed(1).processed(0);
	}

	@Test
	void retryCountGrowsWithEachFailure() {
		enqueue("a", "p");
		for (int failures = 0; failures < 3; failures++) {
			assertThat(this.owner.fetchOne().retryCount()).isEqualTo(failures - 1);
			this.owner.complete(retry("a", 0, "failure " + failures));
		}
		thenQueued("a").retryCount(2).error("failure 2");
	}

	@Test
	void retryWithoutDelayIsDueAtOnce() {
		performing("a", "p");
		then(this.owner.complete(retry("a", 0, "e"))).next(now());
		then(this.owner.fetch(1)).jobs("a=[p]");
	}

	@Test
	void newerPayloadsWaitBehindTheRetryOfTheirId() {
		performing("a", "p1");
		enqueue("a", "p2");
		this.owner.complete(retry("a", 5_000, "boom"));
		enqueue("a", "p3");
		then(this.owner.fetch(1)).nothing();
		this.clock.advanceMillis(5_000);
		then(this.owner.fetchOne()).is("a=[p1, p2, p3]").retryCount(0).error("boom");
	}

	@Test
	void retryMergesAnEqualPayloadWithTheSmallerScore() {
		enqueue("a", "p", 5);
		this.owner.fetch(1);
		enqueue("a", "p", 3);
		this.owner.complete(retry("a", 0, "e"));
		thenQueued("a").has(payload("p", 3));
	}

	@Test
	void retryMergesWithTheJobBehindIt() {
		performing("b", "p1");
		enqueue("b", "p2");
		enqueue("c", "p1");
		this.clock.advanceMillis(1);
		this.owner.complete(retry("b", 0, "e"));
		then(this.owner.fetch(10)).jobs("c=[p1]", "b=[p1, p2]");
	}

	@Test
	void performAtOfTheRetryStandsThoughTheJobBehindItIsDue() {
		performing("a", "p1");
		enqueue("a", "p2");
		this.owner.complete(retry("a", 5_000, "e"));
		thenQueued("a").performAt(now() + 5_000);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
	}

	@Test
	void buryMovesThePayloadWithTheSmallestScoreToTheMorgue() {
		enqueue("a", "p2", 2);
		enqueue("a", "p1", 1);
		enqueue("a", "p3", 3);
		this.owner.fetch(1);
		this.clock.advanceMillis(100);
		then(this.owner.complete(buried("a", "fatal"), returned("a"))).buried(1);
		thenDead("a").has(payload("p1", 1)).performAt(now()).error("fatal").retryCount(-1);
		thenQueued("a").has("p2", "p3");
	}

	@Test
	void buryPutsTheOthersBackAsAFreshJobThatIsDue() {
		fail("a", "p1", 0);
		performing("a", "p2");
		this.clock.advanceMillis(100);
		this.owner.complete(buried("a", "fatal"), returned("a"));
		thenQueued("a").retryCount(-1).error("fatal");
		assertThat(queued("a").performAt()).isLessThan(now());
	}

	@Test
	void buryMergesTheOthersWithWhatWasQueuedMeanwhile() {
		performing("a", "p1", "p2");
		enqueue(NewPayload.of("a", bytes("p3")).withPerformAt(now() + 60_000));
		this.owner.complete(buried("a", "fatal"), returned("a"));
		thenQueued("a").has("p2", "p3").performAt(now());
	}

	@Test
	void buryOfTheOnlyPayloadLetsTheJobBehindItBeFetched() {
		performing("a", "p1");
		enqueueIn(60_000, "a", "p2");
		then(this.owner.complete(buried("a", "fatal"))).next(now() + 60_000);
		thenQueued("a").has("p2").performAt(now() + 60_000);
		this.clock.advanceMillis(60_000);
		then(this.owner.fetch(1)).jobs("a=[p2]");
	}

	@Test
	void buryTakesTheSmallestBusyPayloadAlthoughASmallerOneIsQueued() {
		enqueue("a", "p5", 5);
		this.owner.fetch(1);
		enqueue("a", "p1", 1);
		this.owner.complete(buried("a", "fatal"));
		thenDead("a").has("p5");
		thenQueued("a").has("p1");
	}

	@Test
	void buryCountsAsFailed() {
		bury("a", "p");
		thenCounts().failed(1).processed(0).dead(1).busy(0);
	}

	@Test
	void morgueMergesByIdWithTheLastErrorAndTime() {
		enqueue("a", "p1", 2);
		this.owner.fetch(1);
		this.owner.complete(buried("a", "first"));
		this.clock.advanceMillis(100);
		enqueue("a", "p0", 1);
		enqueue("a", "p1", 3);
		this.owner.fetch(1);
		this.owner.complete(buried("a", "second"), returned("a"));
		this.owner.fetch(1);
		this.owner.complete(buried("a", "third"));
		thenDead("a").has(payload("p0", 1), payload("p1", 2)).error("third").performAt(now());
		thenCounts().dead(1);
	}

	@Test
	void rejectMovesTheNamedPayloadsToTheMorgueAndLeavesTheOthersBusy() {
		performing("a", "p0", "p1", "p2", "p3");
		then(this.owner.complete(rejected("a", List.of(0, 2), "unreadable"))).buried(2);
		thenDead("a").has("p0", "p2").error("unreadable");
		thenBusy("a").has("p1", "p3");
		thenCounts().failed(0);
	}

	@Test
	void rejectComesBeforeTheOutcomeOfTheRest() {
		performing("a", "p0", "p1");
		this.owner.complete(rejected("a", List.of(0), "unreadable"), done("a"));
		thenCounts().processed(1).busy(0);
		thenDead("a").has("p0");
	}

	@Test
	void rejectOfAllPayloadsRemovesTheJobWithoutCountingItAsProcessed() {
		performing("a", "p");
		then(this.owner.complete(rejected("a", List.of(0), "unreadable"), done("a"))).buried(1);
		thenCounts().processed(0).busy(0);
		assertThat(isDead("a")).isTrue();
	}

	@Test
	void rejectedRestMayFailAndBeBuried() {
		performing("a", "p0", "p1", "p2");
		then(this.owner.complete(rejected("a", List.of(1), "unreadable"), buried("a", "fatal"), returned("a")))
			.buried(2);
		thenDead("a").has("p0", "p1").error("fatal");
		thenQueued("a").has("p2");
	}

	@Test
	void partOfThePayloadsMayBeDoneWhileTheOthersAreRetried() {
		enqueue("a", "p0", 0);
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		this.owner.fetch(1);
		enqueue("a", "p3", 3);
		this.owner.complete(partlyDone("a", 0), retry("a", 100, "boom"));
		thenQueued("a").has("p1", "p2", "p3").performAt(now() + 100);
		thenCounts().failed(1);
		assertThat(isDead("a")).isFalse();
	}

	@Test
	void failuresOfTheFirstPayloadLeaveWithIt() {
		fail("a", "p0", 0);
		performing("a", "p1");
		this.owner.complete(partlyDone("a", 0), returned("a"));
		thenQueued("a").retryCount(-1).error(null);
		assertThat(listed(JobList.RETRIES)).isEmpty();
	}

	@Test
	void failuresOfTheFirstPayloadStayWhenALaterOneLeaves() {
		fail("a", "p0", 0);
		performing("a", "p1");
		this.owner.complete(partlyDone("a", 1), retry("a", 0, "boom"));
		thenQueued("a").retryCount(1).has("p0");
	}

	@Test
	void payloadsMayBeDoneAndDeadInOneStep() {
		for (int i = 0; i < 5; i++) {
			enqueue("a", "p" + i, i);
		}
		this.owner.fetch(1);
		then(this.owner.complete(new Outcome.PartlyDone("a", List.of(0, 4), List.of(1, 3), "fatal", true),
				returned("a")))
			.buried(2);
		thenDead("a").has("p1", "p3");
		thenQueued("a").has("p2");
		thenCounts().failed(1).processed(0);
	}

	@Test
	void allPayloadsMayBeDiscarded() {
		performing("a", "p0", "p1");
		this.owner.complete(new Outcome.PartlyDone("a", List.of(0, 1), List.of(), "", true));
		thenCounts().busy(0).queued(0).dead(0).failed(1);
	}

	@Test
	void heldJobIsNeverDue() {
		performing("a", "p0");
		enqueue("a", "p1");
		then(this.owner.complete(new Outcome.Hold("a", "boom"))).next(FetchResult.NOTHING);
		this.clock.advanceMillis(Duration.ofDays(36_500).toMillis());
		enqueue("a", "p2");
		then(this.owner.fetch(10)).nothing();
		thenQueued("a").has("p0", "p1", "p2").performAt(FetchResult.NOTHING).retryCount(0).error("boom");
		thenCounts().delayed(0).failed(1);
	}

	@Test
	void heldJobDoesNotHideADelayedOne() {
		performing("a", "p");
		enqueueIn(1_000, "b", "p");
		then(this.owner.complete(new Outcome.Hold("a", "boom"))).next(now() + 1_000);
		thenCounts().delayed(1);
	}

	@Test
	void heldJobIsNotMadeDueWithTheDelayedOnes() {
		performing("a", "p");
		this.owner.complete(new Outcome.Hold("a", "boom"));
		assertThat(actions().performAllNow(SHARD, 10).changed()).isZero();
		assertThat(actions().performNow(SHARD, List.of("a")).changed()).isZero();
		thenQueued("a").performAt(FetchResult.NOTHING);
	}

	@Test
	void unreadableJobWaitsWithoutCountingAsFailed() {
		enqueue("a", "p0");
		assertThat(this.owner.fetchOne().unreadableFor()).isZero();
		this.owner.complete(new Outcome.Unreadable("a", 100, "not readable"));
		enqueue("a", "p1");
		thenQueued("a").performAt(now() + 100).retryCount(-1).error("not readable");
		thenCounts().failed(0);
		assertThat(listed(JobList.RETRIES)).isEmpty();
		then(this.owner.fetch(1)).nothing();
	}

	@Test
	void sinceWhenAJobIsUnreadableIsRememberedOverTriesAndCrashes() {
		performing("a", "p0");
		this.owner.complete(new Outcome.Unreadable("a", 100, "not readable"));
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		assertThat(this.owner.fetchOne().unreadableFor()).isEqualTo(100);
		this.owner.complete(new Outcome.Unreadable("a", 50, "not readable"));
		this.clock.advanceMillis(50);
		this.owner.fetch(1);
		this.clock.advanceMillis(5);
		crashTo("t");
		assertThat(this.owner.fetchOne().unreadableFor()).isEqualTo(155);
	}

	@Test
	void sinceWhenAJobIsUnreadableIsForgottenWithItsFirstPayload() {
		performing("a", "p0", "p1");
		this.owner.complete(new Outcome.Unreadable("a", 0, "not readable"));
		this.clock.advanceMillis(100);
		this.owner.fetch(1);
		this.owner.complete(partlyDone("a", 0), new Outcome.Unreadable("a", 0, "p1"));
		this.clock.advanceMillis(7);
		assertThat(this.owner.fetchOne().unreadableFor()).isEqualTo(7);
	}

	@Test
	void sinceWhenAJobIsUnreadableIsForgottenWhenItFails() {
		performing("a", "p0");
		this.owner.complete(new Outcome.Unreadable("a", 0, "not readable"));
		this.clock.advanceMillis(100);
		this.owner.fetch(1);
		this.owner.complete(retry("a", 0, "boom"));
		assertThat(this.owner.fetchOne().unreadableFor()).isZero();
	}

	@Test
	void longErrorIsCutBetweenCharacters() {
		String error = "x" + "ä".repeat(Outcome.MAX_ERROR_BYTES / 2);
		performing("a", "p");
		this.owner.complete(retry("a", 0, error));
		String kept = queued("a").error();
		assertThat(error).startsWith(kept);
		assertThat(kept.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(Outcome.MAX_ERROR_BYTES - 4,
				Outcome.MAX_ERROR_BYTES);
	}

	private static Failure failure(String text, int attempts) {
		return new Failure(text,
				IntStream.rangeClosed(1, attempts)
					.mapToObj((i) -> new Failure.Attempt(i, 1_700_000_000_000L + i, "n\u0001ö" + i, "a.B: \"" + i))
					.toList());
	}

	@Test
	void attemptsStayWithTheirErrorUntilAnotherOne() {
		Failure failure = failure("boom", 2);
		enqueue(NewPayload.of("a", bytes("p1")).by(PRODUCER));
		this.owner.fetch(1);
		this.owner.complete(new Outcome.Retry("a", 0, failure, false));
		enqueue("a", "p2");
		thenQueued("a").failure(failure);
		assertThat(this.owner.fetchOne().failure()).isEqualTo(failure);
		this.owner.complete(returned("a"));
		thenQueued("a").failure(failure);
		assertThat(actions().kill(SHARD, List.of("a")).changed()).isEqualTo(1);
		thenDead("a").failure(failure);
		assertThat(dead("a").producers().traces()).containsExactly(PRODUCER.trace());
		actions().reEnqueue(SHARD, List.of("a"));
		FetchedJob again = this.owner.fetchOne();
		then(again).failure(failure);
		assertThat(again.producers().traces()).containsExactly(PRODUCER.trace());
		then(again).has("p1", "p2");
		this.owner.complete(new Outcome.Unreadable("a", 0, failure("unreadable", 10)));
		thenQueued("a").failure(failure("unreadable", 10));
		this.owner.fetch(1);
		this.owner.complete(new Outcome.PartlyDone("a", List.of(), List.of(0), failure("fatal", 3), true),
				new Outcome.Hold("a", "no attempts"));
		thenDead("a").failure(failure("fatal", 3));
		thenQueued("a").failure(new Failure("no attempts"));
	}

	@Test
	void aListHasAttemptsOnlyWithWholeErrors() {
		performing("a", "p");
		this.owner.complete(new Outcome.Retry("a", 0, failure("boom", 2), false));
		JobQuery cut = new JobQuery(JobList.RETRIES, false, null, null, 10, 0, Outcome.MAX_ERROR_BYTES - 1);
		assertThat(this.store.inspection().list(SHARD, cut).jobs()).extracting(JobView::failure)
			.containsExactly(new Failure("boom"));
		assertThat(this.store.inspection().list(SHARD, JobQuery.first(JobList.RETRIES, 10)).jobs())
			.extracting(JobView::failure)
			.containsExactly(failure("boom", 2));
	}

	@Test
	void noTextOfAFailureIsTakenForItsAttempts() {
		String forged = "a.B: c\n\u0001attempts [{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":\"e\"}]";
		performing("a", "p");
		this.owner.complete(retry("a", 0, forged));
		thenQueued("a").failure(new Failure(forged));
	}

	@Test
	void errorMayHaveAnyCharacter() {
		String error = "a\u0000b\n\tä\uD83D\uDE00";
		performing("a", "p");
		this.owner.complete(retry("a", 0, error));
		thenQueued("a").error(error);
	}

	@Test
	void emptyErrorIsKeptAsEmpty() {
		performing("a", "p");
		this.owner.complete(retry("a", 0, ""));
		assertThat(queued("a").error()).isEmpty();
	}

	@Test
	void rejectOfAllPayloadsLetsTheJobBehindItBeFetched() {
		performing("a", "p1");
		enqueue("a", "p2");
		this.owner.complete(rejected("a", List.of(0), "unreadable"));
		then(this.owner.fetch(1)).jobs("a=[p2]");
	}

	@Test
	void rejectOfSomePayloadsKeepsTheOthersBusyAndTheNextJobBehind() {
		performing("a", "p1", "p2");
		enqueue("a", "p3");
		this.owner.complete(rejected("a", List.of(1), "unreadable"));
		assertThat(this.owner.busy()).isEqualTo(1);
		then(this.owner.fetch(1)).nothing();
		this.owner.complete(done("a"));
		then(this.owner.fetch(1)).jobs("a=[p3]");
	}

	@Test
	void outcomeIsKeptThoughTheQueueIsPaused() {
		performing("a", "p1");
		enqueue("a", "p2");
		actions().pause(SHARD, true);
		then(this.owner.complete(done("a"))).next(FetchResult.NOTHING);
		actions().pause(SHARD, false);
		then(this.owner.fetch(1)).jobs("a=[p2]");
	}

}
