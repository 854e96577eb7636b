package io.lowkiq.reliability.outage;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One of three masters is stopped for a minute. All the time, three kinds of clients look
 * the queue up and enqueue: one that starts, one whose record is due to be read again,
 * and one that has never used the queue. A node starts meanwhile. Each id of the other
 * masters is performed once, and each of the stopped one when it is back.
 * <p>
 * Longer: {@code -Dstopped.seconds=600}.
 */
@Tag("long")
class StoppedMasterIntegrationTests {

	private static final QueueLayout LAYOUT = new QueueLayout("orders", 1, 12);

	private static final int IDS = 40;

	private final Duration outage = Duration.ofSeconds(Integer.getInteger("stopped.seconds", 60));

	private final RedisClusterProcess cluster = RedisClusterProcess.start("--cluster-require-full-coverage", "no");

	/** The one with neither the records nor the nodes. */
	private final RedisProcess stopped = this.cluster.masters()
		.stream()
		.filter((master) -> master != masterOf("queues") && master != masterOf("nodes"))
		.findFirst()
		.orElseThrow();

	private final List<Runnable> closing = new ArrayList<>();

	private final RedisStore store = newStore();

	private final List<LowkiqServer> nodes = new ArrayList<>();

	private final AtomicLong nanoTime = new AtomicLong();

	/** By id: how often it was performed. */
	private final Map<String, AtomicInteger> performs = new ConcurrentHashMap<>();

	/** By client: the ids of the stopped master, which it has to enqueue again. */
	private final Map<StoreEnqueuer, List<String>> refused = new HashMap<>();

	private final List<String> healthy = new ArrayList<>();

	@AfterEach
	void close() {
		this.stopped.resume();
		this.nodes.forEach((node) -> node.stop(Duration.ofSeconds(5)));
		this.closing.forEach(Runnable::run);
		this.cluster.close();
	}

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
		return new StoreEnqueuer(new WorkerRegistry(List.of()),
				List.of(new QueueDeclaration(LAYOUT.name(), LAYOUT.shards())), on.shards(), on.queues(),
				LowkiqObserver.NONE, this.nanoTime::get);
	}

	private LowkiqServer startNode() {
		Worker<Integer> worker = (id, payloads) -> performs(id).incrementAndGet();
		LowkiqServer node = new LowkiqServer(
				new ServerOptions(
						new WorkerRegistry(List.of(new RegisteredWorker(LAYOUT.name(), worker.getClass(), Integer.class,
								new RegisteredWorker.Settings(LAYOUT.shards(), 1, 25, 10, 1, 0), () -> worker))),
						newStore()));
		this.nodes.add(node);
		node.start();
		return node;
	}

	private AtomicInteger performs(String id) {
		return this.performs.computeIfAbsent(id, (key) -> new AtomicInteger());
	}

	private RedisProcess masterOf(String key) {
		return this.cluster.masterOf(SlotHash.getSlot(key));
	}

	private boolean isHealthy(Shard shard) {
		return masterOf(shard.toString()) != this.stopped;
	}

	private static Set<Shard> held(List<LowkiqServer> nodes) {
		return nodes.stream()
			.flatMap((node) -> node.status().shards().stream())
			.filter(ShardStatus::held)
			.map(ShardStatus::shard)
			.collect(Collectors.toSet());
	}

	private static ConditionFactory awaitLong() {
		return await().atMost(Duration.ofMinutes(2));
	}

	@Test
	void eachIdOfTheOtherMastersIsPerformedOnceMeanwhileAndTheRestWhenItIsBack() {
		startNode();
		awaitLong().until(() -> held(this.nodes).size() == LAYOUT.shards());
		StoreEnqueuer known = client(this.store);
		known.check(LAYOUT.name());
		this.stopped.pause();
		long end = System.nanoTime() + this.outage.toNanos();
		LowkiqServer second = startNode();
		int round = 0;
		do {
			this.nanoTime.addAndGet(Duration.ofMinutes(61).toNanos());
			enqueue("refresh-" + round, known);
			enqueue("first-use-" + round, client(this.store));
			enqueue("start-" + round, client(newStore()));
			round++;
			assertHealthyOnce();
			LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
		}
		while (System.nanoTime() < end);
		assertThat(held(List.of(second))).isNotEmpty().allMatch(this::isHealthy);
		assertThat(held(this.nodes)).containsAll(LAYOUT.allShards().stream().filter(this::isHealthy).toList());
		List<String> others = this.refused.values().stream().flatMap(List::stream).toList();
		assertThat(others).allSatisfy((id) -> assertThat(performs(id)).as(id).hasValue(0));
		this.stopped.resume();
		this.refused.forEach((client, ids) -> awaitLong().until(() -> enqueue(client, ids).isEmpty()));
		awaitLong().untilAsserted(
				() -> assertThat(others).allSatisfy((id) -> assertThat(performs(id)).as(id).hasPositiveValue()));
		assertHealthyOnce();
		System.out.printf("Stopped master: %d rounds, %d ids of the others, %d of the stopped one%n", round,
				this.healthy.size(), others.size());
	}

	private void enqueue(String name, StoreEnqueuer client) {
		List<String> ids = IntStream.range(0, IDS).mapToObj((i) -> name + "-" + i).toList();
		Map<Boolean, List<String>> byHealth = ids.stream()
			.collect(Collectors.partitioningBy((id) -> isHealthy(LAYOUT.shardOf(id))));
		List<String> not = enqueue(client, ids).stream()
			.flatMap((some) -> some.positions().stream())
			.map(ids::get)
			.toList();
		assertThat(not).as(name).containsExactlyInAnyOrderElementsOf(byHealth.getOrDefault(false, List.of()));
		this.refused.computeIfAbsent(client, (key) -> new ArrayList<>()).addAll(not);
		this.healthy.addAll(byHealth.getOrDefault(true, List.of()));
	}

	private static List<ShardRefusal> enqueue(StoreEnqueuer client, List<String> ids) {
		return client.enqueueByShard(LAYOUT.name(),
				ids.stream().map((id) -> NewPayload.of(id, "1".getBytes(StandardCharsets.UTF_8))).toList());
	}

	private void assertHealthyOnce() {
		awaitLong().untilAsserted(
				() -> assertThat(this.healthy).allSatisfy((id) -> assertThat(performs(id)).as(id).hasValue(1)));
	}

}
