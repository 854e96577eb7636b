package io.lowkiq.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs that are handed over to a waiting owner with the wake-up.
 */
abstract class HandOverContract extends StoreContract {

	private static final Duration DURATION = Duration.ofSeconds(15);

	private static final NodeInfo INFO = new NodeInfo("node", 0, List.of("orders"), "{}");

	private static final Fetch FETCH = new Fetch(10, 1_000, true, true);

	/**
	 * Keeps what it is told: {@code wake}, {@code echo}, {@code connected}, or what was
	 * handed over.
	 */
	private static final class Recorder implements WakeUps.Listener {

		private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

		@Override
		public void wake(Shard shard) {
			this.heard.add("wake");
		}

		@Override
		public void handOver(Shard shard, HandOver handOver) {
			assertThat(shard).isEqualTo(SHARD);
			this.heard.add(handOver);
		}

		@Override
		public void released(Shard shard) {
		}

		@Override
		public void echo() {
			this.heard.add("echo");
		}

		@Override
		public void connected() {
			this.heard.add("connected");
		}

		Object next() {
			try {
				Object next = this.heard.poll(20, TimeUnit.SECONDS);
				assertThat(next).as("a message").isNotNull();
				return next;
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
		}

	}

	private final Recorder recorder = new Recorder();

	private WakeUps.Subscription subscription;

	private TestOwner owner;

	@BeforeEach
	void waitAsOwner() {
		this.subscription = this.store.wakeUps().subscribe("s", this.recorder);
		assertThat(this.recorder.next()).isEqualTo("connected");
		this.store.nodes().join("s", DURATION, INFO);
		this.owner = owner("s");
		assertThat(this.owner.applied(List.of(), FETCH).jobs()).isEmpty();
		this.clock.advanceMillis(1);
	}

	@AfterEach
	void unsubscribe() {
		this.subscription.close();
	}

	private HandOver handOver() {
		Object next = this.recorder.next();
		assertThat(next).isInstanceOf(HandOver.class);
		return (HandOver) next;
	}

	/** Nothing but these messages came. */
	private void assertHeard(Object... messages) {
		this.store.nodes().beat("s", DURATION, INFO);
		Stream.concat(Stream.of(messages), Stream.of("echo"))
			.forEach((message) -> assertThat(this.recorder.next()).isEqualTo(message));
	}

	private void assertQueued(int queued, int busy) {
		assertThat(List.of(counts().queued(), counts().busy())).containsExactly((long) queued, (long) busy);
	}

	@Test
	void pushIsHandedOverToTheOwnerWhoWaits() {
		assertThat(push("a", "p").merged()).isZero();
		HandOver handOver = handOver();
		assertThat(text(handOver.job())).isEqualTo("a=[p]");
		assertThat(handOver.job().performAt()).isEqualTo(now());
		assertThat(handOver.job().retryCount()).isEqualTo(-1);
		assertThat(handOver.job().crashes()).isZero();
		assertThat(handOver.job().error()).isNull();
		assertThat(handOver.job().payloads().get(0).score()).isBetween((double) now(), now() + 1.0);
		assertThat(handOver.epoch()).isEqualTo(this.owner.lease().epoch());
		assertThat(handOver.after()).isEqualTo(1);
		assertThat(handOver.sequence()).isGreaterThan(1);
		assertThat(handOver.next()).isEqualTo(FetchResult.NOTHING);
		assertThat(handOver.now()).isEqualTo(now());
		assertQueued(0, 1);
		assertHeard();
	}

	@Test
	void ownerGoesOnWithTheNumberAfterTheStep() {
		push("a", "p");
		this.owner.goOn(handOver());
		this.clock.advanceMillis(1);
		push("b", "p");
		assertQueued(1, 1);
		assertThat(jobTexts(this.owner.applied(List.of(new Outcome.Done("a")), FETCH))).containsExactly("b=[p]");
		assertThat(this.owner.applied(List.of(new Outcome.Done("b")), FETCH).jobs()).isEmpty();
		assertThat(counts().processed()).isEqualTo(2);
		this.clock.advanceMillis(1);
		push("a", "p2");
		assertThat(text(handOver().job())).isEqualTo("a=[p2]");
	}

