package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.lowkiq.testing.Intercepted;
import ch.qos.logback.classic.Level;
import io.lowkiq.LowkiqClient;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.Timeout;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.held;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two applications have workers for one queue, with different payloads.
 */
@Timeout(90)
class ForeignQueueServerTests {

	private static final int SHARDS = 4;

	/** So that a node without heartbeats lives as long as the test. */
	private static final Duration LONG_LEASE = Duration.ofMinutes(10);

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final ServerFixture shop = new ServerFixture(this.store);

	private final ServerFixture billing = new ServerFixture(this.store);

	private final List<LowkiqServer> servers = new ArrayList<>();

	/** Which application has performed each id. */
	private final Map<String, String> performed = new ConcurrentHashMap<>();

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq.engine.lease.QueueClaims");

	@BeforeEach
	void setUp() {
		this.shop.worker("orders", settings(SHARDS, 1, 5),
				(Worker<Integer>) (id, payloads) -> this.performed.put(id, "shop"));
		Worker<String> orders = (id, payloads) -> this.performed.put(id, "billing");
		this.billing
			.worker(new RegisteredWorker("orders", orders.getClass(), String.class, settings(SHARDS, 1, 5),
					() -> orders))
			.worker("mails", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> this.performed.put(id, "billing"));
	}

	@AfterEach
	void stopServers() {
		this.servers.forEach((server) -> server.stop(Duration.ofSeconds(10)));
		this.billing.close();
		this.shop.close();
	}

	private LowkiqServer started(LowkiqServer server) {
		this.servers.add(server);
		server.start();
		return server;
	}

	private LowkiqServer startedShop() {
		return started(this.shop.server((builder) -> builder.settings(ServerFixture.BRIEF_LEASE).application("shop")));
	}

	private LowkiqServer servingShop() {
		LowkiqServer server = startedShop();
		ServerFixture.awaitHeld(SHARDS, server);
		return server;
	}

	private static LowkiqServer.Builder billing(LowkiqServer.Builder builder) {
		return builder.settings(ServerFixture.BRIEF_LEASE).application("billing");
	}

	private LowkiqServer startedBilling() {
		return started(this.billing.server(ForeignQueueServerTests::billing));
	}

	private static Map<Shard, Long> epochs(LowkiqServer server) {
		return server.status()
			.shards()
			.stream()
			.filter(ShardStatus::held)
			.collect(Collectors.toMap(ShardStatus::shard, ShardStatus::epoch));
	}

	private Member member(LowkiqServer server) {
		return this.store.nodes()
			.members()
			.members()
			.stream()
			.filter((member) -> member.session().equals(server.status().session()))
			.findFirst()
			.orElseThrow();
	}

	/** A node that sends no heartbeat. */
	private void join(NodeRegistry registry, String application, String type, Duration lease) {
		registry.join(application, node(application, type, lease));
	}

	private static NodeInfo node(String application, String type, Duration lease) {
		return new NodeInfo("node-of-" + application, 0, lease, Set.of(), false, application, Map.of("orders", type));
	}

	@Test
	void theSecondApplicationServesItsOtherQueuesOnly() {
		LowkiqServer first = servingShop();
		Map<Shard, Long> before = epochs(first);
		LowkiqServer second = startedBilling();
		LowkiqClient client = this.billing.client();
		for (int i = 0; i < 50; i++) {
			this.shop.client().enqueue("orders", "id" + i, 1);
		}
		client.enqueue("mails", "mail", 1);
		await().atMost(PATIENCE).until(() -> this.performed.size() == 51);
		await().atMost(PATIENCE).until(() -> member(second).beats() > 2);
		assertThat(this.performed.remove("mail")).isEqualTo("billing");
		assertThat(this.performed).doesNotContainValue("billing");
		assertThat(epochs(first)).isEqualTo(before);
		assertThat(second.status().foreignQueues()).containsOnlyKeys("orders");
		assertThat(second.status().stoppedQueues()).isEmpty();
		assertThat(member(second).info().foreignQueues()).containsExactly("orders");
		assertThat(first.status().foreignQueues()).isEmpty();
		assertThat(this.log.warnings()).singleElement()
			.asString()
			.startsWith("Queue 'orders' is not served by node ")
			.contains("application shop (node ", "java.lang.Integer");
	}

