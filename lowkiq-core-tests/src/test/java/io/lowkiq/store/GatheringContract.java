package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.store.inspection.JobQuery.JobList;
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

	private long dueIn(String id) {
		return queued(id).performAt() - now();
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
		assertThat(owner.fetch(1).jobs()).isEmpty();
		this.clock.advanceMillis(1);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p1, p2]");
	}

	@Test
	void idThatIsNeverQuietIsDueAfterTheMaximumWait() {
		TestOwner owner = owner(DEBOUNCED);
		for (int i = 0; i < 5; i++) {
			enqueue("a", "p" + i);
			this.clock.advanceMillis(50);
		}
		assertThat(dueIn("a")).isZero();
		assertThat(owner.fetch(1).jobs().get(0).payloads()).hasSize(5);
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
		enqueue("a", "p1");
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
		enqueue("a", "p3");
		assertThat(dueIn("a")).isZero();
		enqueue("a", "p4");
		assertThat(dueIn("a")).isZero();
		assertThat(jobTexts(owner.fetch(1, 3))).containsExactly("a=[p1, p2, p3]");
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
		assertThat(owner.complete(new Outcome.Done("a")).next()).isEqualTo(now() + 70);
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
		this.store.actions().performNow(SHARD, List.of("a"));
		enqueue("a", "p2");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p1, p2]");
	}

	@Test
	void retryIsNotDebounced() {
		TestOwner owner = owner(DEBOUNCED);
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 40, "boom"));
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
		assertThat(jobTexts(owner.fetchSuspect())).containsExactly("a=[p1, p2]");
	}

	@Test
	void newPayloadMayMakeARetryDueNow() {
		TestOwner owner = owner(RETRY_NOW);
		fail(owner, "a", "p1", 5_000);
		enqueue("a", "p2");
		FetchedJob job = owner.fetch(1).jobs().get(0);
		assertThat(text(job)).isEqualTo("a=[p1, p2]");
		assertThat(job.retryCount()).isZero();
	}

	@Test
	void newPayloadWithATimeMakesARetryDueThen() {
		TestOwner owner = owner(RETRY_NOW);
		fail(owner, "a", "p1", 5_000);
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
		assertThat(owner.fetch(2).jobs()).isEmpty();
		assertThat(counts().held()).isEqualTo(1);
		assertThat(dueIn("b")).isEqualTo(500);
	}

	@Test
	void debouncedIdHurriesItsRetryWhenItHasBeenQuiet() {
		TestOwner owner = owner(
				new GatheringPolicy(Duration.ofMillis(100), Duration.ZERO, Duration.ZERO, false, false, true));
		enqueue("a", "p1");
		this.clock.advanceMillis(100);
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 5_000, "boom"));
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void performsOfAnIdKeepTheirDistance() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p1]");
		this.clock.advanceMillis(7);
		owner.complete(new Outcome.Done("a"));
		this.clock.advanceMillis(10);
		enqueue("a", "p2");
		enqueue("a", "p3");
		assertThat(dueIn("a")).isEqualTo(90);
		this.clock.advanceMillis(90);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2, p3]");
	}

	@Test
	void jobBehindKeepsItsDistance() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		assertThat(owner.complete(new Outcome.Done("a")).next()).isEqualTo(now() + 100);
		enqueue("a", "p3");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void distanceIsForgottenWhenItIsOver() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.Done("a"));
		this.clock.advanceMillis(100);
		FetchResult.Fetched fetched = owner.fetch(1);
		assertThat(fetched.jobs()).isEmpty();
		assertThat(fetched.next()).isEqualTo(FetchResult.NOTHING);
		enqueue("a", "p2");
		assertThat(listed(JobList.READY)).containsExactly("a");
	}

	@Test
	void retryKeepsItsDistance() {
		TestOwner owner = owner(
				new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ofMillis(100), false, false, true));
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 40, "boom"));
		assertThat(dueIn("a")).isEqualTo(100);
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void onlyWhatWasPerformedHasToRest() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		enqueue("b", "p1");
		enqueue("b", "p2");
		owner.fetch(2);
		owner.complete(new Outcome.Returned("a"), new Outcome.PartlyDone("b", List.of(0), List.of(), "", false),
				new Outcome.Returned("b"));
		assertThat(dueIn("a")).isZero();
		assertThat(dueIn("b")).isEqualTo(100);
	}

	@Test
	void idThatRestsIsNoJob() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.Done("a"));
		assertThat(counts().queued()).isZero();
		assertThat(listed(JobList.DELAYED)).isEmpty();
		assertThat(this.store.actions().performAllNow(SHARD, 10).changed()).isZero();
	}

	@Test
	void idRestsNoLongerThanItsIntervalThoughTheClockGoesBack() {
		TestOwner owner = owner(policy(0, 0, 100));
		enqueue("a", "p1");
		owner.fetch(1);
		owner.complete(new Outcome.Done("a"));
		this.clock.goBackMillis(3_600_000);
		enqueue("a", "p2");
		assertThat(dueIn("a")).isEqualTo(100);
	}

	@Test
	void restingIdIsNotCountedAsDelayed() {
		TestOwner owner = owner(policy(0, 0, 60_000));
		enqueue("a", "p1");
		owner.fetch(1);
		FetchResult.Fetched done = owner.complete(new Outcome.Done("a"));
		assertThat(done.next()).isEqualTo(FetchResult.NOTHING);
		enqueue("b", "p1");
		this.clock.advanceMillis(1_000);
		assertThat(counts().delayed()).isZero();
		assertThat(listed(JobList.READY)).containsExactly("b");
		owner.fetch(1);
		owner.release(new Outcome.Done("b"));
		assertThat(counts().oldest()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void idThatRestsUnderAPolicyThatIsGoneIsNotStranded() {
		TestOwner owner = owner(policy(0, 0, 60_000));
		enqueue("a", "p1");
		owner.fetch(1);
		this.clock.advanceMillis(2);
		owner.complete(new Outcome.Done("a"));
		owner = owner("owner");
		this.clock.advanceMillis(58_997);
		enqueue("a", "p2");
		this.clock.advanceMillis(2);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
		this.clock.advanceMillis(1_999);
		FetchResult.Fetched fetched = owner.completeAndFetch(new Outcome.Retry("a", 10, "boom"), 1);
		assertThat(fetched.jobs()).isEmpty();
		assertThat(fetched.next()).isEqualTo(now() + 10);
		this.clock.advanceMillis(10);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
		enqueue("a", "p3");
		owner.completeAndFetch(new Outcome.Done("a"), 1);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p3]");
	}

	@Test
	void onlyTheLatestPayloadIsKept() {
		TestOwner owner = owner(LATEST);
		enqueue("a", "p1");
		enqueue("a", "p2");
		enqueue("a", "old", 1);
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

	@Test
	void latestPayloadReplacesOneThatFailed() {
		TestOwner owner = owner(LATEST);
		enqueue("a", "p1");
		owner.fetch(1);
		enqueue("a", "p2");
		owner.complete(new Outcome.Retry("a", 40, "boom"));
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
		assertThat(queued("a").retryCount()).isZero();
		enqueue("a", "p3");
		assertThat(texts(queued("a").payloads())).containsExactly("p3");
		assertThat(dueIn("a")).isEqualTo(40);
	}

	@Test
	void laterPayloadThanThatOfTheQueueSurvivesItsFailure() {
		TestOwner owner = owner(LATEST);
		enqueue("a", "p9", 9);
		owner.fetch(1);
		enqueue("a", "p2", 2);
		owner.complete(new Outcome.Retry("a", 40, "boom"));
		assertThat(texts(queued("a").payloads())).containsExactly("p9");
	}

	@Test
	void severalPayloadsFromBeforeThePolicyBecomeOne() {
		enqueue("a", "p1");
		enqueue("a", "p2");
		owner(LATEST);
		enqueue("a", "p3");
		assertThat(texts(queued("a").payloads())).containsExactly("p3");
	}

	@Test
	void onlyTheLatestPayloadOfADeadJobIsEnqueuedAgain() {
		TestOwner owner = owner("owner");
		enqueue("a", "p1");
		enqueue("a", "p2");
		enqueue("b", "p1");
		enqueue("c", "p1");
		enqueue("c", "p2");
		owner.fetch(3);
		owner.complete(buried("a"), buried("b"), buried("c"));
		enqueue("b", "p3");
		enqueue("c", "p3");
		enqueue("c", "p4");
		owner = owner(LATEST);
		this.store.actions().reEnqueue(SHARD, List.of("a", "b", "c"));
		assertThat(texts(queued("a").payloads())).containsExactly("p2");
		assertThat(texts(queued("b").payloads())).containsExactly("p3");
		assertThat(texts(queued("c").payloads())).containsExactly("p4");
		assertThat(counts().dead()).isZero();
		assertThat(jobTexts(owner.fetch(3))).containsExactlyInAnyOrder("a=[p2]", "b=[p3]", "c=[p4]");
	}

	private Outcome buried(String id) {
		List<Integer> all = IntStream.range(0, busy(id).payloads().size()).boxed().toList();
		return new Outcome.PartlyDone(id, List.of(), all, "dead", true);
	}

	@Test
	void lastOfEqualPayloadsMayCount() {
		TestOwner owner = owner(EQUAL_LATEST);
		enqueue("a", "on");
		enqueue("a", "off");
		enqueue("a", "on");
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[off, on]");
	}

	@Test
	void earlierScoreOfAnEqualPayloadDoesNotCount() {
		owner(EQUAL_LATEST);
		enqueue("a", "p", 5);
		enqueue("a", "p", 3);
		assertThat(queued("a").payloads()).containsExactly(payload("p", 5));
		enqueue("a", "q", 4);
		enqueue("a", "p", 7);
		enqueue("a", "p", 6);
		assertThat(queued("a").payloads()).containsExactly(payload("q", 4), payload("p", 7));
	}

	@Test
	void lastOfEqualPayloadsCountsAlsoWhenTheFirstFailsOrDies() {
		TestOwner owner = owner(EQUAL_LATEST);
		enqueue("a", "on", 1);
		owner.fetch(1);
		enqueue("a", "on", 3);
		owner.complete(new Outcome.Retry("a", 0, "boom"));
		assertThat(queued("a").payloads()).containsExactly(payload("on", 3));
		owner.fetch(1);
		owner.complete(new Outcome.PartlyDone("a", List.of(), List.of(0), "dead", true));
		enqueue("a", "off", 4);
		enqueue("a", "on", 5);
		this.store.actions().reEnqueue(SHARD, List.of("a"));
		assertThat(queued("a").payloads()).containsExactly(payload("off", 4), payload("on", 5));
	}

}
