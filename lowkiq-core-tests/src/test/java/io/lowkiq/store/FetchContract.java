package io.lowkiq.store;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import org.junit.jupiter.api.Test;

import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;

/** Fetching (rule 3, I2, I9) and the order of the queued jobs. */
abstract class FetchContract extends OwnedShardContract {

	@Test
	void fetchMovesDueJobsToBusy() {
		enqueue("a", "p");
		then(this.owner.fetch(1)).jobs("a=[p]");
		assertThat(isQueued("a")).isFalse();
		assertThat(busy("a").payloads()).hasSize(1);
		thenCounts().busy(1);
	}

	@Test
	void fetchBringsAllPayloadsInAscendingOrderOfScore() {
		enqueue("a", "v3", 3);
		enqueue("a", "v1", 1);
		enqueue("a", "v2", 2);
		assertThat(this.owner.fetchOne().payloads()).containsExactly(payload("v1", 1), payload("v2", 2),
				payload("v3", 3));
	}

	@Test
	void fetchBringsAllOfTheJob() {
		fail("a", "p", 500);
		this.clock.advanceMillis(500);
		then(this.owner.fetchOne()).performAt(now()).retryCount(0).crashes(0).error("failed a");
	}

	@Test
	void fetchSkipsJobsThatAreNotDue() {
		enqueueIn(1, "a", "p");
		then(this.owner.fetch(1)).nothing();
		this.clock.advanceMillis(1);
		then(this.owner.fetch(1)).jobs("a=[p]");
	}

	@Test
	void fetchTakesNoMoreThanItWasAskedFor() {
		enqueueEach("a", "b", "c");
		then(this.owner.fetch(2)).jobs("a=[p]", "b=[p]");
		assertThat(isQueued("c")).isTrue();
	}

