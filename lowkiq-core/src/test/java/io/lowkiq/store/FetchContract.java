package io.lowkiq.store;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fetching (rule 3, I2, I9) and the order of the queued jobs.
 */
abstract class FetchContract extends StoreContract {

	@Test
	void fetchMovesDueJobsToBusy() {
		TestOwner owner = owner("s");
		push("a", "p");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
		assertThat(isQueued("a")).isFalse();
		assertThat(busy("a").payloads()).hasSize(1);
		assertThat(counts().busy()).isEqualTo(1);
	}

	@Test
	void fetchHandsOverAllPayloadsInAscendingOrderOfScore() {
		TestOwner owner = owner("s");
		push("a", "v3", 3);
		push("a", "v1", 1);
		push("a", "v2", 2);
		assertThat(owner.fetch(1).jobs().get(0).payloads()).containsExactly(payload("v1", 1), payload("v2", 2),
				payload("v3", 3));
	}

	@Test
	void fetchTellsAllOfTheJob() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p", 500);
		this.clock.advanceMillis(500);
		FetchedJob job = owner.fetch(1).jobs().get(0);
		assertThat(job.performAt()).isEqualTo(now());
		assertThat(job.retryCount()).isZero();
		assertThat(job.crashes()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
	}

	@Test
	void fetchSkipsJobsThatAreNotDue() {
		TestOwner owner = owner("s");
		pushIn(1, "a", "p");
		assertThat(owner.fetch(1).jobs()).isEmpty();
		this.clock.advanceMillis(1);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
	}

	@Test
	void fetchTakesNoMoreThanItWasAskedFor() {
		TestOwner owner = owner("s");
		push("a", "p");
		push("b", "p");
		push("c", "p");
		assertThat(jobTexts(owner.fetch(2))).containsExactly("a=[p]", "b=[p]");
		assertThat(isQueued("c")).isTrue();
	}