	@Test
	void stepHasANumberOfItsOwn() {
		push("a", "p");
		HandOver first = handOver();
		this.owner.goOn(first);
		this.owner.applied(List.of(new Outcome.Done("a")), FETCH);
		this.clock.advanceMillis(1);
		push("b", "p");
		HandOver second = handOver();
		assertThat(second.after()).isEqualTo(first.sequence() + 1);
		assertThat(second.sequence()).isGreaterThan(second.after() + 1);
	}

	@Test
	void callThatOvertakesTheMessageFindsTheJob() {
		push("a", "p");
		FetchResult.HandedOver answer = (FetchResult.HandedOver) this.owner.turn(List.of(), FETCH);
		HandOver handOver = handOver();
		assertThat(answer.handOver().sequence()).isEqualTo(handOver.sequence());
		assertThat(answer.handOver().after()).isEqualTo(handOver.after());
		assertThat(answer.handOver().epoch()).isEqualTo(handOver.epoch());
		assertThat(text(answer.handOver().job())).isEqualTo("a=[p]");
		this.owner.goOn(answer.handOver());
		assertThat(this.owner.applied(List.of(new Outcome.Done("a")), FETCH).jobs()).isEmpty();
		assertQueued(0, 0);
	}

	@Test
	void callThatOvertakesTheMessageHearsOfLaterJobs() {
		push("a", "p");
		this.clock.advanceMillis(1);
		push("b", "p");
		FetchResult.HandedOver answer = (FetchResult.HandedOver) this.owner.turn(List.of(), FETCH);
		assertThat(answer.handOver().next()).isEqualTo(now());
	}

	@Test
	void callThatOvertakesTheMessageFindsTheJobWhileTheQueueIsPaused() {
		push("a", "p");
		this.store.actions().pause(SHARD, true);
		FetchResult.HandedOver answer = (FetchResult.HandedOver) this.owner.turn(List.of(), FETCH);
		assertThat(text(answer.handOver().job())).isEqualTo("a=[p]");
		assertThat(answer.handOver().next()).isEqualTo(FetchResult.NOTHING);
	}

	@Test
	void callWithAnotherNumberIsOutOfStep() {
		push("a", "p");
		this.owner.skip();
		assertThat(this.owner.turn(List.of(), FETCH)).isInstanceOf(FetchResult.OutOfStep.class);
		assertQueued(0, 1);
	}

	@Test
	void callWithTheNumberZeroFollowsNoHandOver() {
		push("a", "p");
		this.owner.goOn(handOver());
		this.owner.finish();
		assertThat(this.store.shardStore().turn(this.owner.lease(), 0, List.of(), FETCH))
			.isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(this.store.shardStore().release(this.owner.lease(), 0, List.of())).isFalse();
	}

	@Test
	void callThatTellsOutcomesOrFetchesNothingIsOutOfStep() {
		push("a", "p");
		TestOwner same = this.owner.copy();
		assertThat(this.owner.turn(List.of(new Outcome.Done("a")), FETCH)).isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(same.turn(List.of(), Fetch.NONE)).isInstanceOf(FetchResult.OutOfStep.class);
		assertQueued(0, 1);
	}

	@Test
	void callAfterAFailoverThatForgotTheOneBeforeIsOutOfStep() {
		// The answered call with the number 2 is not in the store
		this.owner.skip();
		push("a", "p");
		HandOver handOver = handOver();
		assertThat(handOver.after()).isNotEqualTo(this.owner.lastSequence());
		assertThat(this.owner.turn(List.of(), FETCH)).isInstanceOf(FetchResult.OutOfStep.class);
		assertThat(this.owner.again(this.owner.lastSequence()).restored()).isEqualTo(1);
		assertThat(jobTexts(this.owner.applied(List.of(), FETCH))).containsExactly("a=[p]");
	}

