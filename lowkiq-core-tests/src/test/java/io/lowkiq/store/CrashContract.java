package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static io.lowkiq.testing.Outcomes.buried;

/**
 * Crash marks, suspects and poison pills (rule 8, I8).
 */
abstract class CrashContract extends StoreContract {

	@Test
	void crashMarksEveryBusyJob() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		enqueue("c", "p");
		owner.fetch(2);
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.shards()
			.acquire(SHARD, LeaseRequest.afterCrash("t", "s"))
			.join();
		assertThat(acquired.restored()).isEqualTo(2);
		assertThat(acquired.next()).isEqualTo(now());
		assertThat(acquired.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(queued("a").crashes()).isEqualTo(1);
		assertThat(queued("b").crashes()).isEqualTo(1);
		assertThat(queued("c").crashes()).isZero();
	}

	@Test
	void crashOfAnEarlierSessionOfTheSameNodeMarksNothing() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner("t", LeaseRequest.afterLapse("t", "s"));
		assertThat(queued("a").crashes()).isZero();
	}

	@Test
	void ownBusyJobsAreNotMarkedByARequestAgainstAnother() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.acquire(LeaseRequest.afterCrash("s", "t"));
		assertThat(queued("a").crashes()).isZero();
	}

	@Test
	void crashCostsNoRetryAndCountsNoFailure() {
		enqueue("a", "p");
		crash("a", 2);
		assertThat(queued("a").retryCount()).isEqualTo(-1);
		assertThat(counts().failed()).isZero();
	}

	@Test
	void jobOfOneCrashIsNoSuspect() {
		enqueue("a", "p");
		TestOwner owner = crash("a", 1);
		assertThat(queued("a").crashes()).isEqualTo(1);
		assertThat(listed(JobList.DELAYED)).containsExactly("a");
		assertThat(listed(JobList.SUSPECTS)).isEmpty();
		assertThat(ids(owner.fetch(10))).containsExactly("a");
	}

	@Test
	void jobIsASuspectFromTheSecondCrashOn() {
		enqueue("a", "p");
		TestOwner owner = crash("a", ShardStore.SUSPECT_AFTER);
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		assertThat(listed(JobList.DELAYED)).isEmpty();
		assertThat(owner.fetch(10).jobs()).isEmpty();
		assertThat(ids(owner.fetchSuspect())).containsExactly("a");
	}

	@Test
	void plainFetchPassesSuspectsOver() {
		enqueue("a", "p");
		TestOwner owner = crash("a", 2);
		enqueue("b", "p");
		FetchResult.Fetched fetched = owner.fetch(10);
		assertThat(jobTexts(fetched)).containsExactly("b=[p]");
		assertThat(fetched.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(fetched.nextSuspect()).isEqualTo(now());
	}

	@Test
	void dueSuspectIsFetchedBeforeAllOthersAndNoOtherSuspectWithIt() {
		TestOwner owner = owner("s-0");
		enqueue("a", "p");
		enqueue("b", "p");
		for (int i = 1; i <= 2; i++) {
			assertThat(ids(owner.fetch(2))).containsExactly("a", "b");
			owner = owner("s-" + i, LeaseRequest.afterCrash("s-" + i, "s-" + (i - 1)));
		}
		enqueueIn(-1_000, "early", "p");
		enqueue("ready", "p");
		enqueue("more", "p");
		FetchResult.Fetched fetched = owner.applied(List.of(), new Fetch(3, 1_000, true));
		assertThat(ids(fetched)).containsExactly("a", "early", "ready");
		assertThat(fetched.jobs().get(0).crashes()).isEqualTo(2);
		assertThat(fetched.nextSuspect()).isEqualTo(now());
		assertThat(ids(owner.applied(List.of(), new Fetch(1, 1_000, true)))).containsExactly("b");
		assertThat(ids(owner.fetchSuspect())).containsExactly("more");
	}

	@Test
	void suspectThatIsNotDueLetsTheOthersGo() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.complete(new Outcome.Retry("a", 1_000, "out of memory", true));
		enqueue("b", "p");
		enqueue("c", "p");
		FetchResult.Fetched fetched = owner.fetchSuspect();
		assertThat(fetched.jobs()).extracting(FetchedJob::id).containsExactly("b", "c");
		assertThat(fetched.nextSuspect()).isEqualTo(now() + 1_000);
	}

	@Test
	void suspectThatIsDoneIsClear() {
		enqueue("a", "p1");
		TestOwner owner = crash("a", 2);
		owner.fetchSuspect();
		owner.complete(new Outcome.Done("a"));
		enqueue("a", "p2");
		assertThat(queued("a").crashes()).isZero();
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

	@Test
	void suspectThatFailsIsClear() {
		enqueue("a", "p");
		TestOwner owner = crash("a", 3);
		owner.fetchSuspect();
		owner.complete(new Outcome.Retry("a", 0, "e"));
		assertThat(queued("a").crashes()).isZero();
		assertThat(owner.fetch(1).jobs()).extracting(FetchedJob::id).containsExactly("a");
	}

	@Test
	void restOfASuspectThatIsBuriedIsClear() {
		enqueue("a", "p1");
		enqueue("a", "p2");
		TestOwner owner = crash("a", 3);
		owner.fetchSuspect();
		owner.complete(buried("a", "e"), new Outcome.Returned("a"));
		assertThat(queued("a").crashes()).isZero();
	}

	@Test
	void payloadsThatASuspectLeavesQueuedAreClear() {
		enqueue("a", "p1");
		enqueue("a", "p2");
		TestOwner owner = crash("a", 2);
		owner.applied(List.of(), new Fetch(1, 1, true));
		assertThat(queued("a").crashes()).isZero();
		assertThat(busy("a").crashes()).isEqualTo(2);
	}

	@Test
	void transferKeepsTheMarks() {
		enqueue("a", "p");
		TestOwner owner = crash("a", 2);
		owner.fetchSuspect();
		owner.release();
		assertThat(queued("a").crashes()).isEqualTo(2);
		owner = owner("t");
		owner.fetchSuspect();
		owner.again(owner.lastSequence());
		assertThat(queued("a").crashes()).isEqualTo(2);
	}

	@Test
	void restoredSuspectStaysOneWhenItMerges() {
		enqueue("a", "p1");
		TestOwner owner = crash("a", 2);
		owner.fetchSuspect();
		enqueue("a", "p2");
		owner.release();
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		assertThat(queued("a").crashes()).isEqualTo(2);
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2");
	}

	@Test
	void jobIsQueuedAfterAsManyCrashesAsAreAllowed() {
		enqueue("a", "p");
		crash("a", ShardStore.MAX_CRASHES);
		assertThat(queued("a").crashes()).isEqualTo(ShardStore.MAX_CRASHES);
		assertThat(isDead("a")).isFalse();
	}

	@Test
	void jobOfMoreCrashesGoesToTheMorgueAsAPoisonPill() {
		enqueue("a", "p1");
		enqueue("a", "p2");
		TestOwner owner = crash("a", ShardStore.MAX_CRASHES);
		assertThat(owner.fetchSuspect().jobs()).hasSize(1);
		enqueue("a", "p3");
		this.clock.advanceMillis(1_000);
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.shards()
			.acquire(SHARD, LeaseRequest.afterCrash("t", "crashing-3"))
			.join();
		assertThat(acquired.restored()).isZero();
		assertThat(acquired.nextSuspect()).isEqualTo(FetchResult.NOTHING);
		assertThat(texts(dead("a").payloads())).containsExactly("p1", "p2");
		assertThat(dead("a").error()).isEqualTo(ShardStore.POISON_PILL);
		assertThat(dead("a").performAt()).isEqualTo(now());
		assertThat(texts(queued("a").payloads())).containsExactly("p3");
		assertThat(queued("a").crashes()).isZero();
		assertThat(counts().failed()).isZero();
		assertThat(counts().busy()).isZero();
	}

	@Test
	void jobThatIsPutOnHoldWhileItIsBusyIsNoPoisonPill() {
		enqueue("a", "p");
		TestOwner owner = crash("a", ShardStore.MAX_CRASHES);
		owner.fetchSuspect();
		this.store.actions().hold(SHARD, List.of("a"));
		assertThat(busy("a").crashes()).isEqualTo(ShardStore.MAX_CRASHES);
		owner = owner("t", LeaseRequest.afterCrash("t", "crashing-3"));
		assertThat(isDead("a")).isFalse();
		assertThat(counts().held()).isEqualTo(1);
		assertThat(counts().suspects()).isZero();
		assertThat(queued("a").crashes()).isZero();
		assertThat(owner.fetchSuspect().jobs()).isEmpty();
	}

	@Test
	void suspectsAreCounted() {
		enqueue("a", "p");
		crash("a", 2);
		assertThat(counts().suspects()).isEqualTo(1);
	}

	@Test
	void returnedSuspectStaysOne() {
		enqueue("a", "p");
		TestOwner owner = crash("a", 2);
		owner.fetchSuspect();
		owner.complete(new Outcome.Returned("a"));
		assertThat(queued("a").crashes()).isEqualTo(2);
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
	}

	@Test
	void retryAsASuspectIsFetchedOnRequestOnly() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		FetchResult.Fetched completed = owner.complete(new Outcome.Retry("a", 5, "out of memory", true));
		assertThat(completed.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(completed.nextSuspect()).isEqualTo(now() + 5);
		JobView job = queued("a");
		assertThat(job.crashes()).isEqualTo(ShardStore.SUSPECT_AFTER);
		assertThat(job.retryCount()).isZero();
		assertThat(job.error()).isEqualTo("out of memory");
		assertThat(listed(JobList.SUSPECTS)).containsExactly("a");
		assertThat(listed(JobList.RETRIES)).containsExactly("a");
		assertThat(counts().failed()).isEqualTo(1);
		assertThat(owner.fetchSuspect().jobs()).isEmpty();
		this.clock.advanceMillis(5);
		assertThat(owner.fetch(10).jobs()).isEmpty();
		assertThat(ids(owner.fetchSuspect())).containsExactly("a");
		owner.complete(new Outcome.Retry("a", 0, "e", true));
		assertThat(queued("a").crashes()).isEqualTo(ShardStore.SUSPECT_AFTER + 1);
	}

	@Test
	void suspectThatExhaustedTheMemoryOftenIsRestoredUnlessItsNodeCrashes() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		for (int i = 0; i <= ShardStore.MAX_CRASHES; i++) {
			owner.complete(new Outcome.Retry("a", 0, "out of memory", true));
			assertThat(ids(owner.fetchSuspect())).containsExactly("a");
		}
		owner.release();
		assertThat(queued("a").crashes()).isGreaterThan(ShardStore.MAX_CRASHES);
		owner = owner("t");
		owner.fetchSuspect();
		owner("u", LeaseRequest.afterCrash("u", "t"));
		assertThat(dead("a").error()).isEqualTo(ShardStore.POISON_PILL);
	}

	@Test
	void jobBehindAPoisonPillIsFetched() {
		enqueue("a", "p1");
		TestOwner owner = crash("a", ShardStore.MAX_CRASHES);
		owner.fetchSuspect();
		enqueue("a", "p2");
		TestOwner next = owner("t", LeaseRequest.afterCrash("t", "crashing-3"));
		assertThat(jobTexts(next.fetch(10))).containsExactly("a=[p2]");
	}

}
