package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;

/** Leases, fencing and uncertain answers (I5, I6, rule 8). */
abstract class OwnershipContract extends StoreContract {

	private static final Fetch ONE = new Fetch(1, 1_000, false);

	private FetchResult raw(Lease lease, long number, int busy) {
		return this.store.shards().completeAndFetch(lease, number, busy, List.of(), ONE).join();
	}

	@Test
	void freeShardIsGivenToTheFirstWhoAsks() {
		assertThat(acquire(LeaseRequest.forFreeShard("s")))
			.isEqualTo(new Acquisition.Acquired(new Lease(SHARD, "s", now() * 1_000), 0, false, FetchResult.NOTHING,
					FetchResult.NOTHING, now(), 0, LastCall.NONE));
	}

	@Test
	void heldShardIsNotGivenToAnother() {
		TestOwner owner = performing("a", "p");
		assertThat(acquire(LeaseRequest.forFreeShard("t"))).isEqualTo(new Acquisition.Held("s", owner.lease().epoch()));
		assertThat(isBusy("a")).isTrue();
		assertThat(owner.call(List.of(done("a")), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void requestAgainstTheWrongSessionGetsNothing() {
		owner("s");
		assertThat(acquire(LeaseRequest.afterCrash("t", "u"))).isInstanceOf(Acquisition.Held.class);
		assertThat(acquire(LeaseRequest.afterLapse("t", "u"))).isInstanceOf(Acquisition.Held.class);
		assertThat(acquire(LeaseRequest.toRenew(new Lease(SHARD, "t", counts().epoch()), 1)))
			.isInstanceOf(Acquisition.Held.class);
		thenCounts().session("s");
	}

	@Test
	void requestAgainstAnEndedSessionGetsAFreeShardToo() {
		assertThat(acquire(LeaseRequest.afterCrash("t", "u"))).isInstanceOf(Acquisition.Acquired.class);
	}

	/** A failover may have forgotten that the session released it. */
	@Test
	void sessionThatMayHoldAShardWithoutKnowingGetsItOnlyIfItDoes() {
		assertThat(acquire(LeaseRequest.ifHeld("s"))).isEqualTo(new Acquisition.Free());
		TestOwner owner = performing("a", "p");
		assertThat(acquire(LeaseRequest.ifHeld("t"))).isEqualTo(new Acquisition.Held("s", owner.lease().epoch()));
		assertThat(isBusy("a")).isTrue();
		Acquisition.Acquired again = (Acquisition.Acquired) acquire(LeaseRequest.ifHeld("s"));
		assertThat(again.restored()).isEqualTo(1);
		assertThat(again.lease().epoch()).isGreaterThan(owner.lease().epoch());
	}

	@Test
	void epochGrowsWithEachLeaseAlthoughTheClockStandsStillOrGoesBack() {
		long first = owner("s").lease().epoch();
		TestOwner owner = owner("s", LeaseRequest.forFreeShard("s"));
		long second = owner.lease().epoch();
		assertThat(second).isGreaterThan(first);
		owner.release();
		this.clock.goBackMillis(10_000);
		assertThat(owner("t").lease().epoch()).isGreaterThan(second);
	}

	/** The store may have forgotten it. */
	@Test
	void epochIsLargerThanTheOneThatTheRequestKnowsOf() {
		long known = now() * 1_000 + 5_000_000;
		assertThat(epoch(acquire(LeaseRequest.forFreeShard("s").after(known)))).isGreaterThan(known);
	}

	/** A failover may forget the first of the two leases. */
	@Test
	void slowerClockGivesDifferentEpochsAtDifferentTimes() {
		Shard other = new Shard(SHARD.queue(), SHARD.generation(), 1);
		List.of(SHARD, other)
			.forEach((shard) -> this.store.shards().acquire(shard, LeaseRequest.forFreeShard("s")).join());
		this.clock.goBackMillis(10_000);
		Acquisition one = acquire(LeaseRequest.forFreeShard("s"));
		this.clock.advanceMillis(1);
		Acquisition two = this.store.shards().acquire(other, LeaseRequest.forFreeShard("s")).join();
		assertThat(epoch(one)).isNotEqualTo(epoch(two));
	}

	private static long epoch(Acquisition acquisition) {
		return ((Acquisition.Acquired) acquisition).lease().epoch();
	}

	@Test
	void epochIsTheStoresTimeInMicrosecondsWhenThatIsLater() {
		owner("s").release();
		this.clock.advanceMillis(5_000);
		assertThat(owner("t").lease().epoch()).isEqualTo(now() * 1_000);
	}

	@Test
	void answerSaysWhenTheNextJobIsDue() {
		enqueueIn(5_000, "a", "p");
		then(acquire(LeaseRequest.forFreeShard("s"))).next(now() + 5_000);
	}

	@Test
	void answerSaysNothingOfAPausedShard() {
		enqueue("a", "p");
		actions().pause(SHARD, true);
		assertThat(((Acquisition.Acquired) acquire(LeaseRequest.forFreeShard("s"))).next())
			.isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void countsNameTheOwner() {
		thenCounts().session(null).epoch(0).since(0);
		TestOwner owner = owner("s");
		thenCounts().session("s").epoch(owner.lease().epoch()).since(now());
		long epoch = owner.lease().epoch();
		owner.release();
		thenCounts().session(null).epoch(epoch).since(0);
	}

	@Test
	void earlierEpochIsFencedAndChangesNothing() {
		TestOwner old = owner("s");
		enqueueEach("a", "b");
		old.fetch(1);
		TestOwner owner = crashTo("t");
		assertThat(old.call(List.of(done("a")), ONE)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(old.call(List.of(buried("a", "e")), Fetch.NONE)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(old.release(done("a"))).isFalse();
		thenCounts().processed(0).fresh(2).busy(0).session("t");
		assertThat(owner.call(List.of(), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void earlierEpochOfTheSameSessionIsFenced() {
		TestOwner old = owner("s");
		owner("s", LeaseRequest.forFreeShard("s"));
		assertThat(old.call(List.of(), ONE)).isInstanceOf(FetchResult.Fenced.class);
	}

	@Test
	void otherSessionWithTheCurrentEpochIsFenced() {
		Lease forged = new Lease(SHARD, "t", owner("s").lease().epoch());
		assertThat(raw(forged, 1, 0)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(this.store.shards().release(forged, 1, List.of()).join()).isFalse();
		thenCounts().session("s");
	}

	@Test
	void ownerOfAFreedShardIsFenced() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.release();
		assertThat(owner.call(List.of(), ONE)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(owner.release()).isFalse();
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void sequenceNumberThatWasAppliedChangesNothing() {
		TestOwner owner = owner("s");
		enqueueEach("a", "b");
		owner.fetch(1);
		assertThat(owner.call(owner.lastSequence(), 1, List.of(done("a")), ONE))
			.isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(isBusy("a")).isTrue();
		assertThat(isBusy("b")).isFalse();
		thenCounts().processed(0);
	}

	@Test
	void smallerSequenceNumberThanOneThatWasAppliedChangesNothing() {
		TestOwner owner = owner("s");
		owner.fetch(0);
		owner.fetch(0);
		enqueue("a", "p");
		assertThat(owner.call(1, owner.busy(), List.of(), ONE)).isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(isBusy("a")).isFalse();
		assertThat(owner.call(3, 0, List.of(), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void callAfterOneThatTheStoreDoesNotKnowChangesNothing() {
		TestOwner owner = owner("s");
		enqueueEach("a", "b");
		owner.fetch(1);
		long afterLost = owner.lastSequence() + 2;
		assertThat(owner.call(afterLost, 1, List.of(done("a")), ONE)).isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(isBusy("a")).isTrue();
		assertThat(isBusy("b")).isFalse();
		then(owner.again(afterLost)).kept(false).restored(1);
		assertThat(isQueued("a")).isTrue();
	}

	/** Of an answered call, a smaller one means that Redis has forgotten it. */
	@Test
	void refusedCallAndTheNextLeaseNameTheLastCallThatTheShardKnows() {
		TestOwner owner = owner("s");
		owner.fetch(0);
		owner.fetch(1);
		Lease lease = owner.lease();
		LastCall last = new LastCall(lease.epoch(), 2, now());
		this.clock.advanceMillis(1_000);
		assertThat(raw(lease, 2, 0)).as("repeated").isEqualTo(new FetchResult.OutOfStep(last));
		assertThat(raw(lease, 4, 0)).as("after one that is not known").isEqualTo(new FetchResult.OutOfStep(last));
		assertThat(raw(new Lease(SHARD, "t", lease.epoch()), 3, 0)).isEqualTo(new FetchResult.Fenced(last));
		assertThat(((Acquisition.Acquired) acquire(LeaseRequest.afterLapse("t", "s"))).before()).isEqualTo(last);
		LastCall taken = new LastCall(counts().epoch(), 0, now());
		assertThat(raw(lease, 3, 0)).isEqualTo(new FetchResult.Fenced(taken));
		assertThat(last.isBefore(taken)).isTrue();
		assertThat(last.isBefore(last)).isFalse();
	}

	@Test
	void sequenceNumbersBeginAgainWithEachLease() {
		TestOwner owner = owner("s");
		owner.fetch(0);
		owner.again(owner.lastSequence());
		assertThat(owner.call(1, owner.busy(), List.of(), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void uncertainCallThatWasNotAppliedLeavesTheBusyJobsBusy() {
		TestOwner owner = performing("a", "p");
		Lease old = owner.lease();
		long uncertain = owner.lastSequence() + 1;
		then(owner.again(uncertain)).kept(true).restored(0);
		assertThat(isBusy("a")).isTrue();
		assertThat(raw(old, uncertain, 1)).isInstanceOf(FetchResult.Fenced.class);
		owner.complete(done("a"));
		thenCounts().processed(1);
	}

	@Test
	void uncertainCallThatWasAppliedHasItsFetchedJobsRestored() {
		TestOwner owner = owner("s");
		enqueueEach("a", "b");
		owner.fetch(1);
		owner.completeAndFetch(done("a"), 1);
		then(owner.again(owner.lastSequence())).kept(false).restored(1).next(now());
		thenCounts().processed(1);
		assertThat(isBusy("b")).isFalse();
		thenQueued("b").crashes(0);
	}

	@Test
	void requestForAnEarlierLeaseThatComesLateHidesNothingThatWasFetchedMeanwhile() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		LeaseRequest late = LeaseRequest.toRenew(owner.lease(), owner.lastSequence() + 5);
		owner.again(owner.lastSequence() + 1);
		owner.fetch(1);
		LeaseRequest own = LeaseRequest.toRenew(owner.lease(), owner.lastSequence());
		assertThat(acquire(late)).isInstanceOf(Acquisition.Acquired.class);
		then(acquire(own)).kept(false);
		assertThat(isQueued("a")).isTrue();
		assertThat(isBusy("a")).isFalse();
	}

	@Test
	void ownRequestWithoutASequenceNumberRestoresInAnyCase() {
		then(performing("a", "p").again(0)).kept(false).restored(1);
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void takeOverRestoresAlthoughASequenceNumberIsGiven() {
		performing("a", "p");
		then(acquire(new LeaseRequest("t", "s", false, counts().epoch(), 99))).kept(false).restored(1);
	}

	@Test
	void restoredJobKeepsPerformAtRetryCountAndError() {
		TestOwner owner = owner("s");
		fail("a", "p", 1_000);
		this.clock.advanceMillis(3_000);
		owner.fetch(1);
		lapseTo("t");
		thenQueued("a").performAt(now() - 2_000).retryCount(0).error("failed a");
		thenCounts().retry(1).failed(1);
	}

	@Test
	void restoredJobMergesWithWhatWasQueuedMeanwhileAndItsOwnValuesStand() {
		TestOwner owner = owner("s");
		fail("a", "p2", 0);
		owner.fetch(1);
		long performAt = busy("a").performAt();
		this.clock.advanceMillis(100);
		enqueue("a", "p3");
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		lapseTo("t");
		JobView job = queued("a");
		assertThat(job.payloads()).startsWith(payload("p1", 1), payload("p2", 2));
		then(job).has("p1", "p2", "p3").performAt(performAt).retryCount(0).error("failed a");
		thenCounts().retry(1).fresh(0);
	}

	@Test
	void restoreRejoinsWhatTheLimitOfPayloadsCut() {
		TestOwner owner = owner("s");
		enqueue("a", "p1", "p2");
		owner.fetch(1, 1);
		lapseTo("t");
		thenQueued("a").has("p1", "p2");
	}

	@Test
	void releaseAppliesTheOutcomesAndRestoresTheRestUnmarked() {
		assertThat(performingEach("a", "b").release(done("a"))).isTrue();
		thenCounts().processed(1).busy(0);
		thenQueued("b").crashes(0).retryCount(-1);
		assertThat(acquire(LeaseRequest.forFreeShard("t"))).isInstanceOf(Acquisition.Acquired.class);
	}

	@Test
	void repeatedReleaseChangesNothing() {
		TestOwner owner = owner("s");
		assertThat(owner.release()).isTrue();
		TestOwner next = owner("t");
		assertThat(owner.release()).isFalse();
		thenCounts().session("t");
		assertThat(next.call(List.of(), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void wrongNumberOfBusyJobsChangesNothing() {
		TestOwner owner = owner("s");
		enqueueEach("a", "b", "c");
		owner.fetch(2);
		for (int busy : new int[] { 0, 1, 3 }) {
			assertThat(owner.call(owner.lastSequence() + 1, busy, List.of(done("a")), ONE))
				.isInstanceOf(FetchResult.OutOfStep.class);
		}
		assertThat(listed(JobList.BUSY)).containsExactlyInAnyOrder("a", "b");
		assertThat(isQueued("c")).isTrue();
		thenCounts().processed(0);
		assertThat(owner.call(List.of(done("a")), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void callThatIsOutOfStepDoesNotCount() {
		TestOwner owner = owner("s");
		long number = owner.lastSequence() + 1;
		assertThat(owner.call(number, 1, List.of(), ONE)).isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(owner.call(number + 1, 0, List.of(), ONE)).isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(owner.call(number, 0, List.of(), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void restoreLeavesNoJobBehind() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("b", "p1");
		owner.fetch(2);
		enqueue("a", "p2");
		enqueueIn(60_000, "b", "p2");
		long performAt = busy("b").performAt();
		TestOwner next = lapseTo("t");
		thenCounts().busy(0);
		assertThat(listed(JobList.DELAYED)).containsExactly("a", "b");
		thenQueued("b").performAt(performAt);
		then(next.fetch(10)).jobs("a=[p1, p2]", "b=[p1, p2]");
	}

	@Test
	void keptJobsHoldBackTheirIdsUnderTheNewLease() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("b", "p1");
		owner.fetch(2);
		enqueue("a", "p2");
		then(owner.again(owner.lastSequence() + 1)).kept(true).next(FetchResult.NOTHING);
		then(owner.fetch(10)).nothing();
		owner.complete(done("a"), done("b"));
		then(owner.fetch(10)).jobs("a=[p2]");
	}

	@Test
	void releaseWithANumberThatWasAppliedChangesNothing() {
		TestOwner owner = performing("a", "p");
		Boolean released = this.store.shards().release(owner.lease(), owner.lastSequence(), List.of(done("a"))).join();
		assertThat(released).isFalse();
		assertThat(isBusy("a")).isTrue();
		thenCounts().session("s");
	}

	@Test
	void releaseMayPassOverNumbers() {
		TestOwner owner = performing("a", "p");
		assertThat(this.store.shards().release(owner.lease(), owner.lastSequence() + 7, List.of()).join()).isTrue();
		thenCounts().session(null);
		assertThat(isQueued("a")).isTrue();
	}

}
