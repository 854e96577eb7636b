package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

	private static final Duration DURATION = Duration.ofSeconds(15);

	private static final NodeInfo INFO = new NodeInfo("node", 0, List.of("orders"), "{}");

	/**
	 * Writes down what it is told.
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
		this.store.nodes().join(session, DURATION, INFO);
		return recorder;
	}

	/**
	 * Waits until everything sent before has arrived.
	 * @param session the session that listens
	 * @param recorder its listener
	 */
	private void drain(String session, Recorder recorder) {
		long echoes = recorder.count("echo");
		this.store.nodes().beat(session, DURATION, INFO);
		await().until(() -> recorder.count("echo") > echoes);
	}

	private void assertNotWoken(String session, Recorder recorder) {
		drain(session, recorder);
		assertThat(recorder.heard).doesNotContain(WAKE);
	}

	@Test
	void pushOfADueJobWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		owner("s").fetch(1);
		push("a", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void pushOfADelayedJobWakesAnOwnerWhoWaitsForALaterOne() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		pushIn(10_000, "a", "p");
		owner.fetch(1);
		pushIn(5_000, "b", "p");
		recorder.awaitHeard(WAKE);
	}

	@Test
	void pushOfALaterJobThanTheOwnerWaitsForWakesNobody() {
		Recorder recorder = listen("s");
		pushIn(5_000, "a", "p");
		TestOwner owner = owner("s");
		owner.fetch(1);
		pushIn(10_000, "b", "p");
		assertNotWoken("s", recorder);
	}

	@Test
	void pushThatMergesIntoALaterJobWakesNobody() {
		Recorder recorder = listen("s");
		pushIn(5_000, "a", "p");
		TestOwner owner = owner("s");
		owner.fetch(1);
		push("a", "p2");
		assertNotWoken("s", recorder);
	}

	@Test
	void pushWakesNoOwnerWhoDoesNotWait() {
		Recorder recorder = listen("s");
		push("a", "p");
		TestOwner owner = owner("s");
		owner.fetch(1);
		push("b", "p");
		assertNotWoken("s", recorder);
	}

	@Test
	void pushWakesTheOwnerOnly() {
		Recorder other = listen("t");
		Recorder recorder = listen("s");
		owner("s").fetch(1);
		push("a", "p");
		recorder.awaitHeard(WAKE);
		assertNotWoken("t", other);
	}

	@Test
	void ownerIsWokenEachTimeItWaits() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner.fetch(1);
		push("a", "p");
		recorder.awaitHeard(WAKE);
		owner.fetch(1);
		owner.finishAndFetch(new Outcome.Done("a"), 1);
		long before = recorder.count(WAKE);
		push("b", "p");
		await().until(() -> recorder.count(WAKE) > before);
	}

	@Test
	void formerOwnerIsNotWoken() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner.fetch(1);
		owner.release();
		owner("t");
		push("a", "p");
		assertNotWoken("s", recorder);
	}

	@Test
	void resumingWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		push("a", "p");
		TestOwner owner = owner("s");
		this.store.actions().pause(SHARD, true);
		owner.fetch(1);
		assertNotWoken("s", recorder);
		this.store.actions().pause(SHARD, false);
		recorder.awaitHeard(WAKE);
	}

	@Test
	void pushIntoAPausedShardDoesNotKeepResumingFromWakingTheOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		this.store.actions().pause(SHARD, true);
		owner.fetch(1);
		push("a", "p");
		drain("s", recorder);
		owner.fetch(1);
		long before = recorder.count(WAKE);
		this.store.actions().pause(SHARD, false);
		await().until(() -> recorder.count(WAKE) > before);
	}

	@Test
	void performNowWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		pushIn(5_000, "a", "p");
		owner.fetch(1);
		this.store.actions().performNow(SHARD, List.of("a"));
		recorder.awaitHeard(WAKE);
	}

	@Test
	void performAllNowWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		pushIn(5_000, "a", "p");
		owner.fetch(1);
		this.store.actions().performAllNow(SHARD, 10);
		recorder.awaitHeard(WAKE);
	}

	@Test
	void reviveWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		owner.fetch(1);
		this.store.actions().revive(SHARD, List.of("a"));
		recorder.awaitHeard(WAKE);
	}

	@Test
	void reviveAllWakesTheWaitingOwner() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		bury(owner, "a", "p");
		owner.fetch(1);
		this.store.actions().reviveAll(SHARD, 10, now() + 1);
		recorder.awaitHeard(WAKE);
	}

	@Test
	void releaseTellsAllNodes() {
		Recorder one = listen("s");
		Recorder other = listen("t");
		owner("s").release();
		one.awaitHeard(RELEASED);
		other.awaitHeard(RELEASED);
	}

	@Test
	void releaseOfALeaseThatIsNotCurrentTellsNobody() {
		Recorder recorder = listen("s");
		TestOwner owner = owner("s");
		owner("s", Claim.free("s"));
		owner.release();
		drain("s", recorder);
		assertThat(recorder.heard).doesNotContain(RELEASED);
	}

	@Test
	void joiningLeavingAndAssigningTellAllNodes() {
		Recorder recorder = listen("s");
		drain("s", recorder);
		List<Runnable> changes = List.of(() -> this.store.nodes().join("t", DURATION, INFO),
				() -> this.store.nodes().leave("t"),
				() -> this.store.nodes().assign(new Assignment(1, Map.of(SHARD, "s"))));
		for (Runnable change : changes) {
			long before = recorder.count("changed");
			change.run();
			await().until(() -> recorder.count("changed") > before);
		}
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
		push("a", "p");
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
		push("a", "p");
		open.awaitHeard(WAKE);
		assertThat(closed.heard).doesNotContain(WAKE);
	}

	@Test
	void anOwnerThatHasNotFetchedYetIsWokenOnce() {
		Recorder recorder = listen("waiting");
		this.store.shardStore().acquire(SHARD, Claim.free("waiting"));
		this.store.shardStore().push(SHARD, List.of(NewPayload.of("a", new byte[] { 1 })));
		recorder.awaitHeard(WAKE);
		this.store.shardStore().push(SHARD, List.of(NewPayload.of("b", new byte[] { 1 })));
		this.store.nodes().beat("waiting", DURATION, INFO);
		recorder.awaitHeard("echo");
		assertThat(recorder.count(WAKE)).isEqualTo(1);
	}

}
