package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;

/**
 * Leases, fencing and uncertain answers (I5, I6, rule 8).
 */
abstract class OwnershipContract extends StoreContract {

	private static final Fetch ONE = new Fetch(1, 1_000, false);

	private Acquisition acquire(LeaseRequest request) {
		return this.store.shards().acquire(SHARD, request).join();
	}

	private FetchResult raw(Lease lease, long number, int busy) {
		return this.store.shards().completeAndFetch(lease, number, busy, List.of(), ONE).join();
	}

	@Test
	void freeShardIsGivenToTheFirstWhoAsks() {
		Acquisition.Acquired acquired = (Acquisition.Acquired) acquire(LeaseRequest.forFreeShard("s"));
		assertThat(acquired.lease()).isEqualTo(new Lease(SHARD, "s", now() * 1_000));
		assertThat(acquired.restored()).isZero();
		assertThat(acquired.kept()).isFalse();
		assertThat(acquired.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(acquired.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(acquired.now()).isEqualTo(now());
	}

	@Test
	void heldShardIsNotGivenToAnother() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		assertThat(acquire(LeaseRequest.forFreeShard("t"))).isEqualTo(new Acquisition.Held("s", owner.lease().epoch()));
		assertThat(isBusy("a")).isTrue();
		assertThat(owner.call(List.of(new Outcome.Done("a")), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void requestAgainstTheWrongSessionGetsNothing() {
		owner("s");
		assertThat(acquire(LeaseRequest.afterCrash("t", "u"))).isInstanceOf(Acquisition.Held.class);
		assertThat(acquire(LeaseRequest.afterLapse("t", "u"))).isInstanceOf(Acquisition.Held.class);
		assertThat(acquire(LeaseRequest.toRenew(new Lease(SHARD, "t", counts().epoch()), 1)))
			.isInstanceOf(Acquisition.Held.class);
		assertThat(counts().session()).isEqualTo("s");
	}

	@Test
	void requestAgainstAnEndedSessionGetsAFreeShardToo() {
		assertThat(acquire(LeaseRequest.afterCrash("t", "u"))).isInstanceOf(Acquisition.Acquired.class);
	}

	/** A failover may have forgotten that the session released it. */
	@Test
	void sessionThatMayHoldAShardWithoutKnowingGetsItOnlyIfItDoes() {
		assertThat(acquire(LeaseRequest.ifHeld("s"))).isEqualTo(new Acquisition.Free());
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
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
		Acquisition one = this.store.shards().acquire(SHARD, LeaseRequest.forFreeShard("s")).join();
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
		Acquisition.Acquired acquired = (Acquisition.Acquired) acquire(LeaseRequest.forFreeShard("s"));
		assertThat(acquired.next()).isEqualTo(now() + 5_000);
	}

	@Test
	void answerSaysNothingOfAPausedShard() {
		enqueue("a", "p");
		this.store.actions().pause(SHARD, true);
		assertThat(((Acquisition.Acquired) acquire(LeaseRequest.forFreeShard("s"))).next())
			.isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void countsNameTheOwner() {
		assertThat(counts().session()).isNull();
		assertThat(counts().epoch()).isZero();
		assertThat(counts().since()).isZero();
		TestOwner owner = owner("s");
		assertThat(counts().session()).isEqualTo("s");
		assertThat(counts().epoch()).isEqualTo(owner.lease().epoch());
		assertThat(counts().since()).isEqualTo(now());
		long epoch = owner.lease().epoch();
		owner.release();
		assertThat(counts().session()).isNull();
		assertThat(counts().epoch()).isEqualTo(epoch);
		assertThat(counts().since()).isZero();
	}

	@Test
	void earlierEpochIsFencedAndChangesNothing() {
		TestOwner old = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		old.fetch(1);
		TestOwner owner = owner("t", LeaseRequest.afterCrash("t", "s"));
		assertThat(old.call(List.of(new Outcome.Done("a")), ONE)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(old.call(List.of(buried("a", "e")), Fetch.NONE)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(old.release(new Outcome.Done("a"))).isFalse();
		assertThat(counts().processed()).isZero();
		assertThat(counts().fresh()).isEqualTo(2);
		assertThat(counts().busy()).isZero();
		assertThat(counts().session()).isEqualTo("t");
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
		TestOwner owner = owner("s");
		Lease forged = new Lease(SHARD, "t", owner.lease().epoch());
		assertThat(raw(forged, 1, 0)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(this.store.shards().release(forged, 1, List.of()).join()).isFalse();
		assertThat(counts().session()).isEqualTo("s");
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
		enqueue("a", "p");
		enqueue("b", "p");
		owner.fetch(1);
		assertThat(owner.call(owner.lastSequence(), 1, List.of(new Outcome.Done("a")), ONE))
			.isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(isBusy("a")).isTrue();
		assertThat(isBusy("b")).isFalse();
		assertThat(counts().processed()).isZero();
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
		enqueue("a", "p");
		enqueue("b", "p");
		owner.fetch(1);
		long afterLost = owner.lastSequence() + 2;
		assertThat(owner.call(afterLost, 1, List.of(new Outcome.Done("a")), ONE))
			.isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(isBusy("a")).isTrue();
		assertThat(isBusy("b")).isFalse();
		Acquisition.Acquired acquired = owner.again(afterLost);
		assertThat(acquired.kept()).isFalse();
		assertThat(acquired.restored()).isEqualTo(1);
		assertThat(isQueued("a")).isTrue();
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
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		Lease old = owner.lease();
		long uncertain = owner.lastSequence() + 1;
		Acquisition.Acquired acquired = owner.again(uncertain);
		assertThat(acquired.kept()).isTrue();
		assertThat(acquired.restored()).isZero();
		assertThat(isBusy("a")).isTrue();
		assertThat(raw(old, uncertain, 1)).isInstanceOf(FetchResult.Fenced.class);
		owner.complete(new Outcome.Done("a"));
		assertThat(counts().processed()).isEqualTo(1);
	}

	@Test
	void uncertainCallThatWasAppliedHasItsFetchedJobsRestored() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		owner.fetch(1);
		owner.completeAndFetch(new Outcome.Done("a"), 1);
		Acquisition.Acquired acquired = owner.again(owner.lastSequence());
		assertThat(acquired.kept()).isFalse();
		assertThat(acquired.restored()).isEqualTo(1);
		assertThat(acquired.next()).isEqualTo(now());
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(isBusy("b")).isFalse();
		assertThat(queued("b").crashes()).isZero();
	}

	@Test
	void requestForAnEarlierLeaseThatComesLateHidesNothingThatWasFetchedMeanwhile() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		LeaseRequest late = LeaseRequest.toRenew(owner.lease(), owner.lastSequence() + 5);
		owner.again(owner.lastSequence() + 1);
		owner.fetch(1);
		LeaseRequest own = LeaseRequest.toRenew(owner.lease(), owner.lastSequence());
		assertThat(this.store.shards().acquire(SHARD, late).join()).isInstanceOf(Acquisition.Acquired.class);
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.shards().acquire(SHARD, own).join();
		assertThat(acquired.kept()).isFalse();
		assertThat(isQueued("a")).isTrue();
		assertThat(isBusy("a")).isFalse();
	}

	@Test
	void ownRequestWithoutASequenceNumberRestoresInAnyCase() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		Acquisition.Acquired acquired = owner.again(0);
		assertThat(acquired.kept()).isFalse();
		assertThat(acquired.restored()).isEqualTo(1);
		assertThat(isQueued("a")).isTrue();
	}

	@Test
	void takeOverRestoresAlthoughASequenceNumberIsGiven() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		Acquisition.Acquired acquired = (Acquisition.Acquired) acquire(
				new LeaseRequest("t", "s", false, counts().epoch(), 99));
		assertThat(acquired.kept()).isFalse();
		assertThat(acquired.restored()).isEqualTo(1);
	}

	@Test
	void restoredJobKeepsPerformAtRetryCountAndError() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p", 1_000);
		this.clock.advanceMillis(3_000);
		owner.fetch(1);
		owner("t", LeaseRequest.afterLapse("t", "s"));
		JobView job = queued("a");
		assertThat(job.performAt()).isEqualTo(now() - 2_000);
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
		assertThat(counts().retry()).isEqualTo(1);
		assertThat(counts().failed()).isEqualTo(1);
	}

	@Test
	void restoredJobMergesWithWhatWasQueuedMeanwhileAndItsOwnValuesStand() {
		TestOwner owner = owner("s");
		fail(owner, "a", "p2", 0);
		owner.fetch(1);
		long performAt = busy("a").performAt();
		this.clock.advanceMillis(100);
		enqueue("a", "p3");
		enqueue("a", "p1", 1);
		enqueue("a", "p2", 2);
		owner("t", LeaseRequest.afterLapse("t", "s"));
		JobView job = queued("a");
		assertThat(job.payloads()).startsWith(payload("p1", 1), payload("p2", 2));
		assertThat(texts(job.payloads())).containsExactly("p1", "p2", "p3");
		assertThat(job.performAt()).isEqualTo(performAt);
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("failed a");
		assertThat(counts().retry()).isEqualTo(1);
		assertThat(counts().fresh()).isZero();
	}

	@Test
	void restoreRejoinsWhatTheLimitOfPayloadsCut() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("a", "p2");
		owner.fetch(1, 1);
		owner("t", LeaseRequest.afterLapse("t", "s"));
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2");
	}

	@Test
	void releaseAppliesTheOutcomesAndRestoresTheRestUnmarked() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		owner.fetch(2);
		assertThat(owner.release(new Outcome.Done("a"))).isTrue();
		assertThat(counts().processed()).isEqualTo(1);
		assertThat(counts().busy()).isZero();
		assertThat(queued("b").crashes()).isZero();
		assertThat(queued("b").retryCount()).isEqualTo(-1);
		assertThat(acquire(LeaseRequest.forFreeShard("t"))).isInstanceOf(Acquisition.Acquired.class);
	}

	@Test
	void repeatedReleaseChangesNothing() {
		TestOwner owner = owner("s");
		assertThat(owner.release()).isTrue();
		TestOwner next = owner("t");
		assertThat(owner.release()).isFalse();
		assertThat(counts().session()).isEqualTo("t");
		assertThat(next.call(List.of(), ONE)).isInstanceOf(FetchResult.Fetched.class);
	}

	@Test
	void wrongNumberOfBusyJobsChangesNothing() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p");
		owner.fetch(2);
		for (int busy : new int[] { 0, 1, 3 }) {
			assertThat(owner.call(owner.lastSequence() + 1, busy, List.of(new Outcome.Done("a")), ONE))
				.isInstanceOf(FetchResult.OutOfStep.class);
		}
		assertThat(listed(JobList.BUSY)).containsExactlyInAnyOrder("a", "b");
		assertThat(isQueued("c")).isTrue();
		assertThat(counts().processed()).isZero();
		assertThat(owner.call(List.of(new Outcome.Done("a")), ONE)).isInstanceOf(FetchResult.Fetched.class);
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
		TestOwner next = owner("t", LeaseRequest.afterLapse("t", "s"));
		assertThat(counts().busy()).isZero();
		assertThat(listed(JobList.DELAYED)).containsExactly("a", "b");
		assertThat(queued("b").performAt()).isEqualTo(performAt);
		assertThat(jobTexts(next.fetch(10))).containsExactly("a=[p1, p2]", "b=[p1, p2]");
	}

