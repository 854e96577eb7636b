package io.lowkiq.store;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;

/**
 * Fetching (rule 3, I2, I9) and the order of the queued jobs.
 */
abstract class FetchContract extends StoreContract {

	@Test
	void fetchMovesDueJobsToBusy() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
		assertThat(isQueued("a")).isFalse();
		assertThat(busy("a").payloads()).hasSize(1);
		assertThat(counts().busy()).isEqualTo(1);
	}

	@Test
	void fetchBringsAllPayloadsInAscendingOrderOfScore() {
		TestOwner owner = owner("s");
		enqueue("a", "v3", 3);
		enqueue("a", "v1", 1);
		enqueue("a", "v2", 2);
		assertThat(owner.fetch(1).jobs().get(0).payloads()).containsExactly(payload("v1", 1), payload("v2", 2),
				payload("v3", 3));
	}

	@Test
	void fetchBringsAllOfTheJob() {
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
		enqueueIn(1, "a", "p");
		assertThat(owner.fetch(1).jobs()).isEmpty();
		this.clock.advanceMillis(1);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
	}

	@Test
	void fetchTakesNoMoreThanItWasAskedFor() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p");
		assertThat(jobTexts(owner.fetch(2))).containsExactly("a=[p]", "b=[p]");
		assertThat(isQueued("c")).isTrue();
	}

	@Test
	void fetchOfZeroJobsFetchesNothing() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		assertThat(owner.fetch(0).jobs()).isEmpty();
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void severalIdsAreBusyAtOnceUnderOneLease() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p");
		enqueue("d", "p");
		assertThat(ids(owner.fetch(2))).containsExactly("a", "b");
		assertThat(ids(owner.fetch(1))).containsExactly("c");
		assertThat(counts().busy()).isEqualTo(3);
		assertThat(ids(owner.completeAndFetch(new Outcome.Done("b"), 10))).containsExactly("d");
		assertThat(listed(JobList.BUSY)).containsExactlyInAnyOrder("a", "c", "d");
		owner.complete(new Outcome.Done("d"), new Outcome.Done("a"));
		assertThat(listed(JobList.BUSY)).containsExactly("c");
		owner.complete(new Outcome.Done("c"));
		assertThat(counts().processed()).isEqualTo(4);
		assertThat(counts().busy()).isZero();
	}

	@Test
	void busyIdIsNotFetchedAndTheOthersPassIt() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		enqueue("b", "p");
		assertThat(ids(owner.fetch(10))).containsExactly("b");
		assertThat(owner.fetch(10).jobs()).isEmpty();
	}

	@Test
	void whatAnOutcomeMakesDueIsFetchedByTheNextCall() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		FetchResult.Fetched fetched = owner.completeAndFetch(new Outcome.Done("a"), 10);
		assertThat(fetched.jobs()).isEmpty();
		assertThat(fetched.next()).isEqualTo(now());
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void newerPayloadsOfABusyIdAreSeen() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		assertThat(this.store.shards().isQueued(SHARD, "a")).isTrue();
		owner.fetch(1);
		assertThat(this.store.shards().isQueued(SHARD, "a")).isFalse();
		enqueue("a", "p2");
		assertThat(this.store.shards().isQueued(SHARD, "a")).isTrue();
	}

	@Test
	void retryAndReturnedJobsAreNotFetchedByTheCallThatPutsThemBack() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p1");
		enqueue("c", "p2");
		long due = now();
		owner.fetch(3);
		this.clock.advanceMillis(10);
		FetchResult.Fetched fetched = owner.applied(List.of(new Outcome.Retry("a", 0, "e"), new Outcome.Returned("b"),
				buried("c", "e"), new Outcome.Returned("c")), new Fetch(10, 1_000, true));
		assertThat(fetched.jobs()).isEmpty();
		assertThat(fetched.next()).isEqualTo(due);
		assertThat(ids(owner.fetch(10))).containsExactly("b", "c", "a");
	}

	@Test
	void jobThatWasDelayedAndIsDueIsFetchedWithAnOutcome() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueueIn(5, "b", "p");
		owner.fetch(1);
		this.clock.advanceMillis(5);
		assertThat(ids(owner.completeAndFetch(new Outcome.Done("a"), 10))).containsExactly("b");
	}

	@Test
	void jobsAreFetchedInOrderOfPerformAt() {
		TestOwner owner = owner("s");
		enqueue(NewPayload.of("late", bytes("p")).withPerformAt(now() - 1));
		enqueue(NewPayload.of("early", bytes("p")).withPerformAt(now() - 3));
		enqueue(NewPayload.of("middle", bytes("p")).withPerformAt(now() - 2));
		enqueue("now", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("early", "middle", "late", "now");
	}

	@Test
	void readyJobsComeInTheOrderInWhichTheyWereEnqueued() {
		TestOwner owner = owner("s");
		enqueue("c", "p");
		enqueue(NewPayload.of("b", bytes("p")), NewPayload.of("a", bytes("p")));
		enqueue("d", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("c", "b", "a", "d");
	}

	@Test
	void delayedJobsComeBeforeReadyOnesThatAreDueAtTheSameTime() {
		TestOwner owner = owner("s");
		enqueue("b", "p");
		enqueueIn(0, "c", "p");
		enqueueIn(0, "a", "p");
		assertThat(ids(owner.fetch(10))).containsExactly("a", "c", "b");
	}

	@Test
	void delayedJobsThatAreDueEarlierComeBeforeReadyOnes() {
		TestOwner owner = owner("s");
		enqueue("ready-1", "p");
		this.clock.advanceMillis(10);
		enqueue("ready-2", "p");
		enqueueIn(-5, "between", "p");
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id).containsExactly("ready-1", "between", "ready-2");
	}

	@Test
	void delayedJobsThatAreDueAtTheSameTimeComeByTheUnsignedBytesOfTheirIds() {
		TestOwner owner = owner("s");
		for (String id : List.of("\uD83D\uDE00", "\uFFFD", "ä", "z", "a1", "a")) {
			enqueueIn(0, id, "p");
		}
		assertThat(owner.fetch(10).jobs()).extracting(FetchedJob::id)
			.containsExactly("a", "a1", "z", "ä", "\uFFFD", "\uD83D\uDE00");
	}

	@Test
	void readyJobsAreDueThoughTheClockGoesBack() {
		TestOwner owner = owner("s");
		enqueue("b", "p");
		this.clock.goBackMillis(10_000);
		FetchResult.Fetched none = owner.fetch(0);
		assertThat(none.next()).isEqualTo(now());
		enqueue("a", "p");
		assertThat(ids(owner.fetch(10))).containsExactly("b", "a");
	}

	@Test
	void delayedJobThatWasDueIsDueThoughTheClockGoesBack() {
		TestOwner owner = owner("s");
		enqueueIn(10, "b", "p");
		enqueueIn(5_000, "later", "p");
		this.clock.advanceMillis(10);
		owner.fetch(0);
		this.clock.goBackMillis(3_600_000);
		enqueue("a", "p");
		FetchResult.Fetched fetched = owner.fetch(10);
		assertThat(ids(fetched)).containsExactly("b", "a");
		assertThat(fetched.next()).isEqualTo(now() + 3_600_000 + 4_990);
	}

	@Test
	void jobThatIsEnqueuedAfterTheClockWentBackKeepsItsDelay() {
		TestOwner owner = owner("s");
		this.clock.advanceMillis(10_000);
		owner.fetch(0);
		this.clock.goBackMillis(5_000);
		enqueueIn(2_000, "a", "p");
		assertThat(owner.fetch(10).jobs()).isEmpty();
		this.clock.advanceMillis(2_000);
		assertThat(ids(owner.fetch(10))).containsExactly("a");
	}

	@Test
	void manyDelayedJobsThatWereDueAreDueThoughTheClockGoesBack() {
		for (int i = 0; i < 2_500; i++) {
			enqueueIn(0, "id" + i, "p");
		}
		TestOwner owner = owner("s");
		this.clock.goBackMillis(3_600_000);
		int fetched = 0;
		for (int i = 0; i < 4; i++) {
			fetched += owner.fetch(1_000).jobs().size();
		}
		assertThat(fetched).isEqualTo(2_500);
	}

	@Test
	void jobBlockedByItsIdIsDueThoughTheClockGoesBack() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("b", "p1");
		enqueueIn(0, "c", "p1");
		owner.fetch(3);
		this.clock.advanceMillis(10);
		enqueue("a", "p2");
		enqueueIn(-5, "b", "p2");
		enqueueIn(50, "c", "p2");
		this.clock.goBackMillis(3_600_000);
		FetchResult.Fetched done = owner.complete(new Outcome.Done("a"), new Outcome.Done("b"), new Outcome.Done("c"));
		assertThat(done.next()).isEqualTo(now());
		enqueue("d", "p1");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]", "b=[p2]", "d=[p1]");
	}

	@Test
	void jobsThatComeBackAreDueThoughTheClockGoesBack() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p1");
		enqueue("c", "p2");
		owner.fetch(3, 1);
		this.clock.goBackMillis(3_600_000);
		owner.complete(new Outcome.Returned("a"), new Outcome.Done("c"));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p]", "c=[p2]");
		this.clock.goBackMillis(3_600_000);
		owner = owner("t", LeaseRequest.afterLapse("t", "s"));
		assertThat(ids(owner.fetch(10))).containsExactly("a", "b", "c");
		this.clock.goBackMillis(3_600_000);
		owner.release();
		assertThat(ids(owner("u").fetch(10))).containsExactly("a", "b", "c");
	}

	@Test
	void retryWaitsAlsoAfterTheClockWentBack() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		this.clock.goBackMillis(3_600_000);
		assertThat(owner.completeAndFetch(new Outcome.Retry("a", 100, "boom"), 1).next()).isEqualTo(now() + 100);
		assertThat(owner.fetch(1).jobs()).isEmpty();
		this.clock.advanceMillis(100);
		assertThat(ids(owner.fetch(1))).containsExactly("a");
	}

	@Test
	void mergingKeepsTheOrderOfAReadyJob() {
		TestOwner owner = owner("s");
		enqueue("b", "p1");
		enqueue("a", "p1");
		enqueue("b", "p2");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("b=[p1, p2]", "a=[p1]");
	}

	@Test
	void restoredJobIsDelayedWithItsPerformAt() {
		TestOwner owner = owner("s");
		enqueue("b", "p");
		owner.fetch(1);
		enqueue("c", "p");
		owner.release();
		assertThat(listed(JobList.DELAYED)).containsExactly("b");
		assertThat(ids(owner("t").fetch(10))).containsExactly("b", "c");
	}

	@Test
	void idThatWasDeletedAndEnqueuedAgainIsFetchedOnce() {
		TestOwner owner = owner("s");
		for (int i = 0; i < 3; i++) {
			enqueue("first", "p");
			enqueue("a", "p" + i);
			this.store.actions().delete(SHARD, List.of("a"));
		}
		enqueue("a", "last");
		FetchResult.Fetched fetched = owner.fetch(10);
		assertThat(jobTexts(fetched)).containsExactlyInAnyOrder("first=[p]", "a=[last]");
		assertThat(fetched.next()).isEqualTo(FetchResult.NOTHING);
		enqueue("a", "behind");
		assertThat(owner.fetch(10).jobs()).isEmpty();
		owner.complete(new Outcome.Done("first"), new Outcome.Done("a"));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[behind]");
		assertThat(owner.fetch(10).jobs()).isEmpty();
	}

	@Test
	void entriesOfDeletedJobsAreSkipped() {
		TestOwner owner = owner("s");
		enqueue("first", "p");
		List<NewPayload> deleted = IntStream.range(0, 2_500)
			.mapToObj((i) -> NewPayload.of("id-" + i, bytes("p")))
			.toList();
		this.store.shards().enqueue(SHARD, deleted);
		enqueue("last", "p");
		this.store.actions().delete(SHARD, deleted.stream().map(NewPayload::id).toList());
		List<String> fetched = new ArrayList<>();
		FetchResult.Fetched answer;
		int calls = 0;
		do {
			answer = owner.fetch(10);
			fetched.addAll(ids(answer));
			calls++;
		}
		while (answer.next() <= now() && calls < 10);
		assertThat(fetched).containsExactly("first", "last");
		assertThat(answer.next()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void jobThatIsDelayedByAReEnqueueIsNotReadyAnyMore() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		enqueue("a", "p2");
		this.store.actions().reEnqueue(SHARD, List.of("a"));
		assertThat(listed(JobList.READY)).isEmpty();
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p1, p2]");
		assertThat(owner.fetch(10).jobs()).isEmpty();
	}

	@Test
	void enqueuingAndDeletingOverAndOverKeepsTheShardFast() {
		TestOwner owner = owner("s");
		this.store.actions().pause(SHARD, true);
		List<NewPayload> payloads = IntStream.range(0, 200)
			.mapToObj((i) -> NewPayload.of("id-" + i, bytes("p")))
			.toList();
		List<String> ids = payloads.stream().map(NewPayload::id).toList();
		enqueue("first", "p");
		for (int i = 0; i < 50; i++) {
			this.store.shards().enqueue(SHARD, payloads);
			this.store.actions().delete(SHARD, ids);
		}
		enqueue("last", "p");
		this.store.actions().pause(SHARD, false);
		FetchResult.Fetched first = owner.fetch(1);
		assertThat(ids(first)).containsExactly("first");
		List<String> rest = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			rest.addAll(ids(owner.fetch(1)));
		}
		assertThat(rest).containsExactly("last");
	}

	@Test
	void sweepingKeepsTheOrderOfReadyJobs() {
		TestOwner owner = owner("s");
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
		this.store.actions().delete(SHARD, deleted);
		for (int i = 0; i < 300; i++) {
			enqueue("more", "p" + i);
		}
		kept.add(0, "kept");
		kept.add("more");
		List<String> fetched = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			fetched.addAll(ids(owner.fetch(1)));
		}
		assertThat(fetched).isEqualTo(kept);
	}

	@Test
	void nextIsNowWhileAJobIsReadyElseThePerformAtOfTheNextDelayedOne() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueueIn(5_000, "c", "p");
		long due = now();
		this.clock.advanceMillis(7);
		assertThat(owner.fetch(1).next()).isEqualTo(now());
		assertThat(owner.completeAndFetch(new Outcome.Done("a"), 1).next()).isEqualTo(due + 5_000);
	}

	@Test
	void nextIsNothingWhenNothingIsQueued() {
		TestOwner owner = owner("s");
		FetchResult.Fetched fetched = owner.fetch(1);
		assertThat(fetched.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(fetched.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(fetched.now()).isEqualTo(now());
		assertThat(fetched.buried()).isZero();
	}

	@Test
	void payloadsBeyondTheLimitStayQueuedAsAFreshJob() {
		TestOwner owner = owner("s");
		fail(owner, "a", "v1", 1_000);
		enqueue("a", "v2");
		enqueue("a", "v3");
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
	void payloadsBeyondTheLimitWaitBehindTheirId() {
		TestOwner owner = owner("s");
		enqueue("b", "v1");
		enqueue("b", "v2");
		enqueue("c", "p");
		assertThat(jobTexts(owner.fetch(1, 1))).containsExactly("b=[v1]");
		assertThat(ids(owner.fetch(10, 1))).containsExactly("c");
		assertThat(owner.completeAndFetch(new Outcome.Done("b"), 10).next()).isEqualTo(now());
		assertThat(jobTexts(owner.fetch(10, 1))).containsExactly("b=[v2]");
	}

	@Test
	void payloadsBeyondTheLimitAreCountedButNotNext() {
		TestOwner owner = owner("s");
		enqueue("a", "v1");
		enqueue("a", "v2");
		assertThat(owner.fetch(1, 1).next()).isEqualTo(FetchResult.NOTHING);
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(counts().busy()).isEqualTo(1);
	}

	@Test
	void payloadEnqueuedMeanwhileGoesToTheRest() {
		TestOwner owner = owner("s");
		enqueue("a", "v2", 2);
		enqueue("a", "v3", 3);
		owner.fetch(1, 1);
		enqueue("a", "v1", 1);
		assertThat(texts(queued("a").payloads())).containsExactly("v1", "v3");
	}

	@Test
	void manyJobsAndPayloadsAreFetchedWhole() {
		TestOwner owner = owner("s");
		List<NewPayload> payloads = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			payloads.add(NewPayload.of("id-" + i, bytes("p" + i)));
			payloads.add(NewPayload.of("hot", bytes("hot" + i)).withScore(i));
		}
		this.store.shards().enqueue(SHARD, payloads);
		List<FetchedJob> jobs = owner.fetch(5_000, 10_000).jobs();
		assertThat(jobs).hasSize(3_001);
		assertThat(jobs.get(0).id()).isEqualTo("id-0");
		assertThat(jobs.get(1).payloads()).hasSize(3_000);
		assertThat(jobs.get(1).payloads().get(2_999).score()).isEqualTo(2_999);
		Outcome[] done = jobs.stream().map((job) -> new Outcome.Done(job.id())).toArray(Outcome[]::new);
		owner.complete(done);
		assertThat(counts().processed()).isEqualTo(3_001);
		assertThat(counts().busy()).isZero();
	}

	@Test
	void nothingIsFetchedOfAPausedShard() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		this.store.actions().pause(SHARD, true);
		FetchResult.Fetched fetched = owner.fetch(1);
		assertThat(fetched.jobs()).isEmpty();
		assertThat(fetched.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(fetched.nextSuspect()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void pausedShardTakesPayloadsAndOutcomes() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		this.store.actions().pause(SHARD, true);
		enqueue("b", "p");
		assertThat(owner.completeAndFetch(new Outcome.Done("a"), 1).jobs()).isEmpty();
		assertThat(counts().busy()).isZero();
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(counts().paused()).isTrue();
	}

	@Test
	void whatWaitedIsFetchedAfterResuming() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		this.store.actions().pause(SHARD, true);
		owner.fetch(1);
		this.store.actions().pause(SHARD, false);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
		assertThat(counts().paused()).isFalse();
	}

}
