package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of busy jobs (rules 4 to 6, I4, I8).
 */
abstract class OutcomeContract extends StoreContract {

	@Test
	void doneRemovesTheJobAndCountsItAsProcessed() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Done("a"));
		ShardCounts counts = counts();
		assertThat(counts.busy()).isZero();
		assertThat(counts.queued()).isZero();
		assertThat(counts.dead()).isZero();
		assertThat(counts.processed()).isEqualTo(1);
		assertThat(counts.failed()).isZero();
	}

	@Test
	void doneLeavesWhatWasQueuedMeanwhile() {
		TestOwner owner = owner("s");
		push("a", "p1");
		owner.fetch(1);
		push("a", "p2");
		assertThat(jobTexts(owner.finishAndFetch(new Outcome.Done("a"), 1))).containsExactly("a=[p2]");
	}

	@Test
	void outcomeOfAJobThatIsNotBusyChangesNothing() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.finish(new Outcome.Done("a"), new Outcome.Retry("a", 1, "e"), new Outcome.Bury("b", "e"),
				new Outcome.Reject("a", List.of(0), "e"));
		ShardCounts counts = counts();
		assertThat(counts.fresh()).isEqualTo(1);
		assertThat(counts.dead()).isZero();
		assertThat(counts.processed()).isZero();
		assertThat(counts.failed()).isZero();
	}

	@Test
	void secondOutcomeOfAJobChangesNothing() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Done("a"), new Outcome.Done("a"), new Outcome.Bury("a", "e"));
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(counts().failed()).isZero();
		assertThat(counts().dead()).isZero();
	}

	@Test
	void outcomesOfABatchAreAppliedInOneStepWithTheNextFetch() {
		TestOwner owner = owner("s");
		push("a", "p");
		push("b", "p");
		push("c", "p");
		push("d", "p");
		owner.fetch(3);
		FetchResult.Fetched turn = owner.applied(
				List.of(new Outcome.Done("a"), new Outcome.Retry("b", 10, "e"), new Outcome.Bury("c", "e")),
				new Fetch(10, 10, false));
		assertThat(jobTexts(turn)).containsExactly("d=[p]");
		assertThat(turn.next()).isEqualTo(now() + 10);
		assertThat(turn.buried()).isEqualTo(1);
		assertThat(counts().failed()).isEqualTo(2);
	}

	@Test
	void retryPutsTheJobBackWithItsDelayAndError() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		this.clock.advanceMillis(100);
		owner.finish(new Outcome.Retry("a", 5_000, "boom"));
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
		push("a", "p");
		for (int failures = 0; failures < 3; failures++) {
			assertThat(owner.fetch(1).jobs().get(0).retryCount()).isEqualTo(failures - 1);
			owner.finish(new Outcome.Retry("a", 0, "failure " + failures));
		}
		assertThat(queued("a").retryCount()).isEqualTo(2);
		assertThat(queued("a").error()).isEqualTo("failure 2");
	}

	@Test
	void retryWithoutDelayIsDueAtOnce() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		assertThat(jobTexts(owner.finishAndFetch(new Outcome.Retry("a", 0, "e"), 1))).containsExactly("a=[p]");
	}

	@Test
	void newerPayloadsWaitBehindTheRetryOfTheirId() {
		TestOwner owner = owner("s");
		push("a", "p1");
		owner.fetch(1);
		push("a", "p2");
		owner.finish(new Outcome.Retry("a", 5_000, "boom"));
		push("a", "p3");
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
		push("a", "p", 5);
		owner.fetch(1);
		push("a", "p", 3);
		owner.finish(new Outcome.Retry("a", 0, "e"));
		assertThat(queued("a").payloads()).containsExactly(payload("p", 3));
	}

	@Test
	void retryTakesAQueuedJobOfItsIdOutOfTheLine() {
		TestOwner owner = owner("s");
		push("b", "p1");
		owner.fetch(1);
		push("b", "p2");
		push("c", "p1");
		owner.finish(new Outcome.Retry("b", 0, "e"));
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("c", "b");
	}

	@Test
	void buryMovesThePayloadWithTheSmallestScoreToTheMorgue() {
		TestOwner owner = owner("s");
		push("a", "p2", 2);
		push("a", "p1", 1);
		push("a", "p3", 3);
		owner.fetch(1);
		this.clock.advanceMillis(100);
		assertThat(owner.finish(new Outcome.Bury("a", "fatal")).buried()).isEqualTo(1);
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
		push("a", "p2");
		owner.fetch(1);
		this.clock.advanceMillis(100);
		owner.finish(new Outcome.Bury("a", "fatal"));
		JobView rest = queued("a");
		assertThat(rest.retryCount()).isEqualTo(-1);
		assertThat(rest.performAt()).isEqualTo(now());
		assertThat(rest.error()).isNull();
	}

	@Test
	void buryMergesTheOthersWithWhatWasQueuedMeanwhile() {
		TestOwner owner = owner("s");
		push("a", "p1");
		push("a", "p2");
		owner.fetch(1);
		push(NewPayload.of("a", bytes("p3")).withPerformAt(now() + 60_000));
		owner.finish(new Outcome.Bury("a", "fatal"));
		assertThat(texts(queued("a").payloads())).containsExactly("p2", "p3");
		assertThat(queued("a").performAt()).isEqualTo(now());
	}

	@Test
	void buryOfTheOnlyPayloadLeavesWhatWasQueuedMeanwhile() {
		TestOwner owner = owner("s");
		push("a", "p1");
		owner.fetch(1);
		pushIn(60_000, "a", "p2");
		owner.finish(new Outcome.Bury("a", "fatal"));
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
		assertThat(queued("a").performAt()).isEqualTo(now() + 60_000);
	}

	@Test
	void buryTakesTheSmallestBusyPayloadAlthoughASmallerOneIsQueued() {
		TestOwner owner = owner("s");
		push("a", "p5", 5);
		owner.fetch(1);
		push("a", "p1", 1);
		owner.finish(new Outcome.Bury("a", "fatal"));
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
		push("a", "p1", 2);
		owner.fetch(1);
		owner.finish(new Outcome.Bury("a", "first"));
		this.clock.advanceMillis(100);
		push("a", "p0", 1);
		push("a", "p1", 3);
		owner.fetch(1);
		owner.finish(new Outcome.Bury("a", "second"));
		owner.fetch(1);
		owner.finish(new Outcome.Bury("a", "third"));
		JobView dead = dead("a");
		assertThat(dead.payloads()).containsExactly(payload("p0", 1), payload("p1", 2));
		assertThat(dead.error()).isEqualTo("third");
		assertThat(dead.performAt()).isEqualTo(now());
		assertThat(counts().dead()).isEqualTo(1);
	}

	@Test
	void rejectMovesTheNamedPayloadsToTheMorgueAndLeavesTheOthersBusy() {
		TestOwner owner = owner("s");
		push("a", "p0", 0);
		push("a", "p1", 1);
		push("a", "p2", 2);
		push("a", "p3", 3);
		owner.fetch(1);
		assertThat(owner.finish(new Outcome.Reject("a", List.of(0, 2), "unreadable")).buried()).isEqualTo(2);
		assertThat(texts(dead("a").payloads())).containsExactly("p0", "p2");
		assertThat(dead("a").error()).isEqualTo("unreadable");
		assertThat(texts(busy("a").payloads())).containsExactly("p1", "p3");
		assertThat(counts().failed()).isZero();
	}

	@Test
	void rejectComesBeforeTheOutcomeOfTheRest() {
		TestOwner owner = owner("s");
		push("a", "p0", 0);
		push("a", "p1", 1);
		owner.fetch(1);
		owner.finish(new Outcome.Reject("a", List.of(0), "unreadable"), new Outcome.Done("a"));
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(counts().busy()).isZero();
		assertThat(texts(dead("a").payloads())).containsExactly("p0");
	}

	@Test
	void rejectOfAllPayloadsRemovesTheJobWithoutCountingItAsProcessed() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		FetchResult.Fetched turn = owner.finish(new Outcome.Reject("a", List.of(0), "unreadable"),
				new Outcome.Done("a"));
		assertThat(turn.buried()).isEqualTo(1);
		assertThat(counts().processed()).isZero();
		assertThat(counts().busy()).isZero();
		assertThat(isDead("a")).isTrue();
	}

	@Test
	void rejectedRestMayFailAndBeBuried() {
		TestOwner owner = owner("s");
		push("a", "p0", 0);
		push("a", "p1", 1);
		push("a", "p2", 2);
		owner.fetch(1);
		assertThat(owner.finish(new Outcome.Reject("a", List.of(1), "unreadable"), new Outcome.Bury("a", "fatal"))
			.buried()).isEqualTo(2);
		assertThat(texts(dead("a").payloads())).containsExactly("p0", "p1");
		assertThat(dead("a").error()).isEqualTo("fatal");
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
	}

	@Test
	void longErrorIsCutBetweenCharacters() {
		TestOwner owner = owner("s");
		String error = "x" + "ä".repeat(Outcome.MAX_ERROR_BYTES / 2);
		push("a", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Retry("a", 0, error));
		String kept = queued("a").error();
		assertThat(error).startsWith(kept);
		assertThat(kept.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(Outcome.MAX_ERROR_BYTES - 4,
				Outcome.MAX_ERROR_BYTES);
	}

	@Test
	void errorMayHaveAnyCharacter() {
		TestOwner owner = owner("s");
		String error = "a\u0000b\n\tä\uD83D\uDE00";
		push("a", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Retry("a", 0, error));
		assertThat(queued("a").error()).isEqualTo(error);
	}

	@Test
	void emptyErrorIsKeptAsEmpty() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Retry("a", 0, ""));
		assertThat(queued("a").error()).isEmpty();
	}

}