	@Test
	void fetchOfZeroJobsFetchesNothing() {
		enqueue("a", "p");
		then(this.owner.fetch(0)).nothing();
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void severalIdsAreBusyAtOnceUnderOneLease() {
		enqueueEach("a", "b", "c", "d");
		then(this.owner.fetch(2)).ids("a", "b");
		then(this.owner.fetch(1)).ids("c");
		thenCounts().busy(3);
		then(this.owner.completeAndFetch(done("b"), 10)).ids("d");
		assertThat(listed(JobList.BUSY)).containsExactlyInAnyOrder("a", "c", "d");
		this.owner.complete(done("d"), done("a"));
		assertThat(listed(JobList.BUSY)).containsExactly("c");
		this.owner.complete(done("c"));
		thenCounts().processed(4).busy(0);
	}

	@Test
	void busyIdIsNotFetchedAndTheOthersPassIt() {
		performing("a", "p1");
		enqueue("a", "p2");
		enqueue("b", "p");
		then(this.owner.fetch(10)).ids("b");
		then(this.owner.fetch(10)).nothing();
	}

	@Test
	void whatAnOutcomeMakesDueIsFetchedByTheNextCall() {
		performing("a", "p1");
		enqueue("a", "p2");
		then(this.owner.completeAndFetch(done("a"), 10)).nothing().next(now());
		then(this.owner.fetch(10)).jobs("a=[p2]");
	}

	@Test
	void newerPayloadsOfABusyIdAreSeen() {
		enqueue("a", "p1");
		assertThat(this.store.shards().isQueued(SHARD, "a")).isTrue();
		this.owner.fetch(1);
		assertThat(this.store.shards().isQueued(SHARD, "a")).isFalse();
		enqueue("a", "p2");
		assertThat(this.store.shards().isQueued(SHARD, "a")).isTrue();
	}

	@Test
	void retryAndReturnedJobsAreNotFetchedByTheCallThatPutsThemBack() {
		enqueueEach("a", "b");
		enqueue("c", "p1", "p2");
		long due = now();
		this.owner.fetch(3);
		this.clock.advanceMillis(10);
		FetchResult.Fetched fetched = this.owner.applied(
				List.of(retry("a", 0, "e"), returned("b"), buried("c", "e"), returned("c")),
				new Fetch(10, 1_000, true));
		then(fetched).nothing().next(due);
		then(this.owner.fetch(10)).ids("b", "c", "a");
	}

	@Test
	void jobThatWasDelayedAndIsDueIsFetchedWithAnOutcome() {
		enqueue("a", "p");
		enqueueIn(5, "b", "p");
		this.owner.fetch(1);
		this.clock.advanceMillis(5);
		then(this.owner.completeAndFetch(done("a"), 10)).ids("b");
	}

	@Test
	void jobsAreFetchedInOrderOfPerformAt() {
		enqueue(NewPayload.of("late", bytes("p")).withPerformAt(now() - 1));
		enqueue(NewPayload.of("early", bytes("p")).withPerformAt(now() - 3));
		enqueue(NewPayload.of("middle", bytes("p")).withPerformAt(now() - 2));
		enqueue("now", "p");
		then(this.owner.fetch(10)).ids("early", "middle", "late", "now");
	}

	@Test
	void readyJobsComeInTheOrderInWhichTheyWereEnqueued() {
		enqueue("c", "p");
		enqueue(NewPayload.of("b", bytes("p")), NewPayload.of("a", bytes("p")));
		enqueue("d", "p");
		then(this.owner.fetch(10)).ids("c", "b", "a", "d");
	}

	@Test
	void delayedJobsComeBeforeReadyOnesThatAreDueAtTheSameTime() {
		enqueue("b", "p");
		enqueueIn(0, "c", "p");
		enqueueIn(0, "a", "p");
		then(this.owner.fetch(10)).ids("a", "c", "b");
	}

	@Test
	void delayedJobsThatAreDueEarlierComeBeforeReadyOnes() {
		enqueue("ready-1", "p");
		this.clock.advanceMillis(10);
		enqueue("ready-2", "p");
		enqueueIn(-5, "between", "p");
		then(this.owner.fetch(10)).ids("ready-1", "between", "ready-2");
	}

	@Test
	void delayedJobsThatAreDueAtTheSameTimeComeByTheUnsignedBytesOfTheirIds() {
		for (String id : List.of("\uD83D\uDE00", "\uFFFD", "ä", "z", "a1", "a")) {
			enqueueIn(0, id, "p");
		}
		then(this.owner.fetch(10)).ids("a", "a1", "z", "ä", "\uFFFD", "\uD83D\uDE00");
	}

	@Test
	void readyJobsAreDueThoughTheClockGoesBack() {
		enqueue("b", "p");
		this.clock.goBackMillis(10_000);
		then(this.owner.fetch(0)).next(now());
		enqueue("a", "p");
		then(this.owner.fetch(10)).ids("b", "a");
	}

	@Test
	void delayedJobThatWasDueIsDueThoughTheClockGoesBack() {
		enqueueIn(10, "b", "p");
		enqueueIn(5_000, "later", "p");
		this.clock.advanceMillis(10);
		this.owner.fetch(0);
		this.clock.goBackMillis(3_600_000);
		enqueue("a", "p");
		then(this.owner.fetch(10)).ids("b", "a").next(now() + 3_600_000 + 4_990);
	}

	@Test
	void jobThatIsEnqueuedAfterTheClockWentBackKeepsItsDelay() {
		this.clock.advanceMillis(10_000);
		this.owner.fetch(0);
		this.clock.goBackMillis(5_000);
		enqueueIn(2_000, "a", "p");
		then(this.owner.fetch(10)).nothing();
		this.clock.advanceMillis(2_000);
		then(this.owner.fetch(10)).ids("a");
	}

	@Test
	void manyDelayedJobsThatWereDueAreDueThoughTheClockGoesBack() {
		for (int i = 0; i < 2_500; i++) {
			enqueueIn(0, "id" + i, "p");
		}
		this.clock.goBackMillis(3_600_000);
		int fetched = 0;
		for (int i = 0; i < 4; i++) {
			fetched += this.owner.fetch(1_000).jobs().size();
		}
		assertThat(fetched).isEqualTo(2_500);
	}

	@Test
	void jobBlockedByItsIdIsDueThoughTheClockGoesBack() {
		enqueue("a", "p1");
		enqueue("b", "p1");
		enqueueIn(0, "c", "p1");
		this.owner.fetch(3);
		this.clock.advanceMillis(10);
		enqueue("a", "p2");
		enqueueIn(-5, "b", "p2");
		enqueueIn(50, "c", "p2");
		this.clock.goBackMillis(3_600_000);
		then(this.owner.complete(done("a"), done("b"), done("c"))).next(now());
		enqueue("d", "p1");
		then(this.owner.fetch(10)).jobs("a=[p2]", "b=[p2]", "d=[p1]");
	}

	@Test
	void jobsThatComeBackAreDueThoughTheClockGoesBack() {
		enqueueEach("a", "b");
		enqueue("c", "p1", "p2");
		this.owner.fetch(3, 1);
		this.clock.goBackMillis(3_600_000);
		this.owner.complete(returned("a"), done("c"));
		then(this.owner.fetch(10)).jobs("a=[p]", "c=[p2]");
		this.clock.goBackMillis(3_600_000);
		lapseTo("t");
		then(this.owner.fetch(10)).ids("a", "b", "c");
		this.clock.goBackMillis(3_600_000);
		this.owner.release();
		then(owner("u").fetch(10)).ids("a", "b", "c");
	}

	@Test
	void retryWaitsAlsoAfterTheClockWentBack() {
		performing("a", "p");
		this.clock.goBackMillis(3_600_000);
		then(this.owner.completeAndFetch(retry("a", 100, "boom"), 1)).next(now() + 100);
		then(this.owner.fetch(1)).nothing();
		this.clock.advanceMillis(100);
		then(this.owner.fetch(1)).ids("a");
	}

	@Test
	void mergingKeepsTheOrderOfAReadyJob() {
		enqueue("b", "p1");
		enqueue("a", "p1");
		enqueue("b", "p2");
		then(this.owner.fetch(10)).jobs("b=[p1, p2]", "a=[p1]");
	}

	@Test
	void restoredJobIsDelayedWithItsPerformAt() {
		performing("b", "p");
		enqueue("c", "p");
		this.owner.release();
		assertThat(listed(JobList.DELAYED)).containsExactly("b");
		then(owner("t").fetch(10)).ids("b", "c");
	}

	@Test
	void idThatWasDeletedAndEnqueuedAgainIsFetchedOnce() {
		for (int i = 0; i < 3; i++) {
			enqueue("first", "p");
			enqueue("a", "p" + i);
			actions().delete(SHARD, List.of("a"));
		}
		enqueue("a", "last");
		FetchResult.Fetched fetched = this.owner.fetch(10);
		assertThat(jobTexts(fetched)).containsExactlyInAnyOrder("first=[p]", "a=[last]");
		then(fetched).next(FetchResult.NOTHING);
		enqueue("a", "behind");
		then(this.owner.fetch(10)).nothing();
		this.owner.complete(done("first"), done("a"));
		then(this.owner.fetch(10)).jobs("a=[behind]");
		then(this.owner.fetch(10)).nothing();
	}

	@Test
	void entriesOfDeletedJobsAreSkipped() {
		enqueue("first", "p");
		List<NewPayload> deleted = IntStream.range(0, 2_500)
			.mapToObj((i) -> NewPayload.of("id-" + i, bytes("p")))
			.toList();
		this.store.shards().enqueue(SHARD, deleted);
		enqueue("last", "p");
		actions().delete(SHARD, deleted.stream().map(NewPayload::id).toList());
		List<String> fetched = new ArrayList<>();
		FetchResult.Fetched answer;
		int calls = 0;
		do {
			answer = this.owner.fetch(10);
			fetched.addAll(ids(answer));
			calls++;
		}
		while (answer.next() <= now() && calls < 10);
		assertThat(fetched).containsExactly("first", "last");
		assertThat(answer.next()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void jobThatIsDelayedByAReEnqueueIsNotReadyAnyMore() {
		bury("a", "p1");
		enqueue("a", "p2");
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(listed(JobList.READY)).isEmpty();
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		then(this.owner.fetch(10)).jobs("a=[p1, p2]");
		then(this.owner.fetch(10)).nothing();
	}

	@Test
	void enqueuingAndDeletingOverAndOverKeepsTheShardFast() {
		actions().pause(SHARD, true);
		List<NewPayload> payloads = IntStream.range(0, 200)
			.mapToObj((i) -> NewPayload.of("id-" + i, bytes("p")))
			.toList();
		List<String> ids = payloads.stream().map(NewPayload::id).toList();
		enqueue("first", "p");
		for (int i = 0; i < 50; i++) {
			this.store.shards().enqueue(SHARD, payloads);
			actions().delete(SHARD, ids);
		}
		enqueue("last", "p");
		actions().pause(SHARD, false);
		FetchResult.Fetched first = this.owner.fetch(1);
		then(first).ids("first");
		List<String> rest = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			rest.addAll(ids(this.owner.fetch(1)));
		}
		assertThat(rest).containsExactly("last");
	}

	@Test
	void sweepingKeepsTheOrderOfReadyJobs() {
		List<String> kept = new ArrayList<>();
		List<String> deleted = new ArrayList<>();
		enqueue("kept", "p");
		this.clock.advanceMillis(1);
		for (int i = 0; i < 3_000; i++) {
			enqueue("id-" + i, "p");
			(i % 500 == 0 ? kept : deleted).add("id-" + i);
			if (i % 100 == 0) {
				this.clock.advanceMillis(1);
			}
		}
		actions().delete(SHARD, deleted);
		for (int i = 0; i < 300; i++) {
			enqueue("more", "p" + i);
		}
		kept.add(0, "kept");
		kept.add("more");
		List<String> fetched = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			fetched.addAll(ids(this.owner.fetch(1)));
		}
		assertThat(fetched).isEqualTo(kept);
	}

	@Test
	void nextIsNowWhileAJobIsReadyElseThePerformAtOfTheNextDelayedOne() {
		enqueueEach("a", "b");
		enqueueIn(5_000, "c", "p");
		long due = now();
		this.clock.advanceMillis(7);
		then(this.owner.fetch(1)).next(now());
		then(this.owner.completeAndFetch(done("a"), 1)).next(due + 5_000);
	}

	@Test
	void nextIsNothingWhenNothingIsQueued() {
		then(this.owner.fetch(1)).next(FetchResult.NOTHING).nextSuspect(FetchResult.NOTHING).now(now()).buried(0);
	}

	@Test
	void payloadsBeyondTheLimitStayQueuedAsAFreshJob() {
		fail("a", "v1", 1_000);
		enqueue("a", "v2", "v3");
		this.clock.advanceMillis(2_000);
		then(this.owner.fetch(1, 2)).jobs("a=[v1, v2]");
		thenQueued("a").has("v3").performAt(now() - 1_000).retryCount(-1).error(null).crashes(0);
		thenBusy("a").retryCount(0);
	}

	@Test
	void payloadsBeyondTheLimitWaitBehindTheirId() {
		enqueue("b", "v1", "v2");
		enqueue("c", "p");
		then(this.owner.fetch(1, 1)).jobs("b=[v1]");
		then(this.owner.fetch(10, 1)).ids("c");
		then(this.owner.completeAndFetch(done("b"), 10)).next(now());
		then(this.owner.fetch(10, 1)).jobs("b=[v2]");
	}

	@Test
	void payloadsBeyondTheLimitAreCountedButNotNext() {
		enqueue("a", "v1", "v2");
		then(this.owner.fetch(1, 1)).next(FetchResult.NOTHING);
		thenCounts().fresh(1).busy(1);
	}

	@Test
	void payloadEnqueuedMeanwhileGoesToTheRest() {
		enqueue("a", "v2", 2);
		enqueue("a", "v3", 3);
		this.owner.fetch(1, 1);
		enqueue("a", "v1", 1);
		thenQueued("a").has("v1", "v3");
	}

	@Test
	void manyJobsAndPayloadsAreFetchedWhole() {
		List<NewPayload> payloads = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			payloads.add(NewPayload.of("id-" + i, bytes("p" + i)));
			payloads.add(NewPayload.of("hot", bytes("hot" + i)).withScore(i));
		}
		this.store.shards().enqueue(SHARD, payloads);
		List<FetchedJob> jobs = this.owner.fetch(5_000, 10_000).jobs();
		assertThat(jobs).hasSize(3_001);
		assertThat(jobs.get(0).id()).isEqualTo("id-0");
		assertThat(jobs.get(1).payloads()).hasSize(3_000);
		assertThat(jobs.get(1).payloads().get(2_999).score()).isEqualTo(2_999);
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		this.owner.complete(done);
		thenCounts().processed(3_001).busy(0);
	}

	@Test
	void nothingIsFetchedOfAPausedShard() {
		enqueue("a", "p");
		actions().pause(SHARD, true);
		then(this.owner.fetch(1)).nothing().next(FetchResult.NOTHING).nextSuspect(FetchResult.NOTHING);
	}

	@Test
	void pausedShardTakesPayloadsAndOutcomes() {
		performing("a", "p");
		actions().pause(SHARD, true);
		enqueue("b", "p");
		then(this.owner.completeAndFetch(done("a"), 1)).nothing();
		thenCounts().busy(0).fresh(1).paused(true);
	}

	@Test
	void whatWaitedIsFetchedAfterResuming() {
		enqueue("a", "p");
		actions().pause(SHARD, true);
		this.owner.fetch(1);
		actions().pause(SHARD, false);
		then(this.owner.fetch(1)).jobs("a=[p]");
		thenCounts().paused(false);
	}

}
