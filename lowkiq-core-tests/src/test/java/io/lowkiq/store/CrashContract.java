package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.inspection.JobQuery.JobList;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;

/** Crash marks, suspects and poison pills (rule 8, I8). */
abstract class CrashContract extends OwnedShardContract {

	@Test
	void crashMarksEveryBusyJob() {
		enqueueEach("a", "b", "c");
		this.owner.fetch(2);
		then(acquire(LeaseRequest.afterCrash("t", "s"))).restored(2).next(now()).nextSuspect(FetchResult.NOTHING);
		thenQueued("a").crashes(1);
		thenQueued("b").crashes(1);
		thenQueued("c").crashes(0);
	}

	@Test
	void crashOfAnEarlierSessionOfTheSameNodeMarksNothing() {
		performing("a", "p");
		lapseTo("t");
		thenQueued("a").crashes(0);
	}

	@Test
	void ownBusyJobsAreNotMarkedByARequestAgainstAnother() {
		performing("a", "p");
		this.owner.acquire(LeaseRequest.afterCrash("s", "t"));
		thenQueued("a").crashes(0);
	}

	@Test
	void crashCostsNoRetryAndCountsNoFailure() {
		crash("a", 2, "p");
		thenQueued("a").retryCount(-1);
		thenCounts().failed(0);
	}

	@Test
	void jobOfOneCrashIsNoSuspect() {
		crash("a", 1, "p");
		thenQueued("a").crashes(1);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		assertThat(listed(JobList.SUSPECTS)).isEmpty();
		then(this.owner.fetch(10)).ids("a");
	}

	@Test
	void jobIsASuspectFromTheSecondCrashOn() {
		crash("a", ShardStore.SUSPECT_AFTER, "p");
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		assertThat(listed(JobList.DELAYED)).isEmpty();
		then(this.owner.fetch(10)).nothing();
		then(this.owner.fetchSuspect()).ids("a");
	}

	@Test
	void plainFetchPassesSuspectsOver() {
		crash("a", 2, "p");
		enqueue("b", "p");
		then(this.owner.fetch(10)).jobs("b=[p]").next(FetchResult.NOTHING).nextSuspect(now());
	}

	@Test
	void dueSuspectIsFetchedBeforeAllOthersAndNoOtherSuspectWithIt() {
		enqueueEach("a", "b");
		for (int i = 1; i <= 2; i++) {
			then(this.owner.fetch(2)).ids("a", "b");
			crashTo("s-" + i);
		}
		enqueueIn(-1_000, "early", "p");
		enqueueEach("ready", "more");
		FetchResult.Fetched fetched = this.owner.applied(List.of(), new Fetch(3, 1_000, true));
		then(fetched).ids("a", "early", "ready").nextSuspect(now());
		assertThat(fetched.jobs().get(0).crashes()).isEqualTo(2);
		then(this.owner.applied(List.of(), new Fetch(1, 1_000, true))).ids("b");
		then(this.owner.fetchSuspect()).ids("more");
	}

	@Test
	void suspectThatIsNotDueLetsTheOthersGo() {
		performing("a", "p");
		this.owner.complete(retryAsSuspect("a", 1_000, "out of memory"));
		enqueueEach("b", "c");
		then(this.owner.fetchSuspect()).ids("b", "c").nextSuspect(now() + 1_000);
	}

	@Test
	void suspectThatIsDoneIsClear() {
		crash("a", 2, "p1");
		this.owner.fetchSuspect();
		this.owner.complete(done("a"));
		enqueue("a", "p2");
		thenQueued("a").crashes(0);
		then(this.owner.fetch(1)).jobs("a=[p2]");
	}

	@Test
	void suspectThatFailsIsClear() {
		crash("a", 3, "p");
		this.owner.fetchSuspect();
		this.owner.complete(retry("a", 0, "e"));
		thenQueued("a").crashes(0);
		then(this.owner.fetch(1)).ids("a");
	}

	@Test
	void restOfASuspectThatIsBuriedIsClear() {
		crash("a", 3, "p1", "p2");
		this.owner.fetchSuspect();
		this.owner.complete(buried("a", "e"), returned("a"));
		thenQueued("a").crashes(0);
	}

	@Test
	void payloadsThatASuspectLeavesQueuedAreClear() {
		crash("a", 2, "p1", "p2");
		this.owner.applied(List.of(), new Fetch(1, 1, true));
		thenQueued("a").crashes(0);
		thenBusy("a").crashes(2);
	}

