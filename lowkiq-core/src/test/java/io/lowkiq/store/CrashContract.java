package io.lowkiq.store;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Crash marks, suspects and poison pills (rule 8, I8).
 */
abstract class CrashContract extends StoreContract {

	@Test
	void crashMarksEveryBusyJob() {
		TestOwner owner = owner("s");
		push("a", "p");
		push("b", "p");
		push("c", "p");
		owner.fetch(2);
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.shardStore()
			.acquire(SHARD, Claim.crashed("t", "s"));
		assertThat(acquired.restored()).isEqualTo(2);
		assertThat(acquired.next()).isEqualTo(now());
		assertThat(acquired.nextSuspect()).isEqualTo(now());
		assertThat(queued("a").crashes()).isEqualTo(1);
		assertThat(queued("b").crashes()).isEqualTo(1);
		assertThat(queued("c").crashes()).isZero();
	}

	@Test
	void crashOfAnEarlierSessionOfTheSameNodeMarksNothing() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		owner("t", Claim.lapsed("t", "s"));
		assertThat(queued("a").crashes()).isZero();
	}

	@Test
	void ownBusyJobsAreNotMarkedByAClaimAgainstAnother() {
		TestOwner owner = owner("s");
		push("a", "p");
		owner.fetch(1);
		owner.acquire(Claim.crashed("s", "t"));
		assertThat(queued("a").crashes()).isZero();
	}

	@Test
	void crashCostsNoRetryAndCountsNoFailure() {
		push("a", "p");
		crash("a", 2);
		assertThat(queued("a").retryCount()).isEqualTo(-1);
		assertThat(counts().failed()).isZero();
	}

	@Test
	void plainFetchPassesSuspectsOver() {
		push("a", "p");
		TestOwner owner = crash("a", 1);
		push("b", "p");
		FetchResult.Fetched turn = owner.fetch(10);
		assertThat(jobTexts(turn)).containsExactly("b=[p]");
		assertThat(turn.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(turn.nextSuspect()).isEqualTo(now());
	}

	@Test
	void dueSuspectIsFetchedAloneAndBeforeAllOthers() {
		TestOwner owner = owner("s");
		push("a", "p");
		push("b", "p");
		owner.fetch(2);
		owner = owner("t", Claim.crashed("t", "s"));
		pushIn(-1_000, "early", "p");
		FetchResult.Fetched turn = owner.fetchSuspect();
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("a");
		assertThat(turn.jobs().get(0).crashes()).isEqualTo(1);
		owner.finish(new Outcome.Done("a"));
		assertThat(owner.fetchSuspect().jobs()).extracting(FetchedJob::id).containsExactly("b");
		owner.finish(new Outcome.Done("b"));
		assertThat(owner.fetchSuspect().jobs()).extracting(FetchedJob::id).containsExactly("early");
	}

	@Test
	void suspectThatIsNotDueLetsTheOthersGo() {
		push("a", "p");
		TestOwner owner = crash("a", 1);
		this.clock.goBackMillis(1_000);
		push("b", "p");
		push("c", "p");
		FetchResult.Fetched turn = owner.fetchSuspect();
		assertThat(turn.jobs()).extracting(FetchedJob::id).containsExactly("b", "c");
		assertThat(turn.nextSuspect()).isEqualTo(now() + 1_000);
	}

	@Test
	void suspectThatIsDoneIsClear() {
		push("a", "p1");
		TestOwner owner = crash("a", 2);
		owner.fetchSuspect();
		owner.finish(new Outcome.Done("a"));
		push("a", "p2");
		assertThat(queued("a").crashes()).isZero();
		assertThat(jobTexts(owner.fetch(1))).containsExactly("a=[p2]");
	}

	@Test
	void suspectThatFailsIsClear() {
		push("a", "p");
		TestOwner owner = crash("a", 3);
		owner.fetchSuspect();
		owner.finish(new Outcome.Retry("a", 0, "e"));
		assertThat(queued("a").crashes()).isZero();
		assertThat(owner.fetch(1).jobs()).extracting(FetchedJob::id).containsExactly("a");
	}

	@Test
	void restOfASuspectThatIsBuriedIsClear() {
		push("a", "p1");
		push("a", "p2");
		TestOwner owner = crash("a", 3);
		owner.fetchSuspect();
		owner.finish(new Outcome.Bury("a", "e"));
		assertThat(queued("a").crashes()).isZero();
	}

	@Test
	void payloadsThatASuspectLeavesQueuedAreClear() {
		push("a", "p1");
		push("a", "p2");
		TestOwner owner = crash("a", 1);
		owner.applied(List.of(), new Fetch(1, 1, true));
		assertThat(queued("a").crashes()).isZero();
		assertThat(busy("a").crashes()).isEqualTo(1);
	}

	@Test
	void handOverKeepsTheMarks() {
		push("a", "p");
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
		push("a", "p1");
		TestOwner owner = crash("a", 1);
		owner.fetchSuspect();
		push("a", "p2");
		owner.release();
		assertThat(queued("a").crashes()).isEqualTo(1);
		assertThat(texts(queued("a").payloads())).containsExactly("p1", "p2");
	}

	@Test
	void jobIsQueuedAfterAsManyCrashesAsAreAllowed() {
		push("a", "p");
		crash("a", ShardStore.MAX_CRASHES);
		assertThat(queued("a").crashes()).isEqualTo(ShardStore.MAX_CRASHES);
		assertThat(isDead("a")).isFalse();
	}

	@Test
	void jobOfMoreCrashesGoesToTheMorgueAsAPoisonPill() {
		push("a", "p1");
		push("a", "p2");
		TestOwner owner = crash("a", ShardStore.MAX_CRASHES);
		assertThat(owner.fetchSuspect().jobs()).hasSize(1);
		push("a", "p3");
		this.clock.advanceMillis(1_000);
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.store.shardStore()
			.acquire(SHARD, Claim.crashed("t", "crashing-3"));
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

}
