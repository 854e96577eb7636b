package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.schedule.DefaultShardSplitter;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Store;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.QueueUse;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.LogLines;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

class QueueUsesTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final Duration BEAT = LEASE.dividedBy(5);

	private static final QueueUse SHOP = new QueueUse("shop", "java.lang.Integer");

	private static final QueueUse BILLING = new QueueUse("billing", "java.lang.String");

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	/** Called before a use is recorded. */
	private Runnable meanwhile = () -> {
	};

	private final QueueRegistry queues = Intercepted.of(QueueRegistry.class, this.store.queues(), (method, call) -> {
		this.calls += method.equals("uses") ? 1 : 0;
		if (method.equals("recordUse")) {
			Runnable once = this.meanwhile;
			this.meanwhile = () -> {
			};
			once.run();
		}
		return call.make();
	});

	private final Store parts = Intercepted.of(Store.class, this.store,
			(method, call) -> method.equals("queues") ? this.queues : call.make());

	private int calls;

	private int sessions;

	private final List<Node> living = new ArrayList<>();

	private long now;

	@RegisterExtension
	private final LogLines log = new LogLines(QueueUses.class);

	/** A node with a worker for one queue. */
	private final class Node {

		private final String application;

		private final ServedShards shards;

		private final QueueUses uses;

		private String session = "";

		/** What the client was told last. */
		private Map<String, String> told = new LinkedHashMap<>();

		private Node(String application, Class<?> payloadType, boolean shared) {
			RegisteredWorker.Settings settings = new RegisteredWorker.Settings(2, 1, 3, 100, 1, 0,
					FailurePolicy.DEFAULT, GatheringPolicy.NONE, shared, GroupPolicy.NONE, Limits.NONE);
			this.application = application;
			this.shards = new ServedShards(new WorkerRegistry(List.of(new RegisteredWorker("orders", Worker.class,
					payloadType, settings, () -> (Worker<Object>) (id, payloads) -> {
					}))), QueueUsesTests.this.queues, new DefaultShardSplitter(), 100, 1, InstantSource.system());
			this.uses = new QueueUses(QueueUsesTests.this.parts, this.shards, this::info, LEASE,
					() -> QueueUsesTests.this.now, (queues) -> this.told = queues);
		}

		private NodeInfo info() {
			return new NodeInfo("node-of-" + this.application, 0, LEASE, Set.of(), false, this.application,
					this.shards.payloadTypes(), Build.THIS, this.shards.foreign().keySet(), this.shards.shared());
		}

		private void join() {
			this.shards.serve();
			this.uses.joining();
			this.session = "session" + QueueUsesTests.this.sessions++;
			QueueUsesTests.this.store.nodes().join(this.session, info());
			QueueUsesTests.this.living.add(this);
		}

		private boolean serves() {
			assertThat(this.told).isEqualTo(this.shards.foreign());
			return this.shards.queues().contains("orders");
		}

	}

	private Node started(String application, Class<?> payloadType) {
		return started(application, payloadType, false);
	}

	private Node started(String application, Class<?> payloadType, boolean shared) {
		Node node = new Node(application, payloadType, shared);
		node.join();
		return node;
	}

	private Node startedShop() {
		return started("shop", Integer.class);
	}

	private Node startedBilling() {
		return started("billing", String.class);
	}

	private List<Member> members() {
		return this.store.nodes().members().members();
	}

	/** All nodes send heartbeats for a time. */
	private void beat(Duration time) {
		for (long end = this.now + time.toNanos(); this.now < end;) {
			this.now += BEAT.toNanos();
			this.living.forEach((node) -> node.uses.seen(this.store.nodes().beat(node.session, node.info()).members()));
		}
	}

	private void end(Node... nodes) {
		this.living.removeAll(List.of(nodes));
		List.of(nodes).forEach((node) -> this.store.nodes().leave(node.session));
	}

	private @Nullable QueueUse recorded() {
		return this.store.queues().uses().get("orders");
	}

	/** The entry is lost, here by a removal of the queue. */
	private void forget() {
		assertThat(recorded()).isNotNull();
		this.store.queues().beginRemoval(this.store.queues().find("orders").orElseThrow());
		this.store.queues().endRemoval(this.store.queues().find("orders").orElseThrow());
		assertThat(recorded()).isNull();
	}

	@Test
	void refusesOnlyWhoHasAnotherNameAndAnotherPayloadType() {
		assertThat(startedShop().serves()).isTrue();
		Node billing = startedBilling();
		assertThat(billing.serves()).isFalse();
		assertThat(recorded()).isEqualTo(SHOP);
		assertThat(billing.told).containsOnly(Map.entry("orders",
				"Queue 'orders' belongs to application shop with the payload type java.lang.Integer; "
						+ "this is application billing with the payload type java.lang.String. "
						+ "Give one of them another queue name, or another lowkiq.key-prefix. "
						+ "If each can read the payloads of the other, set lowkiq.workers.orders.shared=true in both"));
		beat(LEASE.multipliedBy(3));
		assertThat(billing.serves()).isFalse();
		assertThat(this.log.warnings()).singleElement()
			.asString()
			.startsWith(
					"Node node-of-billing leaves a queue until no node of the other application has lived for 15 s: Queue 'orders' belongs to application shop ");
	}

	@Test
	void aSharedQueueIsRefusedToNobodyAndStaysWithWhoHasIt() {
		Node shop = startedShop();
		Node billing = started("billing", String.class, true);
		assertThat(billing.serves()).isTrue();
		beat(LEASE.multipliedBy(2));
		assertThat(recorded()).isEqualTo(SHOP);
		assertThat(shop.serves()).isTrue();
		assertThat(this.log.warnings()).isEmpty();
	}

	@Test
	void anApplicationWithoutANameIsNeverRefusedAndRecordsNothing() {
		Node unnamed = started("", String.class);
		beat(LEASE.multipliedBy(2));
		assertThat(recorded()).isNull();
		assertThat(this.calls).isZero();
		assertThat(startedShop().serves()).isTrue();
		assertThat(unnamed.serves()).isTrue();
		assertThat(started(" ", String.class).serves()).isTrue();
		assertThat(recorded()).isEqualTo(SHOP);
	}

	@Test
	void aRenamedApplicationTakesTheEntryOverWithOneWarning() {
		Node shop = startedShop();
		Node store = started("store", Integer.class);
		beat(LEASE.multipliedBy(2));
		assertThat(shop.serves()).isTrue();
		assertThat(store.serves()).isTrue();
		assertThat(recorded()).isEqualTo(new QueueUse("store", "java.lang.Integer"));
		assertThat(this.log.warnings()).containsExactly(
				"Queue 'orders' of application shop with the payload type java.lang.Integer is served by application store now, with the payload type java.lang.Integer");
	}

	@Test
	void aRenamedClassOfOneApplicationTakesTheEntryOverInSilence() {
		Node blue = startedShop();
		Node green = started("shop", Long.class);
		beat(LEASE.multipliedBy(2));
		assertThat(blue.serves()).isTrue();
		assertThat(green.serves()).isTrue();
		assertThat(recorded()).isEqualTo(new QueueUse("shop", "java.lang.Long"));
		assertThat(this.log.warnings()).isEmpty();
		end(blue);
		assertThat(started("store", Integer.class).serves()).isFalse();
		assertThat(started("store", Long.class).serves()).isTrue();
	}

	@Test
	void anotherTypeTakesOverWhenNoNodeHasHadTheRecordedNameForALease() {
		Node shop = startedShop();
		Node billing = startedBilling();
		end(shop);
		beat(LEASE.minus(BEAT));
		Node restarted = startedShop();
		beat(BEAT);
		end(restarted);
		beat(LEASE.minus(BEAT));
		assertThat(billing.serves()).isFalse();
		beat(BEAT);
		assertThat(billing.serves()).isTrue();
		assertThat(recorded()).isEqualTo(BILLING);
		assertThat(this.log.warnings()).hasSize(2)
			.last()
			.asString()
			.isEqualTo(
					"Queue 'orders' of application shop with the payload type java.lang.Integer is served by application billing now, with the payload type java.lang.String");
		assertThat(startedShop().serves()).isFalse();
	}

	@Test
	void theRecordedNameKeepsTheQueueAlsoOnANodeThatDoesNotServeIt() {
		Node shop = startedShop();
		shop.shards.stop("orders", true);
		Node billing = startedBilling();
		beat(LEASE.multipliedBy(2));
		assertThat(billing.serves()).isFalse();
	}

	@Test
	void aServerThatRunsWritesALostEntryAgainAndWhoWasRefusedWaits() {
		Node shop = startedShop();
		Node billing = startedBilling();
		forget();
		beat(LEASE.multipliedBy(2));
		assertThat(recorded()).isEqualTo(SHOP);
		assertThat(shop.serves()).isTrue();
		assertThat(billing.serves()).isFalse();
	}

	@Test
	void whoWasRefusedTakesAMissingEntryAfterALease() {
		end(startedShop());
		Node billing = startedBilling();
		beat(LEASE.minus(BEAT));
		forget();
		beat(LEASE);
		assertThat(billing.serves()).isFalse();
		beat(BEAT);
		assertThat(billing.serves()).isTrue();
		assertThat(recorded()).isEqualTo(BILLING);
	}

	@Test
	void aLostEntryIsNotTakenWhileANodeLivesThatServes() {
		startedShop();
		Node billing = startedBilling();
		forget();
		for (int i = 0; i < 15; i++) {
			this.now += BEAT.toNanos();
			billing.uses.seen(members());
		}
		assertThat(billing.serves()).isFalse();
		assertThat(recorded()).isNull();
	}

	@Test
	void ofTwoThatWereRefusedOneTakesAMissingEntry() {
		Node shop = startedShop();
		Node billing = startedBilling();
		Node third = started("third", Double.class);
		end(shop);
		forget();
		beat(LEASE.plus(BEAT));
		assertThat(billing.serves()).isTrue();
		assertThat(third.serves()).isFalse();
	}

	@Test
	void anOutageStartsTheWaitAgain() {
		end(startedShop());
		Node billing = startedBilling();
		beat(LEASE.minus(BEAT));
		end(billing);
		this.now += LEASE.toNanos();
		billing.join();
		beat(LEASE.minus(BEAT));
		assertThat(billing.serves()).isFalse();
		beat(BEAT);
		assertThat(billing.serves()).isTrue();
	}

	@Test
	void whoStartsLeavesALostEntryToALivingNodeThatServes() {
		Node shop = startedShop();
		forget();
		Node billing = startedBilling();
		assertThat(billing.serves()).isFalse();
		assertThat(billing.told.get("orders")).startsWith("Queue 'orders' belongs to application shop with");
		beat(LEASE.multipliedBy(3));
		assertThat(recorded()).isEqualTo(SHOP);
		assertThat(shop.serves()).isTrue();
		assertThat(billing.serves()).isFalse();
	}

	@Test
	void aServerThatComesBackLeavesAQueueThatWasTakenOver() {
		Node shop = startedShop();
		Node billing = startedBilling();
		end(shop);
		beat(LEASE.plus(BEAT));
		assertThat(billing.serves()).isTrue();
		shop.join();
		assertThat(shop.serves()).isFalse();
		beat(LEASE.multipliedBy(2));
		assertThat(billing.serves()).isTrue();
		assertThat(shop.serves()).isFalse();
	}

	@Test
	void ofTwoThatTakeTheQueueTheFirstGetsIt() {
		Node third = new Node("third", Double.class, false);
		this.meanwhile = third::join;
		Node billing = startedBilling();
		assertThat(third.serves()).isTrue();
		assertThat(billing.serves()).isFalse();
		assertThat(recorded()).isEqualTo(new QueueUse("third", "java.lang.Double"));
	}

	@Test
	void aPersonWhoStartsTheQueueMovesIt() {
		Node shop = startedShop();
		Node billing = startedBilling();
		beat(BEAT);
		assertThat(billing.shards.stop("orders", false)).isTrue();
		beat(BEAT);
		assertThat(recorded()).isEqualTo(BILLING);
		beat(LEASE);
		assertThat(billing.serves()).isTrue();
		assertThat(shop.serves()).isFalse();
	}

	@Test
	void asksAtEachHeartbeatWhileAQueueIsRefusedElseOnceALease() {
		startedShop();
		this.calls = 0;
		beat(LEASE.multipliedBy(4));
		assertThat(this.calls).isEqualTo(4);
		startedBilling();
		this.calls = 0;
		beat(LEASE);
		assertThat(this.calls).isEqualTo(1 + 5);
	}

}