	@Test
	void transferKeepsTheMarks() {
		crash("a", 2, "p");
		this.owner.fetchSuspect();
		this.owner.release();
		thenQueued("a").crashes(2);
		owner("t");
		this.owner.fetchSuspect();
		this.owner.again(this.owner.lastSequence());
		thenQueued("a").crashes(2);
	}

	@Test
	void restoredSuspectStaysOneWhenItMerges() {
		crash("a", 2, "p1");
		this.owner.fetchSuspect();
		enqueue("a", "p2");
		this.owner.release();
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		thenQueued("a").crashes(2).has("p1", "p2");
	}

	@Test
	void jobIsQueuedAfterAsManyCrashesAsAreAllowed() {
		crash("a", ShardStore.MAX_CRASHES, "p");
		thenQueued("a").crashes(ShardStore.MAX_CRASHES);
		assertThat(isDead("a")).isFalse();
	}

	@Test
	void jobOfMoreCrashesGoesToTheMorgueAsAPoisonPill() {
		crash("a", ShardStore.MAX_CRASHES, "p1", "p2");
		assertThat(this.owner.fetchSuspect().jobs()).hasSize(1);
		enqueue("a", "p3");
		this.clock.advanceMillis(1_000);
		then(acquire(LeaseRequest.afterCrash("t", "crashing-3"))).restored(0).nextSuspect(FetchResult.NOTHING);
		thenDead("a").has("p1", "p2").error(ShardStore.POISON_PILL).performAt(now());
		thenQueued("a").has("p3").crashes(0);
		thenCounts().failed(0).busy(0);
	}

	@Test
	void jobThatIsPutOnHoldWhileItIsBusyIsNoPoisonPill() {
		crash("a", ShardStore.MAX_CRASHES, "p");
		this.owner.fetchSuspect();
		actions().hold(SHARD, List.of("a"));
		thenBusy("a").crashes(ShardStore.MAX_CRASHES);
		crashTo("t");
		assertThat(isDead("a")).isFalse();
		thenCounts().held(1).suspects(0);
		thenQueued("a").crashes(0);
		then(this.owner.fetchSuspect()).nothing();
	}

	@Test
	void suspectsAreCounted() {
		crash("a", 2, "p");
		thenCounts().suspects(1);
	}

	@Test
	void returnedSuspectStaysOne() {
		crash("a", 2, "p");
		this.owner.fetchSuspect();
		this.owner.complete(returned("a"));
		thenQueued("a").crashes(2);
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
	}

	@Test
	void retryAsASuspectIsFetchedOnRequestOnly() {
		performing("a", "p");
		then(this.owner.complete(retryAsSuspect("a", 5, "out of memory"))).next(FetchResult.NOTHING)
			.nextSuspect(now() + 5);
		thenQueued("a").crashes(ShardStore.SUSPECT_AFTER).retryCount(0).error("out of memory");
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		assertThat(listed(JobList.RETRIES)).containsExactly("a");
		thenCounts().failed(1);
		then(this.owner.fetchSuspect()).nothing();
		this.clock.advanceMillis(5);
		then(this.owner.fetch(10)).nothing();
		then(this.owner.fetchSuspect()).ids("a");
		this.owner.complete(retryAsSuspect("a", 0, "e"));
		thenQueued("a").crashes(ShardStore.SUSPECT_AFTER + 1);
	}

	@Test
	void suspectThatExhaustedTheMemoryOftenIsRestoredUnlessItsNodeCrashes() {
		performing("a", "p");
		for (int i = 0; i <= ShardStore.MAX_CRASHES; i++) {
			this.owner.complete(retryAsSuspect("a", 0, "out of memory"));
			then(this.owner.fetchSuspect()).ids("a");
		}
		this.owner.release();
		assertThat(queued("a").crashes()).isGreaterThan(ShardStore.MAX_CRASHES);
		owner("t");
		this.owner.fetchSuspect();
		crashTo("u");
		thenDead("a").error(ShardStore.POISON_PILL);
	}

	@Test
	void jobBehindAPoisonPillIsFetched() {
		crash("a", ShardStore.MAX_CRASHES, "p1");
		this.owner.fetchSuspect();
		enqueue("a", "p2");
		crashTo("t");
		then(this.owner.fetch(10)).jobs("a=[p2]");
	}

}