	@Test
	void keptJobsHoldBackTheirIdsUnderTheNewLease() {
		TestOwner owner = owner("s");
		enqueue("a", "p1");
		enqueue("b", "p1");
		owner.fetch(2);
		enqueue("a", "p2");
		Acquisition.Acquired acquired = owner.again(owner.lastSequence() + 1);
		assertThat(acquired.kept()).isTrue();
		assertThat(acquired.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(owner.fetch(10).jobs()).isEmpty();
		owner.complete(new Outcome.Done("a"), new Outcome.Done("b"));
		assertThat(jobTexts(owner.fetch(10))).containsExactly("a=[p2]");
	}

	@Test
	void releaseWithANumberThatWasAppliedChangesNothing() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		Boolean released = this.store.shards()
			.release(owner.lease(), owner.lastSequence(), List.of(new Outcome.Done("a")))
			.join();
		assertThat(released).isFalse();
		assertThat(isBusy("a")).isTrue();
		assertThat(counts().session()).isEqualTo("s");
	}

	@Test
	void releaseMayPassOverNumbers() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		assertThat(this.store.shards().release(owner.lease(), owner.lastSequence() + 7, List.of()).join()).isTrue();
		assertThat(counts().session()).isNull();
		assertThat(isQueued("a")).isTrue();
	}

}
