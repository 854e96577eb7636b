package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.TraceParent;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;
import static io.lowkiq.testing.Outcomes.rejected;

/**
 * What becomes of busy jobs (rules 4 to 6, I4, I8).
 */
abstract class OutcomeContract extends StoreContract {

	private static final TracedProducer PRODUCER = new TracedProducer(
			new TraceParent("1".repeat(32), "2".repeat(16), true), 2);

	@Test
	void doneRemovesTheJobAndCountsItAsProcessed() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Done("a"));
		ShardCounts counts = counts();
		assertThat(counts.busy()).isZero();
		assertThat(counts.queued()).isZero();
		assertThat(counts.dead()).isZero();
		assertThat(counts.processed()).isEqualTo(1);
		assertThat(counts.failed()).isZero();
	}

	@Test
	void doneLetsTheJobBehindItBeFetched() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		this.clock.advanceMillis(5);
		enqueue("a", "p2");
		long performAt = now();
		this.clock.advanceMillis(5);
		assertThat(owner.complete(new Outcome.Done("a")).next()).isEqualTo(performAt);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		assertThat(queued("a").performAt()).isEqualTo(performAt);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

	@Test
	void partOfTheBusyJobsMayBeCompleted() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p");
		owner.fetch(3);
		owner.complete(new Outcome.Done("b"));
		owner.complete(new Outcome.Retry("c", 10, "e"));
		assertThat(listed(JobList.BUSY)).containsExactly("a");
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(counts().failed()).isEqualTo(1);
	}

	@Test
	void returnedJobGoesBackAsItWas() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p1", 5);
		this.clock.advanceMillis(5);
		long performAt = now();
		owner.fetch(1);
		this.clock.advanceMillis(5);
		enqueue("a", "p2");
		owner.complete(new Outcome.Returned("a"));
		JobView job = queued("a");
		assertThat(texts(job.payloads())).containsExactly("p1", "p2");
		assertThat(job.performAt()).isEqualTo(performAt);
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
		assertThat(job.crashes()).isZero();
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		assertThat(listed(JobList.RETRIES)).containsExactly("a");
		assertThat(counts().busy()).isZero();
		assertThat(counts().processed()).isZero();
		assertThat(counts().failed()).isEqualTo(1);
	}

	@Test
	void returnedJobIsFetchedBeforeThoseThatCameAfterIt() {
		TestOwner owner = owner("s");
		enqueue("b", "p");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Returned("b"));
		assertThat(ids(owner.fetch(10))).containsExactly("b", "a");
	}

	@Test
	void returnedJobRejoinsWhatTheLimitOfPayloadsCut() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("a", "p2");
		owner.fetch(1, 1);
		owner.complete(new Outcome.Returned("a"));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p1, p2]");
	}

	@Test
	void outcomeOfAJobThatIsNotBusyChangesNothing() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.complete(new Outcome.Done("a"), new Outcome.Retry("a", 1, "e"), buried("b", "e"),
				rejected("a", List.of(0), "e"));
		ShardCounts counts = counts();
		assertThat(counts.fresh()).isEqualTo(1);
		assertThat(counts.dead()).isZero();
		assertThat(counts.processed()).isZero();
		assertThat(counts.failed()).isZero();
	}

	@Test
	void secondOutcomeOfAJobChangesNothing() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Done("a"), new Outcome.Done("a"), buried("a", "e"));
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(counts().failed()).isZero();
		assertThat(counts().dead()).isZero();
	}

	@Test
	void outcomesOfABatchAreAppliedInOneStepWithTheNextFetch() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p");
		enqueue("d", "p");
		owner.fetch(3);
		FetchResult.Fetched fetched = owner.applied(
				List.of(new Outcome.Done("a"), new Outcome.Retry("b", 10, "e"), buried("c", "e")),
				new Fetch(10, 10, false));
		assertThat(jobTexts(fetched)).containsExactly("d=[p]");
		assertThat(fetched.next()).isEqualTo(now() + 10);
		assertThat(fetched.buried()).isEqualTo(1);
		assertThat(counts().failed()).isEqualTo(2);
	}

	@Test
	void retryPutsTheJobBackWithItsDelayAndError() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		this.clock.advanceMillis(100);
		owner.complete(new Outcome.Retry("a", 5_000, "boom"));
		JobView job = queued("a");
		assertThat(job.performAt()).isEqualTo(now() + 5_000);
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("boom");
		assertThat(counts().retry()).isEqualTo(1);
		assertThat(counts().fresh()).isZero();
		assertThat(counts().failed()).isEqualTo(1);
		assertThat(counts().processed()).isZero();
	}

	@Test
	void retryCountGrowsWithEachFailure() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		for (int failures = 0; failures < 3; failures++) {
			assertThat(owner.fetch(1).jobs().get(0).retryCount()).isEqualTo(failures - 1);
			owner.complete(new Outcome.Retry("a", 0, "failure " + failures));
		}
		assertThat(queued("a").retryCount()).isEqualTo(2);
		assertThat(queued("a").error()).isEqualTo("failure 2");
	}

	@Test
	void retryWithoutDelayIsDueAtOnce() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		assertThat(owner.complete(new Outcome.Retry("a", 0, "e")).next()).isEqualTo(now());
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
	}

	@Test
	void newerPayloadsWaitBehindTheRetryOfTheirId() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		owner.complete(new Outcome.Retry("a", 5_000, "boom"));
		enqueue("a", "p3");
		assertThat(owner.fetch(1).jobs()).isEmpty();
		this.clock.advanceMillis(5_000);
		FetchedJob job = owner.fetch(1).jobs().get(0);
		assertThat(text(job)).isEqualTo("a=[p1, p2, p3]");
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("boom");
	}

	@Test
	void retryMergesAnEqualPayloadWithTheSmallerScore() {
		TestOwner owner = owner("s");
		enqueue("a", "p", 5);
		owner.fetch(1);
		enqueue("a", "p", 3);
		owner.complete(new Outcome.Retry("a", 0, "e"));
		assertThat(queued("a").payloads()).containsExactly(payload("p", 3));
	}

	@Test
	void retryMergesWithTheJobBehindIt() {
		TestOwner owner = owner("s");
		enqueue("b", "p1");
		owner.fetch(1);
		enqueue("b", "p2");
		enqueue("c", "p1");
		this.clock.advanceMillis(1);
		owner.complete(new Outcome.Retry("b", 0, "e"));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("c=[p1]", "b=[p1, p2]");
	}

	@Test
	void performAtOfTheRetryStandsThoughTheJobBehindItIsDue() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		owner.complete(new Outcome.Retry("a", 5_000, "e"));
		assertThat(queued("a").performAt()).isEqualTo(now() + 5_000);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
	}

	@Test
	void buryMovesThePayloadWithTheSmallestScoreToTheMorgue() {
		TestOwner owner = owner("s");
		enqueue("a", "p2", 2);
		enqueue("a", "p1", 1);
		enqueue("a", "p3", 3);
		owner.fetch(1);
		this.clock.advanceMillis(100);
		assertThat(owner.complete(buried("a", "fatal"), new Outcome.Returned("a")).buried()).isEqualTo(1);
		JobView dead = dead("a");
		assertThat(dead.payloads()).containsExactly(payload("p1", 1));
		assertThat(dead.performAt()).isEqualTo(now());
		assertThat(dead.error()).isEqualTo("fatal");
		assertThat(dead.retryCount()).isEqualTo(-1);
		assertThat(texts(queued("a").payloads())).containsExactly("p2", "p3");
	}

	@Test
	void buryPutsTheOthersBackAsAFreshJobThatIsDue() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p1", 0);
		enqueue("a", "p2");
		owner.fetch(1);
		this.clock.advanceMillis(100);
		owner.complete(buried("a", "fatal"), new Outcome.Returned("a"));
		JobView rest = queued("a");
		assertThat(rest.retryCount()).isEqualTo(-1);
		assertThat(rest.performAt()).isLessThan(now());
		assertThat(rest.error()).isEqualTo("fatal");
	}

	@Test
	void buryMergesTheOthersWithWhatWasQueuedMeanwhile() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("a", "p2");
		owner.fetch(1);
		enqueue(NewPayload.of("a", bytes("p3")).withPerformAt(now() + 60_000));
		owner.complete(buried("a", "fatal"), new Outcome.Returned("a"));
		assertThat(texts(queued("a").payloads())).containsExactly("p2", "p3");
		assertThat(queued("a").performAt()).isEqualTo(now());
	}

	@Test
	void buryOfTheOnlyPayloadLetsTheJobBehindItBeFetched() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueueIn(60_000, "a", "p2");
		assertThat(owner.complete(buried("a", "fatal")).next()).isEqualTo(now() + 60_000);
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
		assertThat(queued("a").performAt()).isEqualTo(now() + 60_000);
		this.clock.advanceMillis(60_000);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

	@Test
	void buryTakesTheSmallestBusyPayloadAlthoughASmallerOneIsQueued() {
		TestOwner owner = owner("s");
		enqueue("a", "p5", 5);
		owner.fetch(1);
		enqueue("a", "p1", 1);
		owner.complete(buried("a", "fatal"));
		assertThat(texts(dead("a").payloads())).containsExactly("p5");
		assertThat(texts(queued("a").payloads())).containsExactly("p1");
	}

	@Test
	void buryCountsAsFailed() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		assertThat(counts().failed()).isEqualTo(1);
		assertThat(counts().processed()).isZero();
		assertThat(counts().dead()).isEqualTo(1);
		assertThat(counts().busy()).isZero();
	}

	@Test
	void morgueMergesByIdWithTheLastErrorAndTime() {
		TestOwner owner = owner("s");
		enqueue("a", "p1", 2);
		owner.fetch(1);
		owner.complete(buried("a", "first"));
		this.clock.advanceMillis(100);
		enqueue("a", "p0", 1);
		enqueue("a", "p1", 3);
		owner.fetch(1);
		owner.complete(buried("a", "second"), new Outcome.Returned("a"));
		owner.fetch(1);
		owner.complete(buried("a", "third"));
		JobView dead = dead("a");
		assertThat(dead.payloads()).containsExactly(payload("p0", 1), payload("p1", 2));
		assertThat(dead.error()).isEqualTo("third");
		assertThat(dead.performAt()).isEqualTo(now());
		assertThat(counts().dead()).isEqualTo(1);
	}

	@Test
	void rejectMovesTheNamedPayloadsToTheMorgueAndLeavesTheOthersBusy() {
		TestOwner owner = owner("s");
		enqueue("a", "p0", 0);
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		enqueue("a", "p3", 3);
		owner.fetch(1);
		assertThat(owner.complete(rejected("a", List.of(0, 2), "unreadable")).buried()).isEqualTo(2);
		assertThat(texts(dead("a").payloads())).containsExactly("p0", "p2");
		assertThat(dead("a").error()).isEqualTo("unreadable");
		assertThat(texts(busy("a").payloads())).containsExactly("p1", "p3");
		assertThat(counts().failed()).isZero();
	}

	@Test
	void rejectComesBeforeTheOutcomeOfTheRest() {
		TestOwner owner = owner("s");
		enqueue("a", "p0", 0);
		enqueue("a", "p1", 1);
		owner.fetch(1);
		owner.complete(rejected("a", List.of(0), "unreadable"), new Outcome.Done("a"));
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(counts().busy()).isZero();
		assertThat(texts(dead("a").payloads())).containsExactly("p0");
	}

	@Test
	void rejectOfAllPayloadsRemovesTheJobWithoutCountingItAsProcessed() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		FetchResult.Fetched fetched = owner.complete(rejected("a", List.of(0), "unreadable"), new Outcome.Done("a"));
		assertThat(fetched.buried()).isEqualTo(1);
		assertThat(counts().processed()).isZero();
		assertThat(counts().busy()).isZero();
		assertThat(isDead("a")).isTrue();
	}

	@Test
	void rejectedRestMayFailAndBeBuried() {
		TestOwner owner = owner("s");
		enqueue("a", "p0", 0);
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		owner.fetch(1);
		assertThat(
				owner.complete(rejected("a", List.of(1), "unreadable"), buried("a", "fatal"), new Outcome.Returned("a"))
					.buried())
			.isEqualTo(2);
		assertThat(texts(dead("a").payloads())).containsExactly("p0", "p1");
		assertThat(dead("a").error()).isEqualTo("fatal");
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
	}

	@Test
	void partOfThePayloadsMayBeDoneWhileTheOthersAreRetried() {
		TestOwner owner = owner("s");
		enqueue("a", "p0", 0);
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		owner.fetch(1);
		enqueue("a", "p3", 3);
		owner.complete(new Outcome.PartlyDone("a", List.of(0), List.of(), "", false),
				new Outcome.Retry("a", 100, "boom"));
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2", "p3");
		assertThat(queued("a").performAt()).isEqualTo(now() + 100);
		assertThat(counts().failed()).isEqualTo(1);
		assertThat(isDead("a")).isFalse();
	}

	@Test
	void failuresOfTheFirstPayloadLeaveWithIt() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p0", 0);
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(0), List.of(), "", false), new Outcome.Returned("a"));
		assertThat(queued("a").retryCount()).isEqualTo(-1);
		assertThat(queued("a").error()).isNull();
		assertThat(listed(JobList.RETRIES)).isEmpty();
	}

	@Test
	void failuresOfTheFirstPayloadStayWhenALaterOneLeaves() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p0", 0);
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(1), List.of(), "", false),
				new Outcome.Retry("a", 0, "boom"));
		assertThat(queued("a").retryCount()).isEqualTo(1);
		assertThat(texts(queued("a").payloads())).containsExactly("p0");
	}

	@Test
	void payloadsMayBeDoneAndDeadInOneStep() {
		TestOwner owner = owner("s");
		for (int i = 0; i < 5; i++) {
			enqueue("a", "p" + i, i);
		}
		owner.fetch(1);
		assertThat(owner
			.complete(new Outcome.PartlyDone("a", List.of(0, 4), List.of(1, 3), "fatal", true),
					new Outcome.Returned("a"))
			.buried()).isEqualTo(2);
		assertThat(texts(dead("a").payloads())).containsExactly("p1", "p3");
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
		assertThat(counts().failed()).isEqualTo(1);
		assertThat(counts().processed()).isZero();
	}

	@Test
	void allPayloadsMayBeDiscarded() {
		TestOwner owner = owner("s");
		enqueue("a", "p0");
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(0, 1), List.of(), "", true));
		assertThat(counts().busy()).isZero();
		assertThat(counts().queued()).isZero();
		assertThat(counts().dead()).isZero();
		assertThat(counts().failed()).isEqualTo(1);
	}

	@Test
	void heldJobIsNeverDue() {
		TestOwner owner = owner("s");
		enqueue("a", "p0");
		owner.fetch(1);
		enqueue("a", "p1");
		FetchResult.Fetched fetched = owner.complete(new Outcome.Hold("a", "boom"));
		assertThat(fetched.next()).isEqualTo(FetchResult.NOTHING);
		this.clock.advanceMillis(Duration.ofDays(36_500).toMillis());
		enqueue("a", "p2");
		assertThat(owner.fetch(10).jobs()).isEmpty();
		JobView job = queued("a");
		assertThat(texts(job.payloads())).containsExactly("p0", "p1", "p2");
		assertThat(job.performAt()).isEqualTo(FetchResult.NOTHING);
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("boom");
		assertThat(counts().delayed()).isZero();
		assertThat(counts().failed()).isEqualTo(1);
	}

	@Test
	void heldJobDoesNotHideADelayedOne() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		enqueueIn(1_000, "b", "p");
		assertThat(owner.complete(new Outcome.Hold("a", "boom")).next()).isEqualTo(now() + 1_000);
		assertThat(counts().delayed()).isEqualTo(1);
	}

	@Test
	void heldJobIsNotMadeDueWithTheDelayedOnes() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Hold("a", "boom"));
		assertThat(this.store.actions().performAllNow(SHARD, 10).changed()).isZero();
		assertThat(this.store.actions().performNow(SHARD, List.of("a")).changed()).isZero();
		assertThat(queued("a").performAt()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void unreadableJobWaitsWithoutCountingAsFailed() {
		TestOwner owner = owner("s");
		enqueue("a", "p0");
		assertThat(owner.fetch(1).jobs().get(0).unreadableFor()).isZero();
		owner.complete(new Outcome.Unreadable("a", 100, "not readable"));
		enqueue("a", "p1");
		assertThat(queued("a").performAt()).isEqualTo(now() + 100);
		assertThat(queued("a").retryCount()).isEqualTo(-1);
		assertThat(queued("a").error()).isEqualTo("not readable");
		assertThat(counts().failed()).isZero();
		assertThat(listed(JobList.RETRIES)).isEmpty();
		assertThat(owner.fetch(1).jobs()).isEmpty();
	}

	@Test
	void sinceWhenAJobIsUnreadableIsRememberedOverTriesAndCrashes() {
		TestOwner owner = owner("s");
		enqueue("a", "p0");
		owner.fetch(1);
		owner.complete(new Outcome.Unreadable("a", 100, "not readable"));
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		assertThat(owner.fetch(1).jobs().get(0).unreadableFor()).isEqualTo(100);
		owner.complete(new Outcome.Unreadable("a", 50, "not readable"));
		this.clock.advanceMillis(50);
		owner.fetch(1);
		this.clock.advanceMillis(5);
		owner = owner("t", LeaseRequest.afterCrash("t", "s"));
		assertThat(owner.fetch(1).jobs().get(0).unreadableFor()).isEqualTo(155);
	}

	@Test
	void sinceWhenAJobIsUnreadableIsForgottenWithItsFirstPayload() {
		TestOwner owner = owner("s");
		enqueue("a", "p0");
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.Unreadable("a", 0, "not readable"));
		this.clock.advanceMillis(100);
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(0), List.of(), "", false),
				new Outcome.Unreadable("a", 0, "p1"));
		this.clock.advanceMillis(7);
		assertThat(owner.fetch(1).jobs().get(0).unreadableFor()).isEqualTo(7);
	}

	@Test
	void sinceWhenAJobIsUnreadableIsForgottenWhenItFails() {
		TestOwner owner = owner("s");
		enqueue("a", "p0");
		owner.fetch(1);
		owner.complete(new Outcome.Unreadable("a", 0, "not readable"));
		this.clock.advanceMillis(100);
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, "boom"));
		assertThat(owner.fetch(1).jobs().get(0).unreadableFor()).isZero();
	}

	@Test
	void longErrorIsCutBetweenCharacters() {
		TestOwner owner = owner("s");
		String error = "x" + "ä".repeat(Outcome.MAX_ERROR_BYTES / 2);
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, error));
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
		TestOwner owner = owner("s");
		Failure failure = failure("boom", 2);
		enqueue(NewPayload.of("a", bytes("p1")).by(PRODUCER));
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, failure, false));
		enqueue("a", "p2");
		assertThat(queued("a").failure()).isEqualTo(failure);
		assertThat(owner.fetch(1).jobs().get(0).failure()).isEqualTo(failure);
		owner.complete(new Outcome.Returned("a"));
		assertThat(queued("a").failure()).isEqualTo(failure);
		assertThat(this.store.actions().kill(SHARD, List.of("a")).changed()).isEqualTo(1);
		assertThat(dead("a").failure()).isEqualTo(failure);
		assertThat(dead("a").producers().traces()).containsExactly(PRODUCER.trace());
		this.store.actions().reEnqueue(SHARD, List.of("a"));
		FetchedJob again = owner.fetch(1).jobs().get(0);
		assertThat(again.failure()).isEqualTo(failure);
		assertThat(again.producers().traces()).containsExactly(PRODUCER.trace());
		assertThat(texts(again.payloads())).containsExactly("p1", "p2");
		owner.complete(new Outcome.Unreadable("a", 0, failure("unreadable", 10)));
		assertThat(queued("a").failure()).isEqualTo(failure("unreadable", 10));
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(), List.of(0), failure("fatal", 3), true),
				new Outcome.Hold("a", "no attempts"));
		assertThat(dead("a").failure()).isEqualTo(failure("fatal", 3));
		assertThat(queued("a").failure()).isEqualTo(new Failure("no attempts"));
	}

	@Test
	void aListHasAttemptsOnlyWithWholeErrors() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, failure("boom", 2), false));
		JobQuery cut = new JobQuery(JobList.RETRIES, false, null, null, 10, 0, Outcome.MAX_ERROR_BYTES - 1);
		assertThat(this.store.inspection().list(SHARD, cut).jobs()).extracting(JobView::failure)
			.containsExactly(new Failure("boom"));
		assertThat(this.store.inspection().list(SHARD, JobQuery.first(JobList.RETRIES, 10)).jobs())
			.extracting(JobView::failure)
			.containsExactly(failure("boom", 2));
	}

	@Test
	void noTextOfAFailureIsTakenForItsAttempts() {
		TestOwner owner = owner("s");
		String forged = "a.B: c\n\u0001attempts [{\"attempt\":1,\"at\":1,\"node\":\"n\",\"error\":\"e\"}]";
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, forged));
		assertThat(queued("a").failure()).isEqualTo(new Failure(forged));
	}

	@Test
	void errorMayHaveAnyCharacter() {
		TestOwner owner = owner("s");
		String error = "a\u0000b\n\tä\uD83D\uDE00";
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, error));
		assertThat(queued("a").error()).isEqualTo(error);
	}

	@Test
	void emptyErrorIsKeptAsEmpty() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 0, ""));
		assertThat(queued("a").error()).isEmpty();
	}

	@Test
	void rejectOfAllPayloadsLetsTheJobBehindItBeFetched() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		owner.complete(rejected("a", List.of(0), "unreadable"));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

	@Test
	void rejectOfSomePayloadsKeepsTheOthersBusyAndTheNextJobBehind() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("a", "p2");
		owner.fetch(1);
		enqueue("a", "p3");
		owner.complete(rejected("a", List.of(1), "unreadable"));
		assertThat(owner.busy()).isEqualTo(1);
		assertThat(owner.fetch(1).jobs()).isEmpty();
		owner.complete(new Outcome.Done("a"));
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p3]");
	}

	@Test
	void outcomeIsKeptThoughTheQueueIsPaused() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		this.store.actions().pause(SHARD, true);
		assertThat(owner.complete(new Outcome.Done("a")).next()).isEqualTo(FetchResult.NOTHING);
		this.store.actions().pause(SHARD, false);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

}
