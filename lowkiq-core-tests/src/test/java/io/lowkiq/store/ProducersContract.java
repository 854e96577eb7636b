package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.Producers;
import io.lowkiq.TraceParent;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.TracedProducer;
import org.junit.jupiter.api.Test;

import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;

/** Which producers are kept with a job whose enqueues are traced. */
abstract class ProducersContract extends OwnedShardContract {

	private static TraceParent trace(int number) {
		return new TraceParent("%032x".formatted(number), "%016x".formatted(number), number % 2 == 0);
	}

	private static List<TraceParent> traces(int... numbers) {
		return IntStream.of(numbers).mapToObj(ProducersContract::trace).toList();
	}

	private static NewPayload traced(String id, String payload, int number, int most) {
		return NewPayload.of(id, bytes(payload)).by(new TracedProducer(trace(number), most));
	}

	private void enqueueBy(int number, String payload) {
		enqueue(traced("a", payload, number, 32));
	}

	@Test
	void producersOfAllPayloadsAreDeliveredInTheirOrder() {
		enqueueBy(1, "p1");
		assertThat(queued("a").producers().traces()).isEqualTo(traces(1));
		enqueueBy(3, "p2");
		enqueueBy(2, "p3");
		FetchedJob job = this.owner.fetchOne();
		then(job).has("p1", "p2", "p3");
		assertThat(job.producers()).isEqualTo(new Producers(traces(1, 3, 2), 0));
		assertThat(busy("a").producers()).isEqualTo(job.producers());
		this.owner.complete(done("a"));
		enqueue("a", "p4");
		assertThat(this.owner.fetchOne().producers()).isEqualTo(Producers.NONE);
	}

	@Test
	void payloadsOfOneCallHaveProducersOfTheirOwn() {
		enqueue(NewPayload.of("a", bytes("p1")), traced("a", "p2", 1, 32), traced("b", "p1", 2, 32),
				traced("a", "p3", 3, 32));
		assertThat(this.owner.fetch(2).jobs()).extracting((job) -> job.producers().traces())
			.containsExactly(traces(1, 3), traces(2));
	}

	@Test
	void aProducerIsKeptOnce() {
		enqueue(traced("a", "p1", 1, 32), traced("a", "p2", 1, 32), traced("a", "p3", 2, 32), traced("a", "p4", 1, 32));
		assertThat(queued("a").producers()).isEqualTo(new Producers(traces(1, 2), 0));
	}

	@Test
	void equalPayloadsMergeAndKeepTheProducersOfBoth() {
		enqueueBy(1, "p1");
		assertThat(enqueue(traced("a", "p1", 2, 32)).merged()).isEqualTo(1);
		assertThat(queued("a").payloads()).hasSize(1);
		assertThat(queued("a").producers().traces()).isEqualTo(traces(1, 2));
	}

	@Test
	void producersBeyondTheLimitAreCounted() {
		IntStream.range(0, 100).forEach((i) -> enqueueBy(i, "p" + i));
		Producers kept = queued("a").producers();
		assertThat(kept.traces()).hasSize(32).startsWith(trace(0)).endsWith(trace(31));
		assertThat(kept.more()).isEqualTo(68);
		enqueue(traced("a", "more", 100, 33));
		assertThat(queued("a").producers().traces()).hasSize(33).endsWith(trace(100));
		enqueue(traced("a", "most", 101, 1));
		assertThat(queued("a").producers().more()).isEqualTo(69);
	}

	@Test
	void producersStayThroughARetryAndAreUnitedWithNewerOnes() {
		enqueueBy(1, "p1");
		this.owner.fetch(1);
		enqueueBy(2, "p2");
		enqueue(traced("a", "p3", 1, 32));
		assertThat(queued("a").producers().traces()).isEqualTo(traces(2, 1));
		this.owner.complete(retry("a", 0, "boom"));
		assertThat(queued("a").producers()).isEqualTo(new Producers(traces(1, 2), 0));
		assertThat(this.owner.fetchOne().producers().traces()).isEqualTo(traces(1, 2));
	}