	/** It was not there yet when this node looked, and joined before this node. */
	@Test
	void anApplicationThatJoinsMeanwhileIsFirst() {
		NodeRegistry registry = this.store.nodes();
		AtomicBoolean looked = new AtomicBoolean();
		NodeRegistry late = Intercepted.of(NodeRegistry.class, registry, (method, call) -> {
			if (method.equals("join") && looked.compareAndSet(false, true)) {
				join(registry, "shop", "java.lang.Integer", LONG_LEASE);
			}
			return call.make();
		});
		LowkiqServer second = started(this.billing.server(ForeignQueueServerTests::billing, late));
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(second.status().session()).isNotNull();
			assertThat(member(second).info().foreignQueues()).containsExactly("orders");
			assertThat(held(second)).extracting(Shard::queue).containsExactly("mails");
		});
	}

	/** Its node was dead, and starts again between two heartbeats of this one. */
	@Test
	void anApplicationThatIsBackBeforeTheQueueIsClaimedKeepsIt() {
		NodeRegistry registry = this.store.nodes();
		assertLeftIfAnotherIsFaster(() -> join(registry, "shop", "java.lang.Integer", LONG_LEASE));
	}

	/** Both had left it to the dead node. */
	@Test
	void ofTwoApplicationsTheOneThatClaimsFirstTakesADeadNodesQueue() {
		NodeRegistry registry = this.store.nodes();
		NodeInfo third = node("third", "java.lang.Double", LONG_LEASE);
		registry.join("third", new NodeInfo("node-of-third", 0, LONG_LEASE, Set.of(), false, "third",
				third.payloadTypes(), third.build(), Set.of("orders"), Set.of()));
		assertLeftIfAnotherIsFaster(() -> registry.beat("third", third));
	}

	/** The other one comes right after this node has seen that nobody has the queue. */
	private void assertLeftIfAnotherIsFaster(Runnable other) {
		NodeRegistry registry = this.store.nodes();
		join(registry, "dead", "java.lang.Integer", Duration.ofSeconds(1));
		AtomicBoolean isThere = new AtomicBoolean();
		NodeRegistry interrupted = Intercepted.of(NodeRegistry.class, registry, (method, call) -> {
			Object answer = call.make();
			if (method.equals("beat")
					&& ((Membership) answer).members().stream().noneMatch((member) -> member.session().equals("dead"))
					&& isThere.compareAndSet(false, true)) {
				other.run();
			}
			return answer;
		});
		LowkiqServer second = started(this.billing.server(ForeignQueueServerTests::billing, interrupted));
		await().atMost(PATIENCE).untilTrue(isThere);
		long seen = member(second).beats();
		await().atMost(PATIENCE).until(() -> member(second).beats() > seen + 3);
		assertThat(second.status().foreignQueues()).containsOnlyKeys("orders");
		assertThat(member(second).info().foreignQueues()).containsExactly("orders");
		assertThat(held(second)).extracting(Shard::queue).containsExactly("mails");
		assertThat(this.log.events()).noneMatch((line) -> line.getLevel() == Level.INFO);
	}

	@Test
	void aDeadNodeKeepsNoQueue() {
		join(this.store.nodes(), "shop", "java.lang.Integer", Duration.ofSeconds(1));
		LowkiqServer second = startedBilling();
		ServerFixture.awaitHeld(SHARDS + 1, second);
		assertThat(this.log.warnings()).hasSize(1);
		assertThat(second.status().foreignQueues()).isEmpty();
	}

	@Test
	void aQueueIsNotTakenOverWhileTheOtherApplicationIsRestarted() {
		LowkiqServer first = servingShop();
		LowkiqServer second = startedBilling();
		await().atMost(PATIENCE).until(() -> held(second).size() == 1 && member(second).beats() > 3);
		first.stop(PATIENCE);
		long seen = member(second).beats();
		await().atMost(PATIENCE).until(() -> member(second).beats() > seen + 3);
		assertThat(held(second)).extracting(Shard::queue).containsExactly("mails");
		first.start();
		ServerFixture.awaitHeld(SHARDS, first);
		assertThat(first.status().foreignQueues()).isEmpty();
	}

	@Test
	void aPersonMayStartTheQueue() {
		LowkiqServer first = servingShop();
		LowkiqServer second = startedBilling();
		await().atMost(PATIENCE).until(() -> held(second).size() == 1 && member(second).beats() > 3);
		first.stop(PATIENCE);
		assertThat(second.startQueue("orders")).isTrue();
		assertThat(second.startQueue("orders")).isFalse();
		ServerFixture.awaitHeld(SHARDS + 1, second);
	}

	@Test
	void whatIsServedIsNotLeftWhenTheStoreHasForgottenWhoWasFirst() {
		LowkiqServer first = servingShop();
		String session = String.valueOf(first.status().session());
		join(this.store.nodes(), "billing", "java.lang.String", LONG_LEASE);
		await().atMost(PATIENCE).until(() -> this.store.nodes().end(session, member(first).beats(), false));
		await().atMost(PATIENCE)
			.until(() -> first.status().session() != null && !session.equals(first.status().session())
					&& held(first).size() == SHARDS);
		assertThat(this.log.warnings()).isEmpty();
	}

	@Test
	void anotherNodeOfAnApplicationThatServesTheQueueDoes() {
		join(this.store.nodes(), "billing", "java.lang.String", LONG_LEASE);
		join(this.store.nodes(), "shop", "java.lang.Integer", LONG_LEASE);
		this.store.nodes().beat("shop", node("shop", "java.lang.Integer", LONG_LEASE));
		servingShop();
		assertThat(this.log.warnings()).isEmpty();
	}

	@Test
	void aClaimWithoutAHeartbeatDoesNotCount() {
		join(this.store.nodes(), "billing", "java.lang.String", LONG_LEASE);
		join(this.store.nodes(), "shop", "java.lang.Integer", LONG_LEASE);
		LowkiqServer server = startedShop();
		await().atMost(PATIENCE).until(() -> server.status().foreignQueues().containsKey("orders"));
	}

	@Test
	void bothServeTheQueueIfThatIsAllowedOrNoNameTellsThemApart() {
		LowkiqServer first = servingShop();
		LowkiqServer second = started(this.billing.server((builder) -> billing(builder).refuseForeignQueues(false)));
		await().atMost(PATIENCE).until(() -> held(first).size() == 2 && held(second).size() == 3);
		LowkiqServer third = started(this.billing.server((builder) -> builder.settings(ServerFixture.BRIEF_LEASE)));
		await().atMost(PATIENCE).until(() -> held(third).size() > 0);
		assertThat(this.log.warnings()).isEmpty();
	}

	@Test
	void theSchedulesOfAQueueGoWithIt() {
		this.billing.worker(new RegisteredWorker("orders.schedules", Worker.class, String.class, settings(1, 1, 5),
				() -> (Worker<String>) (id, payloads) -> {
				}, new JacksonPayloadCodec()));
		servingShop();
		LowkiqServer second = startedBilling();
		await().atMost(PATIENCE).until(() -> held(second).size() == 1);
		assertThat(second.status().foreignQueues()).containsOnlyKeys("orders", "orders.schedules");
		assertThat(member(second).info().payloadTypes()).containsOnlyKeys("orders", "mails");
	}

}
