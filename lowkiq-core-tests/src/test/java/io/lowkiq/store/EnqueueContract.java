package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Enqueuing (rules 1 and 2, I2).
 */
abstract class EnqueueContract extends StoreContract {

	@Test
	void newJobIsFreshAndDueNow() {
		enqueue("a", "p");
		JobView job = queued("a");
		assertThat(job.performAt()).isEqualTo(now());
		assertThat(job.retryCount()).isEqualTo(-1);
		assertThat(job.crashes()).isZero();
		assertThat(job.error()).isNull();
		assertThat(texts(job.payloads())).containsExactly("p");
	}

	@Test
	void answerHasTheStoresTime() {
		assertThat(enqueue("a", "p").now()).isEqualTo(now());
	}

	@Test
	void payloadsOfOneIdUniteInOrderOfScore() {
		enqueue("a", "third", 3);
		enqueue("a", "first", 1);
		enqueue("a", "second", 2);
		assertThat(queued("a").payloads()).containsExactly(payload("first", 1), payload("second", 2),
				payload("third", 3));
		assertThat(counts().fresh()).isEqualTo(1);
	}

	@Test
	void xSeveralShardsKeepTheirOrderInEach() {
		Shard other = new Shard("orders", 1, 1);
		List<ShardPayloads> calls = IntStream.range(0, 40)
			.mapToObj((i) -> new ShardPayloads((i % 2 == 0) ? SHARD : other,
					List.of(NewPayload.of("a", bytes("%02d".formatted(i))))))
			.toList();
		BatchResult result = this.store.shards().enqueueAll(calls);
		assertThat(result.merged()).isEqualTo(38);
		assertThat(result.problems()).isEmpty();
		assertThat(texts(queued("a").payloads())).isSorted().hasSize(20).contains("00", "38").doesNotContain("01");
	}

	@Test
	void equalScoresAreOrderedByUnsignedBytes() {
		enqueue(new NewPayload("a", new byte[] { (byte) 0xff }, 1.0, null, 0));
		enqueue(new NewPayload("a", new byte[] { 0x7f }, 1.0, null, 0));
		enqueue(new NewPayload("a", new byte[] { 0x7f, 0 }, 1.0, null, 0));
		assertThat(queued("a").payloads()).extracting(Payload::bytes)
			.containsExactly(new byte[] { 0x7f }, new byte[] { 0x7f, 0 }, new byte[] { (byte) 0xff });
	}

	@Test
	void equalPayloadKeepsTheSmallerScore() {
		enqueue("a", "p", 5);
		enqueue("a", "p", 7);
		assertThat(queued("a").payloads()).containsExactly(payload("p", 5));
		enqueue("a", "p", 3);
		assertThat(queued("a").payloads()).containsExactly(payload("p", 3));
	}

	@Test
	void equalPayloadWithTheDefaultScoreKeepsItsScore() {
		double far = now() + 1e6;
		enqueue("a", "p", far);
		enqueue("a", "p");
		assertThat(queued("a").payloads()).containsExactly(payload("p", far));
	}