	@Test
	void producersStayWhenTheJobIsRestored() {
		enqueueBy(1, "p1");
		enqueueBy(2, "p2");
		this.owner.fetch(1);
		assertThat(crashTo("t").fetch(1).jobs().get(0).producers().traces()).isEqualTo(traces(1, 2));
	}

	@Test
	void whatIsLeftOfManyPayloadsKeepsAllProducers() {
		enqueueBy(1, "p1");
		enqueueBy(2, "p2");
		assertThat(this.owner.fetch(1, 1).jobs().get(0).producers().traces()).isEqualTo(traces(1, 2));
		assertThat(queued("a").producers().traces()).isEqualTo(traces(1, 2));
		this.owner.complete(done("a"));
		assertThat(this.owner.fetchOne().producers().traces()).isEqualTo(traces(1, 2));
	}

	@Test
	void buriedPayloadsHaveTheProducersOfTheJobAndBringThemBack() {
		enqueueBy(1, "p1");
		enqueueBy(2, "p2");
		this.owner.fetch(1);
		this.owner.complete(buried("a", "fatal"), returned("a"));
		thenDead("a").error("fatal");
		assertThat(dead("a").producers()).isEqualTo(new Producers(traces(1, 2), 0));
		assertThat(queued("a").producers().traces()).isEqualTo(traces(1, 2));
		actions().delete(SHARD, List.of("a"));
		enqueueBy(3, "p3");
		actions().reEnqueue(SHARD, List.of("a"));
		assertThat(queued("a").producers().traces()).isEqualTo(traces(1, 2, 3));
		thenQueued("a").error("fatal");
	}

	@Test
	void killedJobsKeepTheirProducers() {
		enqueueBy(1, "p1");
		enqueue(traced("b", "p1", 2, 32), traced("b", "p2", 3, 32));
		actions().kill(SHARD, List.of("a", "b"));
		assertThat(dead("a").producers().traces()).isEqualTo(traces(1));
		assertThat(dead("b").producers().traces()).isEqualTo(traces(2, 3));
		thenDead("b").error(null);
	}

	@Test
	void aPoisonPillKeepsItsProducers() {
		enqueueBy(1, "p1");
		crash("a", ShardStore.MAX_CRASHES + 1);
		assertThat(dead("a").producers().traces()).isEqualTo(traces(1));
		thenDead("a").error(ShardStore.POISON_PILL);
	}

	@Test
	void whatActionsChangeKeepsItsProducers() {
		enqueue(traced("a", "p1", 1, 32).withPerformAt(now() + 60_000));
		actions().performNow(SHARD, List.of("a"));
		assertThat(this.owner.fetchOne().producers().traces()).isEqualTo(traces(1));
		this.owner.complete(new Outcome.Hold("a", "hold"));
		actions().editHeld(SHARD, "a", bytes("p1"), bytes("p2"));
		actions().release(SHARD, List.of("a"));
		assertThat(this.owner.fetchOne().producers().traces()).isEqualTo(traces(1));
	}

	@Test
	void gatheringJobsKeepTheProducersAlsoOfPayloadsThatWereReplaced() {
		GatheringPolicy latest = new GatheringPolicy(Duration.ofMillis(10), Duration.ZERO, Duration.ZERO, true, false,
				false);
		owner("s", LeaseRequest.forFreeShard("s").with(new Gathering(latest, 1_000)));
		enqueueBy(1, "p1");
		enqueueBy(2, "p2");
		this.clock.advanceMillis(20);
		FetchedJob job = this.owner.fetchOne();
		then(job).has("p2");
		assertThat(job.producers().traces()).isEqualTo(traces(1, 2));
	}

	@Test
	void aFetchedJobSaysForHowLongItHasBeenDue() {
		enqueue("a", "p1");
		enqueue(NewPayload.of("b", bytes("p1")).withPerformAt(now() + 30));
		this.clock.advanceMillis(100);
		assertThat(this.owner.fetch(2).jobs()).extracting(FetchedJob::dueFor).containsExactly(100L, 70L);
	}

}
