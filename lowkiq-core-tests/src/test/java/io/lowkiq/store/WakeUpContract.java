package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages to waiting nodes. */
abstract class WakeUpContract extends StoreContract {

	private static final NodeInfo INFO = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of("orders"), false);

	private static final String WAKE = "wake " + SHARD;

	private static final String RELEASED = "released " + SHARD;

	private final List<WakeUps.Subscription> subscriptions = new ArrayList<>();

	/** What the session {@code s} hears. */
	private HeardMessages recorder = new HeardMessages();

	@BeforeEach
	void listen() {
		this.recorder = listen("s");
	}

	@AfterEach
	void unsubscribe() {
		this.subscriptions.forEach(WakeUps.Subscription::close);
	}

	private WakeUps.Subscription subscribe(String session, HeardMessages recorder) {
		WakeUps.Subscription subscription = this.store.wakeUps().subscribe(session, recorder);
		this.subscriptions.add(subscription);
		recorder.awaitHeard("connected");
		return subscription;
	}

	private HeardMessages listen(String session) {
		HeardMessages heard = new HeardMessages();
		subscribe(session, heard);
		this.store.nodes().join(session, INFO);
		return heard;
	}

	/** Waits until everything sent before has arrived. */
	private void drain(String session, HeardMessages heard) {
		long echoes = heard.count("echo");
		this.store.nodes().beat(session, INFO);
		HeardMessages.await().until(() -> heard.count("echo") > echoes);
	}

	/**
	 * Expects so many wake-ups of {@code s} since it listens, and no other on the way. In
	 * a cluster the messages of different masters may overtake each other, so that one
	 * too many may be missed there, but none is missing.
	 */
	private void thenWoken(int times) {
		HeardMessages.await().until(() -> this.recorder.count(WAKE) >= times);
		drain("s", this.recorder);
		assertThat(this.recorder.count(WAKE)).isEqualTo(times);
	}

	/** Expects that the session {@code s} is woken by this, whatever it heard before. */
	private void thenWokenBy(Runnable action) {
		drain("s", this.recorder);
		long before = this.recorder.count(WAKE);
		action.run();
		HeardMessages.await().until(() -> this.recorder.count(WAKE) > before);
	}

	private void thenNotWoken() {
		thenWoken(0);
	}

	/** An owner that has fetched what there is, and waits. */
	private TestOwner waitingOwner() {
		TestOwner owner = owner("s");
		owner.fetch(1);
		return owner;
	}

	/** The holder may not know that it holds the shard. */
	@Test
	void holderIsWokenWhenAnotherSessionIsRefused() {
		owner("s");
		thenWokenBy(() -> acquire(LeaseRequest.forFreeShard("t")));
		thenCounts().session("s");
	}

	@Test
	void sessionThatAsksForItsOwnShardWakesNobody() {
		owner("s");
		acquire(LeaseRequest.ifHeld("s"));
		thenNotWoken();
	}

	@Test
	void enqueuedDueJobWakesTheWaitingOwner() {
		waitingOwner();
		thenWokenBy(() -> enqueue("a", "p"));
	}

	@Test
	void enqueuedDelayedJobWakesAnOwnerThatWaitsForALaterOne() {
		enqueueIn(10_000, "a", "p");
		waitingOwner();
		thenWokenBy(() -> enqueueIn(5_000, "b", "p"));
	}

	@Test
	void enqueuedJobThatIsDueLaterThanTheOwnerWaitsForWakesNobody() {
		enqueueIn(5_000, "a", "p");
		waitingOwner();
		enqueueIn(10_000, "b", "p");
		thenNotWoken();
	}

	@Test
	void payloadThatMovesItsJobForwardWakesTheWaitingOwner() {
		enqueueIn(5_000, "a", "p");
		waitingOwner();
		thenWokenBy(() -> enqueue("a", "p2"));
	}

	@Test
	void payloadThatMergesWithoutMovingItsJobWakesNobody() {
		TestOwner owner = owner("s");
		fail("retry", "p", 10_000);
		enqueueIn(5_000, "a", "p");
		owner.fetch(1);
		thenWoken(1);
		enqueueIn(6_000, "a", "p2");
		enqueue("retry", "p2");
		thenWoken(1);
	}

	@Test
	void payloadForABusyIdWakesNobody() {
		performing("a", "p").fetch(1);
		thenWoken(1);
		enqueue("a", "p2");
		enqueueIn(5_000, "a", "p3");
		thenWoken(1);
		enqueue("b", "p");
		thenWoken(2);
	}

	@Test
	void fetchThatReturnsAllItAskedForTakesTheWordBack() {
		enqueue("a", "p");
		owner("s").fetch(1);
		enqueue("b", "p");
		thenNotWoken();
	}

	@Test
	void fetchThatReturnsSomeButFewerThanItAskedForLeavesWord() {
		enqueue("a", "p");
		owner("s").fetch(2);
		thenWokenBy(() -> enqueue("b", "p"));
	}

	@Test
	void callThatAsksForNothingLeavesTheWordAsItIs() {
		TestOwner owner = owner("s");
		enqueueEach("a", "b");
		thenWoken(1);
		owner.fetch(1);
		owner.complete(done("a"));
		enqueue("c", "p");
		thenWoken(1);
		owner.fetch(3);
		owner.complete(done("b"));
		enqueue("d", "p");
		thenWoken(2);
	}

	@Test
	void callOutOfStepLeavesTheWordAsItIs() {
		enqueueIn(5_000, "a", "p");
		TestOwner owner = waitingOwner();
		assertThat(owner.call(1, 0, List.of(), new Fetch(1, 1, false))).isInstanceOf(FetchResult.OutOfStep.class);
		enqueueIn(6_000, "b", "p");
		thenNotWoken();
		thenWokenBy(() -> enqueueIn(4_000, "c", "p"));
	}

	@Test
	void ownerIsWokenOnceUntilItFetchesAgain() {
		waitingOwner();
		enqueueEach("a", "b");
		actions().pause(SHARD, false);
		thenWoken(1);
	}

	@Test
	void oneCallWithManyPayloadsWakesOnce() {
		waitingOwner();
		enqueue(NewPayload.of("a", bytes("p")), NewPayload.of("b", bytes("p")), NewPayload.of("a", bytes("p2")));
		thenWoken(1);
	}

	@Test
	void jobThatAnOutcomeMakesDueIsInTheAnswerAndWakesNobody() {
		TestOwner owner = owner("s");
		enqueue("a", "p");
		thenWoken(1);
		owner.fetch(2);
		then(owner.complete(returned("a"))).next(now());
		thenWoken(1);
	}

	@Test
	void suspectIsNoReasonToWaitShorter() {
		crash("a", 2, "p").release();
		then(owner("s").fetch(1)).next(FetchResult.NOTHING);
		thenWokenBy(() -> enqueueIn(60_000, "b", "p"));
	}

	@Test
	void enqueueWakesTheOwnerOnly() {
		HeardMessages other = listen("t");
		waitingOwner();
		thenWokenBy(() -> enqueue("a", "p"));
		drain("t", other);
		assertThat(other.all()).doesNotContain(WAKE);
	}

	@Test
	void ownerIsWokenEachTimeItWaits() {
		TestOwner owner = waitingOwner();
		thenWokenBy(() -> enqueue("a", "p"));
		owner.fetch(1);
		owner.completeAndFetch(done("a"), 1);
		thenWokenBy(() -> enqueue("b", "p"));
	}

	@Test
	void formerOwnerIsNotWoken() {
		waitingOwner().release();
		owner("t");
		enqueue("a", "p");
		thenNotWoken();
	}

	@Test
	void resumingWakesTheWaitingOwner() {
		enqueue("a", "p");
		actions().pause(SHARD, true);
		waitingOwner();
		thenNotWoken();
		thenWokenBy(() -> actions().pause(SHARD, false));
	}

	@Test
	void enqueueIntoAPausedShardDoesNotKeepResumingFromWakingTheOwner() {
		actions().pause(SHARD, true);
		waitingOwner();
		enqueue("a", "p");
		thenNotWoken();
		actions().pause(SHARD, false);
		thenWoken(1);
	}

	@Test
	void performNowWakesTheWaitingOwner() {
		enqueueIn(5_000, "a", "p");
		waitingOwner();
		thenWokenBy(() -> actions().performNow(SHARD, List.of("a")));
	}

	@Test
	void performAllNowWakesTheWaitingOwner() {
		enqueueIn(5_000, "a", "p");
		waitingOwner();
		thenWokenBy(() -> actions().performAllNow(SHARD, 10));
	}

	@Test
	void reEnqueueWakesTheWaitingOwner() {
		TestOwner owner = owner("s");
		bury("a", "p");
		owner.fetch(1);
		thenWokenBy(() -> actions().reEnqueue(SHARD, List.of("a")));
	}

	@Test
	void reEnqueueAllWakesTheWaitingOwner() {
		TestOwner owner = owner("s");
		bury("a", "p");
		owner.fetch(1);
		thenWokenBy(() -> actions().reEnqueueAll(SHARD, 10, now() + 1));
	}

	@Test
	void releaseNotifiesAllNodes() {
		HeardMessages other = listen("t");
		owner("s").release();
		this.recorder.awaitHeard(RELEASED);
		other.awaitHeard(RELEASED);
	}

	@Test
	void releaseOfALeaseThatIsNotCurrentNotifiesNobody() {
		TestOwner owner = owner("s");
		owner("s", LeaseRequest.forFreeShard("s"));
		owner.release();
		drain("s", this.recorder);
		assertThat(this.recorder.all()).doesNotContain(RELEASED);
	}

	@Test
	void changesOfTheRegistryNotifyAllNodes() {
		drain("s", this.recorder);
		NodeInfo stopping = new NodeInfo("node", 0, Duration.ofSeconds(15), Set.of(), true);
		NodeRegistry nodes = this.store.nodes();
		List<Runnable> changes = List.of(() -> nodes.join("t", INFO), () -> nodes.leave("t"),
				() -> nodes.join("u", INFO), () -> nodes.end("u", 0, true), () -> nodes.beat("s", stopping),
				() -> nodes.assign(new Assignment(1, Map.of(SHARD, "s"))));
		for (Runnable change : changes) {
			long before = this.recorder.count("changed");
			change.run();
			HeardMessages.await().until(() -> this.recorder.count("changed") > before);
		}
	}

	@Test
	void whatChangesNothingInTheRegistryNotifiesNobody() {
		NodeRegistry nodes = this.store.nodes();
		nodes.join("t", INFO);
		nodes.join("ended", INFO);
		nodes.leave("ended");
		drain("s", this.recorder);
		long before = this.recorder.count("changed");
		nodes.join("ended", INFO);
		nodes.leave("ended");
		nodes.end("ended", 0, true);
		nodes.beat("t", INFO);
		nodes.end("t", 7, true);
		nodes.leave("unknown");
		nodes.end("unknown", 0, true);
		nodes.assign(new Assignment(2, Map.of()));
		nodes.report("t", "{}");
		drain("s", this.recorder);
		assertThat(this.recorder.count("changed")).isEqualTo(before);
	}

	@Test
	void heartbeatOfAnEndedSessionIsNotEchoed() {
		HeardMessages other = listen("t");
		this.store.nodes().leave("s");
		this.store.nodes().beat("s", INFO);
		drain("t", other);
		assertThat(this.recorder.count("echo")).isZero();
	}

	@Test
	void heartbeatIsEchoedToItsSessionOnly() {
		HeardMessages other = listen("t");
		drain("s", this.recorder);
		drain("t", other);
		assertThat(this.recorder.count("echo")).isEqualTo(1);
		assertThat(other.count("echo")).isEqualTo(1);
	}

	@Test
	void listenerHearsMessagesAfterReconnecting() {
		this.subscriptions.get(0).reconnect();
		HeardMessages.await().until(() -> this.recorder.count("connected") == 2);
		waitingOwner();
		thenWokenBy(() -> enqueue("a", "p"));
	}

	@Test
	void closedSubscriptionHearsNothing() {
		HeardMessages closed = new HeardMessages();
		subscribe("s", closed).close();
		waitingOwner();
		thenWokenBy(() -> enqueue("a", "p"));
		assertThat(closed.all()).doesNotContain(WAKE);
	}

	@Test
	void ownerThatHasNotFetchedYetIsWokenOnce() {
		owner("s");
		enqueueEach("a", "b");
		thenWoken(1);
	}

}
