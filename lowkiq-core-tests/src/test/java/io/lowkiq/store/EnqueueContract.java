package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Enqueuing (rules 1 and 2, I2). */
abstract class EnqueueContract extends OwnedShardContract {

	@Test
	void newJobIsFreshAndDueNow() {
		enqueue("a", "p");
		thenQueued("a").performAt(now()).retryCount(-1).crashes(0).error(null).has("p");
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
		thenQueued("a").has(payload("first", 1), payload("second", 2), payload("third", 3));
		thenCounts().fresh(1);
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

	/** As one of a Kafka source, or without an outbox. */
	@Test
	void aLateCallWithAScoreIsSortedAmongWhatWaitsAndRunsAgainAfterwards() {
		enqueue("a", "v1", 1);
		enqueue("a", "v2", 2);
		enqueue("a", "v1", 1);
		assertThat(jobTexts(this.owner.fetch(1))).containsExactly("a=[v1, v2]");
		this.owner.complete(done("a"));
		enqueue("a", "v1", 1);
		assertThat(jobTexts(this.owner.fetch(1))).containsExactly("a=[v1]");
	}

	@Test
	void aShardThatIsNotKnownTakesNothingUntilItsQueueIsRecorded() {
		QueueLayout removed = this.store.queues().register("again", 3);
		Shard shard = new Shard("again", 2, 1);
		List<NewPayload> payloads = List.of(NewPayload.of("a", bytes("p")));
		ShardPayloads call = new ShardPayloads(shard, payloads);
		TestOwner owner = new TestOwner(this.store.shards(), shard, "s");
		// Nor has it an owner, which would make it known
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> owner.acquire(LeaseRequest.forFreeShard("s")))
			.withCauseInstanceOf(QueueClosedException.class);
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> this.store.shards().enqueue(shard, payloads))
			.matches(QueueClosedException::isUnknown);
		assertThat(this.store.shards().enqueueAll(List.of(call, call)).problems()).containsOnlyKeys(0, 1);
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> actions().bury(shard, "a", bytes("p"), 1, "no job"));
		assertThat(this.store.inspection().counts(shard).queued()).isZero();
		this.store.queues().beginRemoval(removed);
		this.store.queues().endRemoval(removed);
		this.store.queues().register("again", 3);
		assertThat(owner.acquire(LeaseRequest.forFreeShard("s"))).isInstanceOf(Acquisition.Acquired.class);
		assertThat(this.store.shards().enqueueAll(List.of(call, call)).problems()).isEmpty();
		assertThat(this.store.inspection().counts(shard).queued()).isOne();
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> this.store.shards().enqueue(removed.shard(1), payloads))
			.matches(QueueClosedException::isUnknown);
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
		thenQueued("a").has(payload("p", 5));
		enqueue("a", "p", 3);
		thenQueued("a").has(payload("p", 3));
	}

	@Test
	void equalPayloadWithTheDefaultScoreKeepsItsScore() {
		double far = now() + 1e6;
		enqueue("a", "p", far);
		enqueue("a", "p");
		thenQueued("a").has(payload("p", far));
	}

	@Test
	void freshJobMovesForwardToTheEarlierPerformAt() {
		enqueueIn(60_000, "a", "p1");
		enqueueIn(5_000, "a", "p2");
		thenQueued("a").performAt(now() + 5_000);
		enqueueIn(70_000, "a", "p3");
		thenQueued("a").performAt(now() + 5_000);
		then(this.owner.fetch(1)).next(now() + 5_000);
		enqueue("a", "p4");
		thenQueued("a").performAt(now());
		then(this.owner.fetch(1)).jobs("a=[p1, p2, p3, p4]");
	}

	@Test
	void equalPayloadMovesAFreshJobForwardToo() {
		enqueueIn(60_000, "a", "p");
		enqueue("a", "p");
		then(this.owner.fetch(1)).jobs("a=[p]");
	}

	@Test
	void movingForwardChangesTheOrder() {
		enqueueIn(10, "a", "p");
		enqueueIn(20, "b", "p");
		enqueueIn(5, "b", "p");
		this.clock.advanceMillis(30);
		then(this.owner.fetch(10)).ids("b", "a");
	}

	@Test
	void performAtOfAReadyJobStays() {
		enqueue("a", "p1");
		long performAt = now();
		this.clock.advanceMillis(10);
		enqueue("a", "p2");
		enqueueIn(5_000, "a", "p3");
		enqueueIn(-5_000, "a", "p4");
		thenQueued("a").performAt(performAt);
		assertThat(listed(JobList.READY)).containsExactly("a");
		then(this.owner.fetch(1)).jobs("a=[p1, p2, p3, p4]");
	}

	@Test
	void performAtOfARetryStays() {
		fail("a", "p1", 60_000);
		enqueue("a", "p2");
		enqueueIn(-5_000, "a", "p3");
		thenQueued("a").performAt(now() + 60_000);
		then(this.owner.fetch(1)).nothing();
	}

	@Test
	void freshSuspectMovesForwardAndStaysASuspect() {
		crash("a", 2, "p1");
		this.clock.goBackMillis(1_000);
		enqueue("a", "p2");
		thenQueued("a").performAt(now());
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		then(this.owner.fetch(1)).nothing();
		then(this.owner.fetchSuspect()).jobs("a=[p1, p2]");
	}

	@Test
	void mergingKeepsRetryCountAndErrorOfTheQueuedJob() {
		fail("a", "p1", 60_000);
		enqueue("a", "p2");
		thenQueued("a").retryCount(0).error("failed a").performAt(now() + 60_000);
	}

	@Test
	void mergingKeepsTheCrashCountOfTheQueuedJob() {
		crash("a", 2, "p1");
		enqueue("a", "p2");
		thenQueued("a").crashes(2);
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
		performing("a", "p1");
		assertThat(enqueue("a", "p2").merged()).isZero();
		assertThat(enqueueIn(-5, "a", "p3").merged()).isEqualTo(1);
		thenBusy("a").has("p1");
		thenQueued("a").has("p2", "p3").performAt(now() - 5);
		assertThat(listed(JobList.QUEUED)).containsExactly("a");
		assertThat(listed(JobList.READY)).isEmpty();
		assertThat(listed(JobList.DELAYED)).isEmpty();
		thenCounts().fresh(1).oldest(FetchResult.NOTHING);
		then(this.owner.fetch(10)).nothing();
		then(this.owner.fetch(10)).next(FetchResult.NOTHING);
	}

	@Test
	void delayedPayloadForABusyIdWaitsForBoth() {
		performing("a", "p1");
		enqueueIn(1_000, "a", "p2");
		this.clock.advanceMillis(500);
		then(this.owner.completeAndFetch(done("a"), 10)).next(now() + 500);
		then(this.owner.fetch(10)).nothing();
		this.clock.advanceMillis(500);
		then(this.owner.fetch(10)).jobs("a=[p2]");
	}

	@Test
	void payloadForADeadIdMakesAQueuedJob() {
		bury("a", "p1");
		assertThat(enqueue("a", "p2").merged()).isZero();
		thenDead("a").has("p1");
		thenQueued("a").has("p2");
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
		thenQueued("a").has("z", "y", "x", "w");
		double first = queued("a").payloads().get(0).score();
		assertThat(queued("a").payloads().get(1).score()).isEqualTo(Math.nextUp(first));
	}

	@Test
	void defaultScoreComesAfterALargerQueuedScore() {
		double far = now() + 1e6;
		enqueue("a", "p1", far);
		enqueue("a", "p2");
		thenQueued("a").has(payload("p1", far), payload("p2", Math.nextUp(far)));
	}

	@Test
	void defaultScoreComesAfterALargerBusyScore() {
		double far = now() + 1e6;
		enqueue("a", "p1", far);
		this.owner.fetch(1);
		enqueue("a", "p2");
		thenQueued("a").has(payload("p2", Math.nextUp(far)));
	}

	@Test
	void defaultScoreComesAfterTheLargerOfQueuedAndBusyScores() {
		double far = now() + 1e6;
		enqueue("a", "p1", far);
		enqueue("a", "p2", far + 10);
		this.owner.fetch(1, 1);
		enqueue("a", "p3");
		thenQueued("a").has(payload("p2", far + 10), payload("p3", Math.nextUp(far + 10)));
	}

	@Test
	void defaultScoreOfAPayloadEqualToABusyOneComesAfterIt() {
		performing("a", "p");
		enqueue("a", "p");
		assertThat(queued("a").payloads().get(0).score()).isEqualTo(Math.nextUp(busy("a").payloads().get(0).score()));
	}

	@Test
	void defaultScoresGrowWhenTheClockGoesBack() {
		enqueue("a", "p1");
		this.clock.goBackMillis(10_000);
		enqueue("a", "p2");
		thenQueued("a").has("p1", "p2");
	}

	@Test
	void scoreBelowZeroAndOfManyDigitsIsKeptExactly() {
		enqueue("a", "p1", -1e300);
		enqueue("a", "p2", 0.1 + 0.2);
		enqueue("a", "p3", 1.7999999999999998e-300);
		enqueue("a", "p4", 9_007_199_254_740_993.0);
		enqueue("a", "p5", 1e300);
		thenQueued("a").has(payload("p1", -1e300), payload("p3", 1.7999999999999998e-300), payload("p2", 0.1 + 0.2),
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
		thenQueued("a").has(new Payload(all, 1), new Payload(new byte[0], 2));
	}

	@Test
	void idMayHaveAnyCharacter() {
		String id = "a:b{c}\u0000\n*?[ ]ä\uD83D\uDE00";
		enqueue(id, "p1");
		enqueue(id, "p2");
		thenQueued(id).has("p1", "p2");
		then(this.owner.fetch(1)).ids(id);
		this.owner.complete(done(id));
		thenCounts().busy(0);
	}

	@Test
	void performAtAndDelayAreKept() {
		enqueue(NewPayload.of("a", bytes("p")).withPerformAt(now() + 5_000));
		enqueue(NewPayload.of("b", bytes("p")).withDelay(Duration.ofSeconds(7)));
		enqueue(NewPayload.of("c", bytes("p")).withPerformAt(0));
		thenQueued("a").performAt(now() + 5_000);
		thenQueued("b").performAt(now() + 7_000);
		thenQueued("c").performAt(0);
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

	/** Some hosts of Redis refuse more than 3,999, also within scripts. */
	@Test
	void largeCallsAreCommandsWithFewEnoughArguments() {
		List<String> ids = IntStream.range(0, 4_500).mapToObj((i) -> "id" + i).toList();
		this.store.shards().enqueue(SHARD, ids.stream().map((id) -> NewPayload.of(id, bytes("p"))).toList());
		TestOwner owner = owner("s");
		assertThat(owner.fetch(4_500).jobs()).hasSize(4_500);
		owner.complete(ids.stream().map(Outcome.Done::new).toArray(Outcome[]::new));
		thenCounts().processed(4_500).busy(0);
	}

}
