package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One of three masters of a cluster does not respond. Whoever looks a queue up meanwhile
 * uses the shards of the other two.
 */
class MasterAwayIntegrationTests {

	private static final String QUEUE = "orders";

	private static final QueueLayout LAYOUT = new QueueLayout(QUEUE, 1, 12);

	private static final List<String> IDS = IntStream.range(0, 40).mapToObj((i) -> "order-" + i).toList();

	private final RedisClusterProcess cluster = RedisClusterProcess.start("--cluster-require-full-coverage", "no");

	private final List<Runnable> closing = new ArrayList<>();

	private final RedisStore store = newStore();

	private final ServerFixture fixture = new ServerFixture(this.store);

	private final AtomicLong nanoTime = new AtomicLong();

	/** By id: how often it was performed. */
	private final Map<String, AtomicInteger> performs = new ConcurrentHashMap<>();

	MasterAwayIntegrationTests() {
		this.fixture.worker(QUEUE, ServerFixture.settings(LAYOUT.shards(), 1, 25),
				(Worker<Integer>) (id, payloads) -> performs(id).incrementAndGet());
	}

	@AfterEach
	void close() {
		this.cluster.masters().forEach(RedisProcess::resume);
		this.fixture.close();
		this.closing.forEach(Runnable::run);
		this.cluster.close();
	}

	/** A store with connections of its own, as another process has it. */
	private RedisStore newStore() {
		LettuceConnectionFactory connections = TestRedis.connectionFactory(
				new RedisClusterConfiguration(this.cluster.nodes()),
				(client) -> client.commandTimeout(Duration.ofSeconds(5)));
		RedisStore made = new RedisStore(connections, "lowkiq", null);
		this.closing.add(made::close);
		this.closing.add(connections::destroy);
		return made;
	}

	private StoreEnqueuer client(RedisStore on) {
		return new StoreEnqueuer(new WorkerRegistry(List.of()), List.of(new QueueDeclaration(QUEUE, LAYOUT.shards())),
				on.shards(), on.queues(), LowkiqObserver.NONE, this.nanoTime::get);
	}

	private AtomicInteger performs(String id) {
		return this.performs.computeIfAbsent(id, (key) -> new AtomicInteger());
	}

	private RedisProcess masterOf(String key) {
		return this.cluster.masterOf(SlotHash.getSlot(key));
	}

	private List<String> healthy(RedisProcess away) {
		return IDS.stream().filter((id) -> masterOf(LAYOUT.shardOf(id).toString()) != away).toList();
	}

	private Set<Shard> healthyShards(RedisProcess away) {
		return LAYOUT.allShards()
			.stream()
			.filter((shard) -> masterOf(shard.toString()) != away)
			.collect(Collectors.toSet());
	}

	/** The master with neither the records nor the nodes. */
	private RedisProcess onlyShards() {
		return this.cluster.masters()
			.stream()
			.filter((master) -> master != masterOf("queues") && master != masterOf("nodes"))
			.findFirst()
			.orElseThrow();
	}

	private static ConditionFactory awaitLong() {
		return await().atMost(Duration.ofMinutes(2));
	}

	/** Returns the ids that are not certainly enqueued. */
	private static List<String> enqueue(StoreEnqueuer client) {
		return client.enqueueByShard(QUEUE, IDS.stream().map((id) -> NewPayload.of(id, new byte[] { '1' })).toList())
			.stream()
			.flatMap((some) -> some.positions().stream())
			.map(IDS::get)
			.toList();
	}

	/** Who enqueues while a master is away. */
	enum Client {

		STARTS, HAS_NEVER_USED_THE_QUEUE, LOOKS_AGAIN, LOOKS_AGAIN_WITHOUT_THE_RECORDS

	}

	@ParameterizedTest
	@EnumSource
	void aClientEnqueuesIntoTheShardsOfTheOthers(Client kind) {
		LowkiqServer server = this.fixture.started();
		awaitLong().untilAsserted(() -> assertThat(ServerFixture.held(server)).hasSize(LAYOUT.shards()));
		StoreEnqueuer known = client(this.store);
		known.check(QUEUE);
		RedisProcess away = (kind == Client.LOOKS_AGAIN_WITHOUT_THE_RECORDS) ? masterOf("queues") : onlyShards();
		assertThat(masterOf("nodes")).isNotSameAs(away);
		List<String> healthy = healthy(away);
		assertThat(healthy).isNotEmpty().hasSizeLessThan(IDS.size());
		away.pause();
		StoreEnqueuer client = switch (kind) {
			case STARTS -> client(newStore());
			case HAS_NEVER_USED_THE_QUEUE -> client(this.store);
			case LOOKS_AGAIN, LOOKS_AGAIN_WITHOUT_THE_RECORDS -> known;
		};
		this.nanoTime.addAndGet(Duration.ofMinutes(61).toNanos());
		List<String> refused = enqueue(client);
		assertThat(refused).hasSize(IDS.size() - healthy.size()).doesNotContainAnyElementsOf(healthy);
		awaitLong()
			.untilAsserted(() -> assertThat(healthy).allSatisfy((id) -> assertThat(performs(id)).as(id).hasValue(1)));
		assertThat(refused).allSatisfy((id) -> assertThat(performs(id)).as(id).hasValue(0));
		away.resume();
		awaitLong().until(() -> enqueue(client).isEmpty());
		awaitLong().untilAsserted(
				() -> assertThat(IDS).allSatisfy((id) -> assertThat(performs(id)).as(id).hasPositiveValue()));
	}

	@Test
	void aNodeThatStartsServesTheShardsOfTheOthers() {
		RedisProcess away = onlyShards();
		away.pause();
		LowkiqServer server = this.fixture.started((builder) -> builder.settings(ServerFixture.BRIEF_LEASE));
		awaitLong().untilAsserted(
				() -> assertThat(ServerFixture.held(server)).containsExactlyInAnyOrderElementsOf(healthyShards(away)));
		away.resume();
		awaitLong().untilAsserted(() -> assertThat(ServerFixture.held(server)).hasSize(LAYOUT.shards()));
	}

	@Test
	void aNodeThatLosesItsSessionServesTheShardsOfTheOthersAgain() {
		RedisProcess away = onlyShards();
		AtomicBoolean cut = new AtomicBoolean();
		LowkiqServer server = this.fixture.server((builder) -> builder.settings(ServerFixture.BRIEF_LEASE),
				new SilentRegistry(this.store.nodes(), cut).nodes);
		server.start();
		awaitLong().untilAsserted(() -> assertThat(ServerFixture.held(server)).hasSize(LAYOUT.shards()));
		away.pause();
		cut.set(true);
		awaitLong().untilAsserted(() -> assertThat(ServerFixture.held(server)).isEmpty());
		cut.set(false);
		awaitLong().untilAsserted(
				() -> assertThat(ServerFixture.held(server)).containsExactlyInAnyOrderElementsOf(healthyShards(away)));
		away.resume();
		awaitLong().untilAsserted(() -> assertThat(ServerFixture.held(server)).hasSize(LAYOUT.shards()));
	}

}