	@Test
	void fetchOfZeroJobsFetchesNothing() {
		TestOwner owner = owner("s");
		push("a", "p");
		assertThat(owner.fetch(0).jobs()).isEmpty();
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void fetchFindsNothingWhileAnotherJobIsBusy() {
		TestOwner owner = owner("s");
		push("a", "p");
		push("b", "p");
		push("c", "p");
		owner.fetch(2);
		assertThat(owner.finishAndFetch(new Outcome.Done("a"), 10).jobs()).isEmpty();
		assertThat(jobTexts(owner.finishAndFetch(new Outcome.Done("b"), 10))).containsExactly("c=[p]");
	}

	@Test
	void jobsAreFetchedInOrderOfPerformAt() {
		TestOwner owner = owner("s");
		push(NewPayload.of("late", bytes("p")).withPerformAt(now() - 1));
		push(NewPayload.of("early", bytes("p")).withPerformAt(now() - 3));
		push(NewPayload.of("middle", bytes("p")).withPerformAt(now() - 2));
		push("now", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("early", "middle", "late", "now");
	}

	@Test
	void jobsInLineComeInTheOrderInWhichTheyWerePushed() {
		TestOwner owner = owner("s");
		push("c", "p");
		push(NewPayload.of("b", bytes("p")), NewPayload.of("a", bytes("p")));
		push("d", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("c", "b", "a", "d");
	}

	@Test
	void jobsInLineComeBeforeOthersThatAreDueAtTheSameTime() {
		TestOwner owner = owner("s");
		pushIn(0, "a", "p");
		push("b", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("b", "a");
	}

	@Test
	void othersThatAreDueEarlierComeBeforeJobsInLine() {
		TestOwner owner = owner("s");
		push("line-1", "p");
		this.clock.advanceMillis(10);
		push("line-2", "p");
		pushIn(-5, "between", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("line-1", "between", "line-2");
	}

	@Test
	void othersThatAreDueAtTheSameTimeComeByTheUnsignedBytesOfTheirId() {
		TestOwner owner = owner("s");
		for (String id : List.of("\uD83D\uDE00", "\uFFFD", "ä", "z", "a1", "a")) {
			pushIn(0, id, "p");
		}
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id)
			.containsExactly("a", "a1", "z", "ä", "\uFFFD", "\uD83D\uDE00");
	}

	@Test
	void jobPushedAfterTheClockWentBackDoesNotGetInLine() {
		TestOwner owner = owner("s");
		push("b", "p");
		this.clock.goBackMillis(10);
		push("c", "p");
		push("a", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("a", "c");
	}

	@Test
	void lineRemembersItsLatestPerformAtWhenItIsEmpty() {
		TestOwner owner = owner("s");
		push("x", "p");
		owner.fetch(1);
		owner.finish(new Outcome.Done("x"));
		this.clock.goBackMillis(10);
		push("b", "p");
		push("a", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("a", "b");
	}

	@Test
	void jobsGetInLineAgainWhenTheClockHasCaughtUp() {
		TestOwner owner = owner("s");
		push("x", "p");
		this.clock.goBackMillis(10);
		push("y", "p");
		this.clock.advanceMillis(10);
		push("c", "p");
		push("b", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("y", "x", "c", "b");
	}

	@Test
	void jobInLineThatIsNotDueBecauseTheClockWentBackWaits() {
		TestOwner owner = owner("s");
		push("a", "p");
		this.clock.goBackMillis(10);
		assertThat(owner.fetch(1).jobs()).isEmpty();
		assertThat(owner.fetch(1).next()).isEqualTo(now() + 10);
	}

	@Test
	void mergingLeavesAJobInLine() {
		TestOwner owner = owner("s");
		push("b", "p1");
		push("a", "p1");
		push("b", "p2");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("b=[p1, p2]", "a=[p1]");
	}

	@Test
	void restoredJobIsNotInLineAnyMore() {
		TestOwner owner = owner("s");
		push("b", "p");
		owner.fetch(1);
		push("c", "p");
		owner.release();
		assertThat(owner("t").fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("c", "b");
	}

	@Test
	void nextIsThePerformAtOfTheNextQueuedJob() {
		TestOwner owner = owner("s");
		push("a", "p");
		push("b", "p");
		pushIn(5_000, "c", "p");
		long due = now();
		this.clock.advanceMillis(7);
		assertThat(owner.fetch(1).next()).isEqualTo(due);
		assertThat(owner.finishAndFetch(new Outcome.Done("a"), 1).next()).isEqualTo(due + 5_000);
	}

	@Test
	void nextIsNothingWhenNothingIsQueued() {
		TestOwner owner = owner("s");
		FetchResult.Fetched turn = owner.fetch(1);
		assertThat(turn.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.now()).isEqualTo(now());
		assertThat(turn.buried()).isZero();
	}

	@Test
	void payloadsBeyondTheLimitStayQueuedAsAFreshJob() {
		TestOwner owner = owner("s");
		fail(owner, "a", "v1", 1_000);
		push("a", "v2");
		push("a", "v3");
		this.clock.advanceMillis(2_000);
		assertThat(jobTexts(owner.fetch(1, 2))).containsExactly("a=[v1, v2]");
		JobView rest = queued("a");
		assertThat(texts(rest.payloads())).containsExactly("v3");
		assertThat(rest.performAt()).isEqualTo(now() - 1_000);
		assertThat(rest.retryCount()).isEqualTo(-1);
		assertThat(rest.error()).isNull();
		assertThat(rest.crashes()).isZero();
		assertThat(busy("a").retryCount()).isZero();
	}

	@Test
	void payloadsBeyondTheLimitAreNotInLine() {
		TestOwner owner = owner("s");
		push("b", "v1");
		push("b", "v2");
		push("c", "p");
		owner.fetch(1, 1);
		assertThat(owner.finishAndFetch(new Outcome.Done("b"), 10).jobs()).extracting(FetchedJob::id)
			.containsExactly("c", "b");
	}

	@Test
	void payloadsBeyondTheLimitAreCountedAndNextTellsTheirTime() {
		TestOwner owner = owner("s");
		push("a", "v1");
		push("a", "v2");
		assertThat(owner.fetch(1, 1).next()).isEqualTo(now());
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(counts().busy()).isEqualTo(1);
	}

	@Test
	void payloadPushedWhileItsIdIsCutGoesToTheRest() {
		TestOwner owner = owner("s");
		push("a", "v2", 2);
		push("a", "v3", 3);
		owner.fetch(1, 1);
		push("a", "v1", 1);
		assertThat(texts(queued("a").payloads())).containsExactly("v1", "v3");
	}

	@Test
	void manyJobsAndPayloadsAreFetchedWhole() {
		TestOwner owner = owner("s");
		List<NewPayload> pushes = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			pushes.add(NewPayload.of("id-" + i, bytes("p" + i)));
			pushes.add(NewPayload.of("hot", bytes("hot" + i)).withScore(i));
		}
		this.store.shardStore().push(SHARD, pushes);
		List<FetchedJob> jobs = owner.fetch(5_000, 10_000).jobs();
		assertThat(jobs).hasSize(3_001);
		assertThat(jobs.get(0).id()).isEqualTo("id-0");
		assertThat(jobs.get(1).payloads()).hasSize(3_000);
		assertThat(jobs.get(1).payloads().get(2_999).score()).isEqualTo(2_999);
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		owner.finish(done);
		assertThat(counts().processed()).isEqualTo(3_001);
		assertThat(counts().busy()).isZero();
	}

	@Test
	void pausedShardHandsNothingOut() {
		TestOwner owner = owner("s");
		push("a", "p");
		this.store.actions().pause(SHARD, true);
		FetchResult.Fetched turn = owner.fetch(1);
		assertThat(turn.jobs()).isEmpty();
		assertThat(turn.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.nextSuspect()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void pausedShardTakesPushesAndOutcomes() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		this.store.actions().pause(SHARD, true);
		push("b", "p");
		assertThat(owner.finishAndFetch(new Outcome.Done("a"), 1).jobs()).isEmpty();
		assertThat(counts().busy()).isZero();
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(counts().paused()).isTrue();
	}

	@Test
	void resumedShardHandsOutWhatWaited() {
		TestOwner owner = owner("s");
		push("a", "p");
		this.store.actions().pause(SHARD, true);
		owner.fetch(1);
		this.store.actions().pause(SHARD, false);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
		assertThat(counts().paused()).isFalse();
	}

}