	@Test
	void fencedOwnerDoesNotFindTheJob() {
		push("a", "p");
		TestOwner next = owner("t", Claim.lapsed("t", "s"));
		assertThat(this.owner.turn(List.of(), FETCH)).isInstanceOf(FetchResult.Fenced.class);
		assertThat(jobTexts(next.fetch(10))).containsExactly("a=[p]");
	}

	@Test
	void releaseByAnOwnerWhoHasNotSeenItPutsTheJobBack() {
		push("a", "p");
		assertThat(this.owner.release()).isTrue();
		assertQueued(1, 0);
		List<FetchedJob> jobs = owner("t").fetch(10).jobs();
		assertThat(jobs).extracting(StoreContract::text).containsExactly("a=[p]");
		assertThat(jobs.get(0).crashes()).isZero();
		assertThat(jobs.get(0).retryCount()).isEqualTo(-1);
	}

	@Test
	void releaseWithAnOldNumberIsLeftAlone() {
		push("a", "p");
		TestOwner old = this.owner.copy();
		this.owner.goOn(handOver());
		this.owner.applied(List.of(new Outcome.Done("a")), FETCH);
		assertThat(old.release()).isFalse();
	}

	@Test
	void crashAfterTheStepMarksTheJob() {
		push("a", "p");
		TestOwner next = owner("t", Claim.crashed("t", "s"));
		assertThat(next.fetch(10).jobs()).isEmpty();
		assertThat(next.fetchSuspect().jobs()).extracting(FetchedJob::crashes).containsExactly(1);
	}

	@Test
	void claimAfterALostCallPutsTheJobBack() {
		push("a", "p");
		Acquisition.Acquired acquired = this.owner.again(2);
		assertThat(acquired.kept()).isFalse();
		assertThat(acquired.restored()).isEqualTo(1);
		assertThat(jobTexts(this.owner.applied(List.of(), FETCH))).containsExactly("a=[p]");
	}

	@Test
	void nextIsWhatTheOwnerWaitedFor() {
		pushIn(5_000, "later", "p");
		assertThat(this.recorder.next()).isEqualTo("wake");
		assertThat(this.owner.applied(List.of(), FETCH).next()).isEqualTo(now() + 5_000);
		long next = now() + 5_000;
		this.clock.advanceMillis(1);
		push("a", "p");
		assertThat(handOver().next()).isEqualTo(next);
	}

	@Test
	void payloadOfTheLargestSizeIsHandedOverAndALargerOneNot() {
		push("a", "x".repeat(HandOver.MOST_BYTES));
		this.owner.goOn(handOver());
		this.owner.applied(List.of(new Outcome.Done("a")), FETCH);
		this.clock.advanceMillis(1);
		push("a", "x".repeat(HandOver.MOST_BYTES + 1));
		assertHeard("wake");
		assertQueued(1, 0);
	}

	@Test
	void idsOfAnyCharactersAreHandedOver() {
		push("e\u0000 \uD83D\uDE00", "\u0000");
		assertThat(text(handOver().job())).isEqualTo("e\u0000 \uD83D\uDE00=[\u0000]");
	}

	@Test
	void clockThatWentBackHindersNoHandOver() {
		push("a", "p");
		this.owner.goOn(handOver());
		this.owner.applied(List.of(new Outcome.Done("a")), FETCH);
		this.clock.goBackMillis(10);
		push("b", "p");
		HandOver handOver = handOver();
		assertThat(handOver.job().performAt()).isEqualTo(now());
		this.owner.goOn(handOver);
		this.owner.applied(List.of(new Outcome.Done("b")), FETCH);
		assertThat(counts().processed()).isEqualTo(2);
	}

	static Stream<NewPayload> pushesThatOnlyWake() {
		NewPayload plain = NewPayload.of("a", bytes("p"));
		return Stream.of(plain.withScore(1), plain.withPerformAt(1));
	}

