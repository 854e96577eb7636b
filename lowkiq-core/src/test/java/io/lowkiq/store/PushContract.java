package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Enqueueing (rules 1 and 2, I2).
 */
abstract class PushContract extends StoreContract {

	@Test
	void newJobIsFreshAndDueNow() {
		push("a", "p");
		JobView job = queued("a");
		assertThat(job.performAt()).isEqualTo(now());
		assertThat(job.retryCount()).isEqualTo(-1);
		assertThat(job.crashes()).isZero();
		assertThat(job.error()).isNull();
		assertThat(texts(job.payloads())).containsExactly("p");
	}

	@Test
	void answerHasTheStoresTime() {
		assertThat(push("a", "p").now()).isEqualTo(now());
	}

	@Test
	void payloadsOfOneIdUniteInOrderOfScore() {
		push("a", "third", 3);
		push("a", "first", 1);
		push("a", "second", 2);
		assertThat(queued("a").payloads()).containsExactly(payload("first", 1), payload("second", 2),
				payload("third", 3));
		assertThat(counts().fresh()).isEqualTo(1);
	}

	@Test
	void pushesIntoSeveralShardsKeepTheirOrderInEach() {
		Shard other = new Shard("orders", 1, 1);
		List<ShardPayloads> calls = IntStream.range(0, 40)
			.mapToObj((i) -> new ShardPayloads((i % 2 == 0) ? SHARD : other,
					List.of(NewPayload.of("a", bytes("%02d".formatted(i))))))
			.toList();
		EnqueueResult result = this.store.shardStore().pushAll(calls);
		assertThat(result.merged()).isEqualTo(38);
		assertThat(result.now()).isEqualTo(now());
		assertThat(texts(queued("a").payloads())).isSorted().hasSize(20).contains("00", "38").doesNotContain("01");
	}

	@Test
	void equalScoresAreOrderedByUnsignedBytes() {
		push(new NewPayload("a", new byte[] { (byte) 0xff }, 1.0, null, 0));
		push(new NewPayload("a", new byte[] { 0x7f }, 1.0, null, 0));
		push(new NewPayload("a", new byte[] { 0x7f, 0 }, 1.0, null, 0));
		assertThat(queued("a").payloads()).extracting(Payload::bytes)
			.containsExactly(new byte[] { 0x7f }, new byte[] { 0x7f, 0 }, new byte[] { (byte) 0xff });
	}

	@Test
	void equalPayloadKeepsTheSmallerScore() {
		push("a", "p", 5);
		push("a", "p", 7);
		assertThat(queued("a").payloads()).containsExactly(payload("p", 5));
		push("a", "p", 3);
		assertThat(queued("a").payloads()).containsExactly(payload("p", 3));
	}

	@Test
	void equalPayloadWithTheDefaultScoreKeepsItsScore() {
		double far = now() + 1e6;
		push("a", "p", far);
		push("a", "p");
		assertThat(queued("a").payloads()).containsExactly(payload("p", far));
	}

	@Test
	void mergingKeepsPerformAtOfTheQueuedJob() {
		pushIn(60_000, "a", "p1");
		push("a", "p2");
		assertThat(queued("a").performAt()).isEqualTo(now() + 60_000);
		assertThat(queued("a").payloadCount()).isEqualTo(2);
	}

