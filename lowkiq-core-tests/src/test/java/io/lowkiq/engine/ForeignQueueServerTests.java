package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.lowkiq.LowkiqClient;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.QueueUse;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.held;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two applications have workers for one queue, with different payloads. */
class ForeignQueueServerTests {

	private static final int SHARDS = 4;

	/** Long enough for a busy machine: a queue is taken over after a lease. */
	private static final ServerSettings SETTINGS = settings(5, Duration.ofSeconds(5));

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final ServerFixture shop = new ServerFixture(this.store);

	private final ServerFixture billing = new ServerFixture(this.store);

	private final List<LowkiqServer> servers = new ArrayList<>();

	/** Which application has performed each id. */
	private final Map<String, String> performed = new ConcurrentHashMap<>();

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq.engine.lease.QueueUses");

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

	private LowkiqServer servingShop() {
		LowkiqServer server = started(this.shop.server((builder) -> builder.settings(SETTINGS).application("shop")));
		ServerFixture.awaitHeld(SHARDS, server);
		return server;
	}

	private LowkiqServer startedBilling() {
		return started(this.billing.server((builder) -> builder.settings(SETTINGS).application("billing")));
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
			.contains(": Queue 'orders' belongs to application shop with the payload type java.lang.Integer; ");
	}

	@Test
	void theSecondApplicationTakesTheQueueOfDeadNodes() {
		this.store.nodes()
			.join("dead", new NodeInfo("dead", 0, Duration.ofSeconds(1), Set.of(), false, "shop", Map.of()));
		this.store.queues().recordUse("orders", null, new QueueUse("shop", "java.lang.Integer"));
		LowkiqServer second = started(
				this.billing.server((builder) -> builder.settings(ServerFixture.BRIEF_LEASE).application("billing")));
		ServerFixture.awaitHeld(SHARDS + 1, second);
		assertThat(second.status().foreignQueues()).isEmpty();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(member(second).info().foreignQueues()).isEmpty());
		assertThat(this.log.warnings()).hasSize(2);
	}

	@Test
	void aPersonMovesTheQueueWithItsShards() {
		LowkiqServer first = servingShop();
		LowkiqServer second = startedBilling();
		await().atMost(PATIENCE).until(() -> held(second).size() == 1);
		assertThat(second.startQueue("orders")).isTrue();
		assertThat(second.startQueue("orders")).isFalse();
		ServerFixture.awaitHeld(SHARDS + 1, second);
		assertThat(first.status().foreignQueues()).containsOnlyKeys("orders");
		assertThat(held(first)).isEmpty();
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