	@ParameterizedTest
	@MethodSource("pushesThatOnlyWake")
	void pushWithAScoreOrTimeOnlyWakes(NewPayload push) {
		push(push);
		assertHeard("wake");
		assertQueued(1, 0);
	}

	@Test
	void severalPayloadsOnlyWake() {
		push(NewPayload.of("a", bytes("p")), NewPayload.of("b", bytes("p")));
		assertHeard("wake");
		assertQueued(2, 0);
	}

	@Test
	void payloadThatMergesWakesNobody() {
		pushIn(5_000, "a", "p");
		assertThat(this.recorder.next()).isEqualTo("wake");
		this.owner.applied(List.of(), FETCH);
		this.clock.advanceMillis(1);
		assertThat(push("a", "p2").merged()).isEqualTo(1);
		assertHeard();
		assertQueued(1, 0);
	}

	@Test
	void ownerWhoDoesNotTakeIsOnlyWoken() {
		this.owner.fetch(10);
		push("a", "p");
		assertHeard("wake");
		assertQueued(1, 0);
	}

	@Test
	void ownerWhoDoesNotListenIsNotHandedAnything() {
		TestOwner deaf = owner("t", Claim.lapsed("t", "s"));
		assertThat(deaf.applied(List.of(), FETCH).jobs()).isEmpty();
		push("a", "p");
		assertQueued(1, 0);
		assertThat(jobTexts(deaf.applied(List.of(), FETCH))).containsExactly("a=[p]");
	}

	@Test
	void ownerWhoHasNotFetchedIsOnlyWoken() {
		this.owner.acquire(Claim.free("s"));
		push("a", "p");
		assertHeard("wake");
		assertQueued(1, 0);
	}

	@Test
	void ownerWhoDoesNotWaitIsNotHandedAnything() {
		push("a", "p");
		this.owner.goOn(handOver());
		this.owner.finish(new Outcome.Done("a"));
		this.clock.advanceMillis(1);
		push("b", "p");
		assertHeard();
		assertQueued(1, 0);
	}

	@Test
	void pausedQueueHandsNothingOver() {
		this.store.actions().pause(SHARD, true);
		push("a", "p");
		assertHeard();
		assertQueued(1, 0);
	}

	@Test
	void nothingIsHandedOverWhileASuspectWaits() {
		push("a", "p");
		TestOwner next = owner("t", Claim.crashed("t", "s"));
		Recorder other = new Recorder();
		this.subscription.close();
		this.subscription = this.store.wakeUps().subscribe("t", other);
		assertThat(other.next()).isEqualTo("connected");
		assertThat(next.applied(List.of(), new Fetch(10, 1_000, false, true)).jobs()).isEmpty();
		this.clock.advanceMillis(1);
		push("b", "p");
		assertThat(other.next()).isEqualTo("wake");
		assertQueued(2, 0);
	}

	@Test
	void nothingIsHandedOverWhileAnotherJobIsBusy() {
		push("a", "p");
		this.owner.goOn(handOver());
		assertThat(this.owner.applied(List.of(), FETCH).jobs()).isEmpty();
		this.clock.advanceMillis(1);
		push("b", "p");
		assertHeard("wake");
		assertQueued(1, 1);
	}

	@Test
	void lineOfStaleEntriesOnlyHindersNoHandOver() {
		push("a", "p");
		this.owner.goOn(handOver());
		this.owner.applied(List.of(new Outcome.Done("a")), FETCH);
		this.store.actions().pause(SHARD, true);
		push("b", "p");
		this.store.actions().delete(SHARD, List.of("b"));
		this.owner.applied(List.of(), FETCH);
		this.store.actions().pause(SHARD, false);
		assertThat(this.recorder.next()).isEqualTo("wake");
		this.owner.applied(List.of(), FETCH);
		this.clock.advanceMillis(1);
		push("b", "p2");
		assertThat(text(handOver().job())).isEqualTo("b=[p2]");
	}

}