	@Test
	void freshJobMovesForwardToTheEarlierPerformAt() {
		TestOwner owner = owner("s");
		enqueueIn(60_000, "a", "p1");
		enqueueIn(5_000, "a", "p2");
		assertThat(queued("a").performAt()).isEqualTo(now() + 5_000);
		enqueueIn(70_000, "a", "p3");
		assertThat(queued("a").performAt()).isEqualTo(now() + 5_000);
		assertThat(owner.fetch(1).next()).isEqualTo(now() + 5_000);
		enqueue("a", "p4");
		assertThat(queued("a").performAt()).isEqualTo(now());
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p1, p2, p3, p4]");
	}

	@Test
	void equalPayloadMovesAFreshJobForwardToo() {
		TestOwner owner = owner("s");
		enqueueIn(60_000, "a", "p");
		enqueue("a", "p");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p]");
	}

	@Test
	void movingForwardChangesTheOrder() {
		TestOwner owner = owner("s");
		enqueueIn(10, "a", "p");
		enqueueIn(20, "b", "p");
		enqueueIn(5, "b", "p");
		this.clock.advanceMillis(30);
		assertThat(ids(owner.fetch(10))).containsExactly("b", "a");
	}

	@Test
	void performAtOfAReadyJobStays() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		long performAt = now();
		this.clock.advanceMillis(10);
		enqueue("a", "p2");
		enqueueIn(5_000, "a", "p3");
		enqueueIn(-5_000, "a", "p4");
		assertThat(queued("a").performAt()).isEqualTo(performAt);
		assertThat(listed(JobList.READY)).containsExactly("a");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p1, p2, p3, p4]");
	}

	@Test
	void performAtOfARetryStays() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p1", 60_000);
		enqueue("a", "p2");
		enqueueIn(-5_000, "a", "p3");
		assertThat(queued("a").performAt()).isEqualTo(now() + 60_000);
		assertThat(owner.fetch(1).jobs()).isEmpty();
	}

	@Test
	void freshSuspectMovesForwardAndStaysASuspect() {
		enqueue("a", "p1");
		TestOwner owner = crash("a", 2);
		this.clock.goBackMillis(1_000);
		enqueue("a", "p2");
		assertThat(queued("a").performAt()).isEqualTo(now());
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		assertThat(owner.fetch(1).jobs()).isEmpty();
		assertThat(jobTexts(owner.fetchSuspect())).containsExactly("a=[p1, p2]");
	}

	@Test
	void mergingKeepsRetryCountAndErrorOfTheQueuedJob() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p1", 60_000);
		enqueue("a", "p2");
		JobView job = queued("a");
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
		assertThat(job.performAt()).isEqualTo(now() + 60_000);
	}

	@Test
	void mergingKeepsTheCrashCountOfTheQueuedJob() {
		enqueue("a", "p1");
		crash("a", 2);
		enqueue("a", "p2");
		assertThat(queued("a").crashes()).isEqualTo(2);
	}

	@Test
	void jobsAreReadyOrDelayedByTheirPerformAt() {
		enqueue("now", "p");
		enqueueIn(0, "at now", "p");
		enqueueIn(-5, "past", "p");
		enqueueIn(5, "future", "p");
		assertThat(listed(JobList.READY)).containsExactly("now");
		assertThat(listed(JobList.DELAYED)).containsExactly("past", "at now", "future");
	}

	@Test
	void payloadForABusyIdMakesAnotherJobThatWaitsBehindIt() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		assertThat(enqueue("a", "p2").merged()).isZero();
		assertThat(enqueueIn(-5, "a", "p3").merged()).isEqualTo(1);
		assertThat(texts(busy("a").payloads())).containsExactly("p1");
		assertThat(texts(queued("a").payloads())).containsExactly("p2", "p3");
		assertThat(queued("a").performAt()).isEqualTo(now() - 5);
		assertThat(listed(JobList.QUEUED)).containsExactly("a");
		assertThat(listed(JobList.READY)).isEmpty();
		assertThat(listed(JobList.DELAYED)).isEmpty();
		assertThat(counts().fresh()).isEqualTo(1);
		assertThat(counts().oldest()).isEqualTo(FetchResult.NOTHING);
		assertThat(owner.fetch(10).jobs()).isEmpty();
		assertThat(owner.fetch(10).next()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void delayedPayloadForABusyIdWaitsForBoth() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		owner.fetch(1);
		enqueueIn(1_000, "a", "p2");
		this.clock.advanceMillis(500);
		assertThat(owner.completeAndFetch(new Outcome.Done("a"), 10).next()).isEqualTo(now() + 500);
		assertThat(owner.fetch(10).jobs()).isEmpty();
		this.clock.advanceMillis(500);
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void payloadForADeadIdMakesAQueuedJob() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		assertThat(enqueue("a", "p2").merged()).isZero();
		assertThat(texts(dead("a").payloads())).containsExactly("p1");
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
	}

	@Test
	void payloadsThatMergedAreCounted() {
		enqueue("a", "p1");
		EnqueueResult result = enqueue(NewPayload.of("a", bytes("p1")), NewPayload.of("a", bytes("p2")),
				NewPayload.of("b", bytes("p1")), NewPayload.of("b", bytes("p2")));
		assertThat(result.merged()).isEqualTo(3);
	}

	@Test
	void defaultScoreIsTheStoresTimeWithMicroseconds() {
		this.clock.advance(Duration.ofNanos(1_234_567));
		enqueue("a", "p");
		double micros = this.clock.instant().getEpochSecond() * 1e6 + 1_234;
		assertThat(queued("a").payloads().get(0).score()).isEqualTo(micros / 1000);
	}

	@Test
	void defaultScoresAreStrictlyIncreasingAtOneTime() {
		enqueue(NewPayload.of("a", bytes("z")), NewPayload.of("a", bytes("y")), NewPayload.of("a", bytes("x")));
		enqueue("a", "w");
		assertThat(texts(queued("a").payloads())).containsExactly("z", "y", "x", "w");
		double first = queued("a").payloads().get(0).score();
		assertThat(queued("a").payloads().get(1).score()).isEqualTo(Math.nextUp(first));
	}

	@Test
	void defaultScoreComesAfterALargerQueuedScore() {
		double far = now() + 1e6;
		enqueue("a", "p1", far);
		enqueue("a", "p2");
		assertThat(queued("a").payloads()).containsExactly(payload("p1", far), payload("p2", Math.nextUp(far)));
	}

	@Test
	void defaultScoreComesAfterALargerBusyScore() {
		TestOwner owner = owner("s");
		double far = now() + 1e6;
		enqueue("a", "p1", far);
		owner.fetch(1);
		enqueue("a", "p2");
		assertThat(queued("a").payloads()).containsExactly(payload("p2", Math.nextUp(far)));
	}

	@Test
	void defaultScoreComesAfterTheLargerOfQueuedAndBusyScores() {
		TestOwner owner = owner("s");
		double far = now() + 1e6;
		enqueue("a", "p1", far);
		enqueue("a", "p2", far + 10);
		owner.fetch(1, 1);
		enqueue("a", "p3");
		assertThat(queued("a").payloads()).containsExactly(payload("p2", far + 10),
				payload("p3", Math.nextUp(far + 10)));
	}

	@Test
	void defaultScoreOfAPayloadEqualToABusyOneComesAfterIt() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		enqueue("a", "p");
		assertThat(queued("a").payloads().get(0).score()).isEqualTo(Math.nextUp(busy("a").payloads().get(0).score()));
	}

	@Test
	void defaultScoresGrowWhenTheClockGoesBack() {
		enqueue("a", "p1");
		this.clock.goBackMillis(10_000);
		enqueue("a", "p2");
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2");
	}

	@Test
	void scoreBelowZeroAndOfManyDigitsIsKeptExactly() {
		enqueue("a", "p1", -1e300);
		enqueue("a", "p2", 0.1 + 0.2);
		enqueue("a", "p3", 1.7999999999999998e-300);
		enqueue("a", "p4", 9_007_199_254_740_993.0);
		enqueue("a", "p5", 1e300);
		assertThat(queued("a").payloads()).containsExactly(payload("p1", -1e300),
				payload("p3", 1.7999999999999998e-300), payload("p2", 0.1 + 0.2),
				payload("p4", 9_007_199_254_740_993.0), payload("p5", 1e300));
	}

	@Test
	void payloadIsKeptByteByByte() {
		byte[] all = new byte[1_000];
		for (int i = 0; i < all.length; i++) {
			all[i] = (byte) i;
		}
		enqueue(new NewPayload("a", all, 1.0, null, 0));
		enqueue(new NewPayload("a", new byte[0], 2.0, null, 0));
		assertThat(queued("a").payloads()).containsExactly(new Payload(all, 1), new Payload(new byte[0], 2));
	}

	@Test
	void idMayHaveAnyCharacter() {
		String id = "a:b{c}\u0000\n*?[ ]ä\uD83D\uDE00";
		enqueue(id, "p1");
		enqueue(id, "p2");
		assertThat(texts(queued(id).payloads())).containsExactly("p1", "p2");
		TestOwner owner = owner("s");
		assertThat(owner.fetch(1).jobs()).extracting(FetchedJob::id).containsExactly(id);
		owner.complete(new Outcome.Done(id));
		assertThat(counts().busy()).isZero();
	}

	@Test
	void performAtAndDelayAreKept() {
		enqueue(NewPayload.of("a", bytes("p")).withPerformAt(now() + 5_000));
		enqueue(NewPayload.of("b", bytes("p")).withDelay(Duration.ofSeconds(7)));
		enqueue(NewPayload.of("c", bytes("p")).withPerformAt(0));
		assertThat(queued("a").performAt()).isEqualTo(now() + 5_000);
		assertThat(queued("b").performAt()).isEqualTo(now() + 7_000);
		assertThat(queued("c").performAt()).isZero();
	}

	@Test
	void repeatedEnqueueChangesNothing() {
		enqueue("a", "p1");
		JobView once = queued("a");
		this.clock.advanceMillis(1_000);
		enqueue("a", "p1");
		assertThat(queued("a")).isEqualTo(once);
	}

	@Test
	void shardsAreApart() {
		Shard other = new Shard("orders", 1, 1);
		enqueue("a", "p1");
		this.store.shards().enqueue(other, List.of(NewPayload.of("a", bytes("p2"))));
		assertThat(queued("a").payloadCount()).isEqualTo(1);
		assertThat(this.store.inspection().counts(other).fresh()).isEqualTo(1);
	}

}