	@Test
	void mergingKeepsRetryCountAndErrorOfTheQueuedJob() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p1", 60_000);
		push("a", "p2");
		JobView job = queued("a");
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
		assertThat(job.performAt()).isEqualTo(now() + 60_000);
	}

	@Test
	void mergingKeepsTheCrashCountOfTheQueuedJob() {
		push("a", "p1");
		crash("a", 2);
		push("a", "p2");
		assertThat(queued("a").crashes()).isEqualTo(2);
	}

	@Test
	void pushToABusyIdMakesANewQueuedJob() {
		TestOwner owner = owner("s");
		push("a", "p1");
		owner.fetch(1);
		assertThat(push("a", "p2").merged()).isZero();
		assertThat(texts(busy("a").payloads())).containsExactly("p1");
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
	}

	@Test
	void pushToADeadIdMakesANewQueuedJob() {
		TestOwner owner = owner("s");
		bury(owner, "a", "p1");
		assertThat(push("a", "p2").merged()).isZero();
		assertThat(texts(dead("a").payloads())).containsExactly("p1");
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
	}

	@Test
	void countsThePushesThatMerged() {
		push("a", "p1");
		EnqueueResult result = push(NewPayload.of("a", bytes("p1")), NewPayload.of("a", bytes("p2")),
				NewPayload.of("b", bytes("p1")), NewPayload.of("b", bytes("p2")));
		assertThat(result.merged()).isEqualTo(3);
	}

	@Test
	void defaultScoreIsTheStoresTimeWithMicroseconds() {
		this.clock.advance(Duration.ofNanos(1_234_567));
		push("a", "p");
		double micros = this.clock.instant().getEpochSecond() * 1e6 + 1_234;
		assertThat(queued("a").payloads().get(0).score()).isEqualTo(micros / 1000);
	}

	@Test
	void defaultScoresAreStrictlyIncreasingAtOneTime() {
		push(NewPayload.of("a", bytes("z")), NewPayload.of("a", bytes("y")), NewPayload.of("a", bytes("x")));
		push("a", "w");
		assertThat(texts(queued("a").payloads())).containsExactly("z", "y", "x", "w");
		double first = queued("a").payloads().get(0).score();
		assertThat(queued("a").payloads().get(1).score()).isEqualTo(Math.nextUp(first));
	}

	@Test
	void defaultScoreComesAfterALargerQueuedScore() {
		double far = now() + 1e6;
		push("a", "p1", far);
		push("a", "p2");
		assertThat(queued("a").payloads()).containsExactly(payload("p1", far), payload("p2", Math.nextUp(far)));
	}

	@Test
	void defaultScoreComesAfterALargerBusyScore() {
		TestOwner owner = owner("s");
		double far = now() + 1e6;
		push("a", "p1", far);
		owner.fetch(1);
		push("a", "p2");
		assertThat(queued("a").payloads()).containsExactly(payload("p2", Math.nextUp(far)));
	}

	@Test
	void defaultScoreComesAfterTheLargerOfQueuedAndBusyScores() {
		TestOwner owner = owner("s");
		double far = now() + 1e6;
		push("a", "p1", far);
		push("a", "p2", far + 10);
		owner.fetch(1, 1);
		push("a", "p3");
		assertThat(queued("a").payloads()).containsExactly(payload("p2", far + 10),
				payload("p3", Math.nextUp(far + 10)));
	}

	@Test
	void defaultScoreOfAPayloadEqualToABusyOneComesAfterIt() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		push("a", "p");
		assertThat(queued("a").payloads().get(0).score()).isEqualTo(Math.nextUp(busy("a").payloads().get(0).score()));
	}

	@Test
	void defaultScoresGrowWhenTheClockGoesBack() {
		push("a", "p1");
		this.clock.goBackMillis(10_000);
		push("a", "p2");
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2");
	}

	@Test
	void scoreBelowZeroAndOfManyDigitsIsKeptExactly() {
		push("a", "p1", -1e300);
		push("a", "p2", 0.1 + 0.2);
		push("a", "p3", 1.7999999999999998e-300);
		push("a", "p4", 9_007_199_254_740_993.0);
		push("a", "p5", 1e300);
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
		push(new NewPayload("a", all, 1.0, null, 0));
		push(new NewPayload("a", new byte[0], 2.0, null, 0));
		assertThat(queued("a").payloads()).containsExactly(new Payload(all, 1), new Payload(new byte[0], 2));
	}

	@Test
	void idMayHaveAnyCharacter() {
		String id = "a:b{c}\u0000\n*?[ ]ä\uD83D\uDE00";
		push(id, "p1");
		push(id, "p2");
		assertThat(texts(queued(id).payloads())).containsExactly("p1", "p2");
		TestOwner owner = owner("s");
		assertThat(owner.fetch(1).jobs()).extracting(FetchedJob::id).containsExactly(id);
		owner.finish(new Outcome.Done(id));
		assertThat(counts().busy()).isZero();
	}

	@Test
	void performAtAndDelayAreKept() {
		push(NewPayload.of("a", bytes("p")).withPerformAt(now() + 5_000));
		push(NewPayload.of("b", bytes("p")).withDelay(Duration.ofSeconds(7)));
		push(NewPayload.of("c", bytes("p")).withPerformAt(0));
		assertThat(queued("a").performAt()).isEqualTo(now() + 5_000);
		assertThat(queued("b").performAt()).isEqualTo(now() + 7_000);
		assertThat(queued("c").performAt()).isZero();
	}

	@Test
	void repeatedPushChangesNothing() {
		push("a", "p1");
		JobView once = queued("a");
		this.clock.advanceMillis(1_000);
		push("a", "p1");
		assertThat(queued("a")).isEqualTo(once);
	}

	@Test
	void shardsAreApart() {
		Shard other = new Shard("orders", 1, 1);
		push("a", "p1");
		this.store.shardStore().push(other, List.of(NewPayload.of("a", bytes("p2"))));
		assertThat(queued("a").payloadCount()).isEqualTo(1);
		assertThat(this.store.inspection().counts(other).fresh()).isEqualTo(1);
	}

}
