package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages to waiting nodes.
 */
abstract class WakeUpContract extends StoreContract {

	private static final NodeInfo INFO = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of("orders"), false);

	/**
	 * Keeps the messages.
	 */
	private static final class Recorder implements WakeUps.Listener {

		/** Written by the connection's thread, read by the test. */
		private final List<String> heard = new CopyOnWriteArrayList<>();

		@Override
		public void wake(Shard shard) {
			this.heard.add("wake " + shard);
		}

		@Override
		public void released(Shard shard) {
			this.heard.add("released " + shard);
		}

		@Override
		public void changed() {
			this.heard.add("changed");
		}

		@Override
		public void echo() {
			this.heard.add("echo");
		}

		@Override
		public void connected() {
			this.heard.add("connected");
		}

		void awaitHeard(String message) {
			await().untilAsserted(() -> assertThat(this.heard).contains(message));
		}

		long count(String message) {
			return this.heard.stream().filter(message::equals).count();
		}

	}

	private static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
	}

	private static final String WAKE = "wake " + SHARD;

	private static final String RELEASED = "released " + SHARD;

	private final List<WakeUps.Subscription> subscriptions = new ArrayList<>();

	@AfterEach
	void unsubscribe() {
		this.subscriptions.forEach(WakeUps.Subscription::close);
	}

	private WakeUps.Subscription subscribe(String session, Recorder recorder) {
		WakeUps.Subscription subscription = this.store.wakeUps().subscribe(session, recorder);
		this.subscriptions.add(subscription);
		return subscription;
	}

	private Recorder listen(String session) {
		Recorder recorder = new Recorder();
		subscribe(session, recorder);
		recorder.awaitHeard("connected");
		this.store.nodes().join(session, INFO);
		return recorder;
	}

	/**
	 * Waits until everything sent before has arrived.
	 * @param session the session that listens
	 * @param recorder its listener
	 */
	private void drain(String session, Recorder recorder) {
		long echoes = recorder.count("echo");
		this.store.nodes().beat(session, INFO);
		await().until(() -> recorder.count("echo") > echoes);
	}

	/**
	 * Waits for the wake-ups, and until another one would have arrived. In a cluster the
	 * messages of different masters may overtake each other, so that one too many may be
	 * missed there, but none is missing.
	 */
	private void awaitWoken(String session, Recorder recorder, int times) {
		await().until(() -> recorder.count(WAKE) >= times);
		drain(session, recorder);
		assertThat(recorder.count(WAKE)).isEqualTo(times);
	}

	private void assertNotWoken(String session, Recorder recorder) {
		drain(session, recorder);
		assertThat(recorder.heard).doesNotContain(WAKE);
	}

	/** The holder may not know that it holds the shard. */
	@Test
	void holderIsWokenWhenAnotherSessionIsRefused() {
		Recorder recorder = listen("s");
		owner("s");
		this.store.shards().acquire(SHARD, LeaseRequest.forFreeShard("t")).join();
		recorder.awaitHeard(WAKE);
		assertThat(counts().session()).isEqualTo("s");
	}

	@Test
	void sessionThatAsksForItsOwnShardWakesNobody() {
		Recorder recorder = listen("s");
		owner("s");
		this.store.shards().acquire(SHARD, LeaseRequest.ifHeld("s")).join();
		assertNotWoken("s", recorder);
	}

	@Test
	void enqueuedDueJobWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		owner("s").fetch(1);
		enqueue("a", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void enqueuedDelayedJobWakesAnOwnerThatWaitsForALaterOne() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		enqueueIn(10_000, "a", "p");
		owner.fetch(1);
		enqueueIn(5_000, "b", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void enqueuedJobThatIsDueLaterThanTheOwnerWaitsForWakesNobody() {
		Recorder recorder = listen("s");
		enqueueIn(5_000, "a", "p");
		TestOwner owner = owner("s");
		owner.fetch(1);
		enqueueIn(10_000, "b", "p");
		assertNotWoken("s", recorder);
	}

	@Test
	void payloadThatMovesItsJobForwardWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		enqueueIn(5_000, "a", "p");
		owner("s").fetch(1);
		enqueue("a", "p2");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void payloadThatMergesWithoutMovingItsJobWakesNobody() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		fail(owner, "retry", "p", 10_000);
		enqueueIn(5_000, "a", "p");
		owner.fetch(1);
		awaitWoken("s", recorder, 1);
		enqueueIn(6_000, "a", "p2");
		enqueue("retry", "p2");
		awaitWoken("s", recorder, 1);
	}

	@Test
	void payloadForABusyIdWakesNobody() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		enqueue("a", "p");
		owner.fetch(1);
		owner.fetch(1);
		awaitWoken("s", recorder, 1);
		enqueue("a", "p2");
		enqueueIn(5_000, "a", "p3");
		awaitWoken("s", recorder, 1);
		enqueue("b", "p");
		awaitWoken("s", recorder, 2);
	}

	@Test
	void fetchThatReturnsAllItAskedForTakesTheWordBack() {
		Recorder recorder = listen("s");
		enqueue("a", "p");
		TestOwner owner = owner("s");
		owner.fetch(1);
		enqueue("b", "p");
		assertNotWoken("s", recorder);
	}

	@Test
	void fetchThatReturnsSomeButFewerThanItAskedForLeavesWord() {
		Recorder recorder = listen("s");
		enqueue("a", "p");
		TestOwner owner = owner("s");
		owner.fetch(2);
		enqueue("b", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void callThatAsksForNothingLeavesTheWordAsItIs() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		enqueue("a", "p");
		enqueue("b", "p");
		awaitWoken("s", recorder, 1);
		owner.fetch(1);
		owner.complete(new Outcome.Done("a"));
		enqueue("c", "p");
		awaitWoken("s", recorder, 1);
		owner.fetch(3);
		owner.complete(new Outcome.Done("b"));
		enqueue("d", "p");
		awaitWoken("s", recorder, 2);
	}

	@Test
	void callOutOfStepLeavesTheWordAsItIs() {
		Recorder recorder = listen("s");
		enqueueIn(5_000, "a", "p");
		TestOwner owner = owner("s");
		owner.fetch(1);
		assertThat(owner.call(1, 0, List.of(), new Fetch(1, 1, false))).isInstanceOf(FetchResult.OutOfStep.class);
		enqueueIn(6_000, "b", "p");
		assertNotWoken("s", recorder);
		enqueueIn(4_000, "c", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void ownerIsWokenOnceUntilItFetchesAgain() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner.fetch(1);
		enqueue("a", "p");
		enqueue("b", "p");
		this.store.actions().pause(SHARD, false);
		awaitWoken("s", recorder, 1);
	}

	@Test
	void oneCallWithManyPayloadsWakesOnce() {
		Recorder recorder = listen("s");
		owner("s").fetch(1);
		enqueue(NewPayload.of("a", bytes("p")), NewPayload.of("b", bytes("p")), NewPayload.of("a", bytes("p2")));
		awaitWoken("s", recorder, 1);
	}

	@Test
	void jobThatAnOutcomeMakesDueIsInTheAnswerAndWakesNobody() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		enqueue("a", "p");
		awaitWoken("s", recorder, 1);
		owner.fetch(2);
		assertThat(owner.complete(new Outcome.Returned("a")).next()).isEqualTo(now());
		awaitWoken("s", recorder, 1);
	}

	@Test
	void suspectIsNoReasonToWaitShorter() {
		Recorder recorder = listen("s");
		enqueue("a", "p");
		TestOwner owner = crash("a", 2);
		owner.release();
		owner = owner("s");
		assertThat(owner.fetch(1).next()).isEqualTo(FetchResult.NOTHING);
		enqueueIn(60_000, "b", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void enqueueWakesTheOwnerOnly() {
		Recorder other = listen("t");
		Recorder recorder = listen("s");
		owner("s").fetch(1);
		enqueue("a", "p");
		recorder.awaitHeard(WAKE);
		assertNotWoken("t", other);
	}

	@Test
	void ownerIsWokenEachTimeItWaits() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner.fetch(1);
		enqueue("a", "p");
		recorder.awaitHeard(WAKE);
		owner.fetch(1);
		owner.completeAndFetch(new Outcome.Done("a"), 1);
		long before = recorder.count(WAKE);
		enqueue("b", "p");
		await().until(() -> recorder.count(WAKE) > before);
	}

	@Test
	void formerOwnerIsNotWoken() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner.fetch(1);
		owner.release();
		owner("t");
		enqueue("a", "p");
		assertNotWoken("s", recorder);
	}

	@Test
	void resumingWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		enqueue("a", "p");
		TestOwner owner = owner("s");
		this.store.actions().pause(SHARD, true);
		owner.fetch(1);
		assertNotWoken("s", recorder);
		this.store.actions().pause(SHARD, false);
		recorder.awaitHeard(WAKE);
	}

	@Test
	void enqueueIntoAPausedShardDoesNotKeepResumingFromWakingTheOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		this.store.actions().pause(SHARD, true);
		owner.fetch(1);
		enqueue("a", "p");
		assertNotWoken("s", recorder);
		this.store.actions().pause(SHARD, false);
		awaitWoken("s", recorder, 1);
	}

	@Test
	void performNowWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		enqueueIn(5_000, "a", "p");
		owner.fetch(1);
		this.store.actions().performNow(SHARD, List.of("a"));
		recorder.awaitHeard(WAKE);
	}

	@Test
	void performAllNowWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		enqueueIn(5_000, "a", "p");
		owner.fetch(1);
		this.store.actions().performAllNow(SHARD, 10);
		recorder.awaitHeard(WAKE);
	}

	@Test
	void reEnqueueWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		owner.fetch(1);
		this.store.actions().reEnqueue(SHARD, List.of("a"));
		recorder.awaitHeard(WAKE);
	}

	@Test
	void reEnqueueAllWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		owner.fetch(1);
		this.store.actions().reEnqueueAll(SHARD, 10, now() + 1);
		recorder.awaitHeard(WAKE);
	}

	@Test
	void releaseNotifiesAllNodes() {
		Recorder one = listen("s");
		Recorder other = listen("t");
		owner("s").release();
		one.awaitHeard(RELEASED);
		other.awaitHeard(RELEASED);
	}

	@Test
	void releaseOfALeaseThatIsNotCurrentNotifiesNobody() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner("s", LeaseRequest.forFreeShard("s"));
		owner.release();
		drain("s", recorder);
		assertThat(recorder.heard).doesNotContain(RELEASED);
	}

	@Test
	void changesOfTheRegistryNotifyAllNodes() {
		Recorder recorder = listen("s");
		drain("s", recorder);
		NodeInfo stopping = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of(), true);
		List<Runnable> changes = List.of(() -> this.store.nodes().join("t", INFO), () -> this.store.nodes().leave("t"),
				() -> this.store.nodes().join("u", INFO), () -> this.store.nodes().end("u", 0, true),
				() -> this.store.nodes().beat("s", stopping),
				() -> this.store.nodes().assign(new Assignment(1, Map.of(SHARD, "s"))));
		for (Runnable change : changes) {
			long before = recorder.count("changed");
			change.run();
			await().until(() -> recorder.count("changed") > before);
		}
	}

	@Test
	void whatChangesNothingInTheRegistryNotifiesNobody() {
		Recorder recorder = listen("s");
		this.store.nodes().join("t", INFO);
		this.store.nodes().join("ended", INFO);
		this.store.nodes().leave("ended");
		drain("s", recorder);
		long before = recorder.count("changed");
		this.store.nodes().join("ended", INFO);
		this.store.nodes().leave("ended");
		this.store.nodes().end("ended", 0, true);
		this.store.nodes().beat("t", INFO);
		this.store.nodes().end("t", 7, true);
		this.store.nodes().leave("unknown");
		this.store.nodes().end("unknown", 0, true);
		this.store.nodes().assign(new Assignment(2, Map.of()));
		this.store.nodes().report("t", "{}");
		drain("s", recorder);
		assertThat(recorder.count("changed")).isEqualTo(before);
	}

	@Test
	void heartbeatOfAnEndedSessionIsNotEchoed() {
		Recorder recorder = listen("s");
		Recorder other = listen("t");
		this.store.nodes().leave("s");
		this.store.nodes().beat("s", INFO);
		drain("t", other);
		assertThat(recorder.count("echo")).isZero();
	}

	@Test
	void heartbeatIsEchoedToItsSessionOnly() {
		Recorder one = listen("s");
		Recorder other = listen("t");
		drain("s", one);
		drain("t", other);
		assertThat(one.count("echo")).isEqualTo(1);
		assertThat(other.count("echo")).isEqualTo(1);
	}

	@Test
	void listenerHearsMessagesAfterReconnecting() {
		Recorder recorder = new Recorder();
		WakeUps.Subscription subscription = subscribe("s", recorder);
		recorder.awaitHeard("connected");
		subscription.reconnect();
		await().until(() -> recorder.count("connected") == 2);
		owner("s").fetch(1);
		enqueue("a", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void closedSubscriptionHearsNothing() {
		Recorder closed = new Recorder();
		WakeUps.Subscription subscription = subscribe("s", closed);
		closed.awaitHeard("connected");
		Recorder open = listen("s");
		subscription.close();
		owner("s").fetch(1);
		enqueue("a", "p");
		open.awaitHeard(WAKE);
		assertThat(closed.heard).doesNotContain(WAKE);
	}

	@Test
	void ownerThatHasNotFetchedYetIsWokenOnce() {
		Recorder recorder = listen("waiting");
		owner("waiting");
		enqueue("a", "p");
		enqueue("b", "p");
		awaitWoken("waiting", recorder, 1);
	}

}
