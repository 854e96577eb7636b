package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.job.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the payloads of an id gather, as the owner wants it, and what that means for jobs
 * that wait for a retry, are on hold, were busy in crashes, or have a time of their own.
 */
abstract class GatheringContract extends StoreContract {

	private static final GatheringPolicy DEBOUNCED = policy(100, 250, 0);

	private static final GatheringPolicy LATEST = new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, true,
			false, false);

	private static final GatheringPolicy EQUAL_LATEST = new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO,
			false, true, false);

	private static final GatheringPolicy RETRY_NOW = new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO,
			false, false, true);

	private static GatheringPolicy policy(long debounce, long maxWait, long minInterval) {
		return new GatheringPolicy(Duration.ofMillis(debounce), Duration.ofMillis(maxWait),
				Duration.ofMillis(minInterval), false, false, false);
	}

	private TestOwner owner(GatheringPolicy policy) {
		return owner(policy, 1_000);
	}

	private TestOwner owner(GatheringPolicy policy, int maxPayloads) {
		return owner("owner", LeaseRequest.forFreeShard("owner").with(new Gathering(policy, maxPayloads)));
	}

	@Test
	void debouncedIdIsDueWhenItHasBeenQuiet() {
		TestOwner owner = owner(DEBOUNCED);
		enqueue("a", "p1");
		assertThat(dueIn("a")).isEqualTo(100);
		this.clock.advanceMillis(60);
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
		this.clock.advanceMillis(99);
		then(owner.fetch(1)).nothing();
		this.clock.advanceMillis(1);
		then(owner.fetch(1)).jobs("a=[p1, p2]");
	}

	@Test
	void idThatIsNeverQuietIsDueAfterTheMaximumWait() {
		TestOwner owner = owner(DEBOUNCED);
		for (int i = 0; i < 5; i++) {
			enqueue("a", "p" + i);
			this.clock.advanceMillis(50);
		}
		assertThat(dueIn("a")).isZero();
		assertThat(owner.fetchOne().payloads()).hasSize(5);
	}

	@Test
	void withoutMaximumWaitAnIdMayGatherForEver() {
		owner(policy(100, 0, 0));
		for (int i = 0; i < 50; i++) {
			enqueue("a", "p" + i);
			assertThat(dueIn("a")).isEqualTo(100);
			this.clock.advanceMillis(99);
		}
	}

	@Test
	void idWithAllThePayloadsOfADeliveryIsDueAtOnce() {
		TestOwner owner = owner(DEBOUNCED, 3);
		enqueue("a", "p1", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
		enqueue("a", "p3");
		assertThat(dueIn("a")).isZero();
		enqueue("a", "p4");
		assertThat(dueIn("a")).isZero();
		then(owner.fetch(1, 3)).jobs("a=[p1, p2, p3]");
	}

	@Test
	void gatheringHoldsForProducersAfterTheOwnerIsGone() {
		owner(DEBOUNCED).release();
		enqueue("a", "p1");
		assertThat(dueIn("a")).isEqualTo(100);
		owner("other");
		enqueue("b", "p1");
		assertThat(dueIn("b")).isZero();
	}

	@Test
	void gatheringBeginsAnewBehindABusyJob() {
		TestOwner owner = owner(DEBOUNCED);
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		owner.fetch(1);
		enqueue("a", "p2");
		this.clock.advanceMillis(30);
		then(owner.complete(done("a"))).next(now() + 70);
	}

	@Test
	void payloadWithATimeOfItsOwnIsNotDebounced() {
		owner(DEBOUNCED);
		enqueueIn(10, "a", "p1");
		assertThat(dueIn("a")).isEqualTo(10);
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(10);
		enqueue("b", "p1");
		enqueueIn(40, "b", "p2");
		assertThat(dueIn("b")).isEqualTo(40);
		this.clock.advanceMillis(20);
		enqueue("b", "p3");
		assertThat(dueIn("b")).isEqualTo(20);
	}

	@Test
	void performedNowEndsTheGathering() {
		TestOwner owner = owner(DEBOUNCED);
		enqueue("a", "p1");
		actions().performNow(SHARD, List.of("a"));
		enqueue("a", "p2");
		then(owner.fetch(1)).jobs("a=[p1, p2]");
	}

	@Test
	void retryIsNotDebounced() {
		TestOwner owner = owner(DEBOUNCED);
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		owner.fetch(1);
		owner.complete(retry("a", 40, "boom"));
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(40);
	}

	@Test
	void suspectIsNotDelayedByGathering() {
		TestOwner owner = owner(DEBOUNCED);
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		for (int i = 0; i < 2; i++) {
			owner.fetch(1);
			String session = "crashed-" + i;
			LeaseRequest request = LeaseRequest.afterCrash(session, owner.lease().session());
			owner = owner(session, request.with(new Gathering(DEBOUNCED, 1_000)));
		}
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		enqueue("a", "p2");
		then(owner.fetchSuspect()).jobs("a=[p1, p2]");
	}

	@Test
	void newPayloadMayMakeARetryDueNow() {
		TestOwner owner = owner(RETRY_NOW);
		fail("a", "p1", 5_000);
		enqueue("a", "p2");
		then(owner.fetchOne()).is("a=[p1, p2]").retryCount(0);
	}

	@Test
	void newPayloadWithATimeMakesARetryDueThen() {
		TestOwner owner = owner(RETRY_NOW);
		fail("a", "p1", 5_000);
		enqueueIn(70, "a", "p2");
		assertThat(dueIn("a")).isEqualTo(70);
	}

	@Test
	void newPayloadReleasesNoHoldAndHurriesNothingUnreadable() {
		TestOwner owner = owner(RETRY_NOW);
		enqueue("a", "p1");
		enqueue("b", "p1");
		owner.fetch(2);
		owner.complete(new Outcome.Hold("a", "boom"), new Outcome.Unreadable("b", 500, "unreadable"));
		enqueue("a", "p2");
		enqueue("b", "p2");
		then(owner.fetch(2)).nothing();
		thenCounts().held(1);
		assertThat(dueIn("b")).isEqualTo(500);
	}

	@Test
	void debouncedIdHurriesItsRetryWhenItHasBeenQuiet() {
		TestOwner owner = owner(
				new GatheringPolicy(Duration.ofMillis(100), Duration.ZERO, Duration.ZERO, false, false, true));
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		owner.fetch(1);
		owner.complete(retry("a", 5_000, "boom"));
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void performsOfAnIdKeepTheirDistance() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		then(owner.fetch(1)).jobs("a=[p1]");
		this.clock.advanceMillis(7);
		owner.complete(done("a"));
		this.clock.advanceMillis(10);
		enqueue("a", "p2", "p3");
		assertThat(dueIn("a")).isEqualTo(90);
		this.clock.advanceMillis(90);
		then(owner.fetch(1)).jobs("a=[p2, p3]");
	}

	@Test
	void jobBehindKeepsItsDistance() {
		owner(policy(0, 0, 100));
		TestOwner owner = performing("a", "p1");
		enqueue("a", "p2");
		then(owner.complete(done("a"))).next(now() + 100);
		enqueue("a", "p3");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void distanceIsForgottenWhenItIsOver() {
		owner(policy(0, 0, 100));
		TestOwner owner = performing("a", "p1");
		owner.complete(done("a"));
		this.clock.advanceMillis(100);
		then(owner.fetch(1)).nothing().next(FetchResult.NOTHING);
		enqueue("a", "p2");
		assertThat(listed(JobList.READY)).containsExactly("a");
	}

	@Test
	void retryKeepsItsDistance() {
		owner(new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ofMillis(100), false, false, true));
		performing("a", "p1").complete(retry("a", 40, "boom"));
		assertThat(dueIn("a")).isEqualTo(100);
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void onlyWhatWasPerformedHasToRest() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		enqueue("b", "p1", "p2");
		owner.fetch(2);
		owner.complete(returned("a"), partlyDone("b", 0), returned("b"));
		assertThat(dueIn("a")).isZero();
		assertThat(dueIn("b")).isEqualTo(100);
	}

	@Test
	void idThatRestsIsNoJob() {
		owner(policy(0, 0, 100));
		performing("a", "p1").complete(done("a"));
		thenCounts().queued(0);
		assertThat(listed(JobList.DELAYED)).isEmpty();
		assertThat(actions().performAllNow(SHARD, 10).changed()).isZero();
	}

	@Test
	void idRestsNoLongerThanItsIntervalThoughTheClockGoesBack() {
		owner(policy(0, 0, 100));
		performing("a", "p1").complete(done("a"));
		this.clock.goBackMillis(3_600_000);
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void restingIdIsNotCountedAsDelayed() {
		owner(policy(0, 0, 60_000));
		TestOwner owner = performing("a", "p1");
		then(owner.complete(done("a"))).next(FetchResult.NOTHING);
		enqueue("b", "p1");
		this.clock.advanceMillis(1_000);
		thenCounts().delayed(0);
		assertThat(listed(JobList.READY)).containsExactly("b");
		owner.fetch(1);
		owner.release(done("b"));
		thenCounts().oldest(FetchResult.NOTHING);
	}

	@Test
	void idThatRestsUnderAPolicyThatIsGoneIsNotStranded() {
		owner(policy(0, 0, 60_000));
		TestOwner owner = performing("a", "p1");
		this.clock.advanceMillis(2);
		owner.complete(done("a"));
		owner = owner("owner");
		this.clock.advanceMillis(58_997);
		enqueue("a", "p2");
		this.clock.advanceMillis(2);
		then(owner.fetch(1)).jobs("a=[p2]");
		this.clock.advanceMillis(1_999);
		then(owner.completeAndFetch(retry("a", 10, "boom"), 1)).nothing().next(now() + 10);
		this.clock.advanceMillis(10);
		then(owner.fetch(1)).jobs("a=[p2]");
		enqueue("a", "p3");
		owner.completeAndFetch(done("a"), 1);
		then(owner.fetch(1)).jobs("a=[p3]");
	}

	@Test
	void onlyTheLatestPayloadIsKept() {
		TestOwner owner = owner(LATEST);
		enqueue("a", "p1", "p2");
		enqueue("a", "old", 1);
		then(owner.fetch(1)).jobs("a=[p2]");
	}

	@Test
	void latestPayloadReplacesOneThatFailed() {
		owner(LATEST);
		TestOwner owner = performing("a", "p1");
		enqueue("a", "p2");
		owner.complete(retry("a", 40, "boom"));
		thenQueued("a").has("p2").retryCount(0);
		enqueue("a", "p3");
		thenQueued("a").has("p3");
		assertThat(dueIn("a")).isEqualTo(40);
	}

	@Test
	void laterPayloadThanThatOfTheQueueSurvivesItsFailure() {
		TestOwner owner = owner(LATEST);
		enqueue("a", "p9", 9);
		owner.fetch(1);
		enqueue("a", "p2", 2);
		owner.complete(retry("a", 40, "boom"));
		thenQueued("a").has("p9");
	}

	@Test
	void severalPayloadsFromBeforeThePolicyBecomeOne() {
		enqueue("a", "p1", "p2");
		owner(LATEST);
		enqueue("a", "p3");
		thenQueued("a").has("p3");
	}

	@Test
	void onlyTheLatestPayloadOfADeadJobIsEnqueuedAgain() {
		TestOwner owner = owner("owner");
		enqueue("a", "p1", "p2");
		enqueue("b", "p1");
		enqueue("c", "p1", "p2");
		owner.fetch(3);
		owner.complete(buried("a"), buried("b"), buried("c"));
		enqueue("b", "p3");
		enqueue("c", "p3", "p4");
		owner = owner(LATEST);
		actions().reEnqueue(SHARD, List.of("a", "b", "c"));
		thenQueued("a").has("p2");
		thenQueued("b").has("p3");
		thenQueued("c").has("p4");
		thenCounts().dead(0);
		assertThat(jobTexts(owner.fetch(3))).containsExactlyInAnyOrder("a=[p2]", "b=[p3]", "c=[p4]");
	}

	private Outcome buried(String id) {
		List<Integer> all = IntStream.range(0, busy(id).payloads().size()).boxed().toList();
		return new Outcome.PartlyDone(id, List.of(), all, "dead", true);
	}

	@Test
	void lastOfEqualPayloadsMayCount() {
		TestOwner owner = owner(EQUAL_LATEST);
		enqueue("a", "on", "off", "on");
		then(owner.fetch(1)).jobs("a=[off, on]");
	}

	@Test
	void earlierScoreOfAnEqualPayloadDoesNotCount() {
		owner(EQUAL_LATEST);
		enqueue("a", "p", 5);
		enqueue("a", "p", 3);
		thenQueued("a").has(payload("p", 5));
		enqueue("a", "q", 4);
		enqueue("a", "p", 7);
		enqueue("a", "p", 6);
		thenQueued("a").has(payload("q", 4), payload("p", 7));
	}

	@Test
	void lastOfEqualPayloadsCountsAlsoWhenTheFirstFailsOrDies() {
		TestOwner owner = owner(EQUAL_LATEST);
		enqueue("a", "on", 1);
		owner.fetch(1);
		enqueue("a", "on", 3);
		owner.complete(retry("a", 0, "boom"));
		thenQueued("a").has(payload("on", 3));
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(), List.of(0), "dead", true));
		enqueue("a", "off", 4);
		enqueue("a", "on", 5);
		actions().reEnqueue(SHARD, List.of("a"));
		thenQueued("a").has(payload("off", 4), payload("on", 5));
	}

}
