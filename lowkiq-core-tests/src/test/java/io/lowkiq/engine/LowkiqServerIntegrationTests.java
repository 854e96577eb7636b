package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LowkiqServerIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RedisConnectionFactory connections = connect(TestRedis.shared().url());

	@AutoClose
	private ServerFixture fixture;

	RedisConnectionFactory connect(String url) {
		return TestRedis.connectionFactory(url);
	}

	@BeforeEach
	void makeFixture() {
		this.fixture = fixture(this.connections);
	}

	private static ServerFixture fixture(RedisConnectionFactory connections) {
		RedisStore store = new RedisStore(connections, TestRedis.uniquePrefix(), null);
		return new ServerFixture(store);
	}

	/** With a lease of an hour, the first one is due after twelve minutes. */
	@Test
	void aNodeThatJoinsTakesItsShardsBeforeItsFirstHeartbeat() {
		ServerSettings longLease = settings(5, Duration.ofHours(1));
		this.fixture.worker("orders", settings(12, 1, 3), (Worker<Integer>) (id, payloads) -> {
		});
		LowkiqServer first = this.fixture.started((builder) -> builder.settings(longLease));
		ServerFixture.awaitHeld(12, first);
		for (int i = 0; i < 5; i++) {
			SilentRegistry registry = new SilentRegistry(this.fixture.nodes, new AtomicBoolean());
			LowkiqServer second = this.fixture.server((builder) -> builder.settings(longLease), registry.nodes);
			second.start();
			ServerFixture.awaitHeld(6, first, second);
			assertThat(registry.beats).hasValue(0);
			assertThat(second.stop(Duration.ofSeconds(10))).isTrue();
			ServerFixture.awaitHeld(12, first);
		}
	}

	@Test
	void twoNodesPerformAllJobsInOrderAndWithoutOverlap() {
		Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
		Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
		List<String> overlaps = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(6, 1, 3), (Worker<Integer>) (id, payloads) -> {
			AtomicInteger count = running.computeIfAbsent(id, (key) -> new AtomicInteger());
			if (count.incrementAndGet() != 1) {
				overlaps.add(id);
			}
			seen.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>()).addAll(payloads);
			count.decrementAndGet();
		});
		LowkiqServer first = this.fixture.server();
		first.start();
		this.fixture.server().start();
		LowkiqClient client = this.fixture.client();
		for (int i = 0; i < 1_000; i++) {
			client.enqueue("orders", "id" + i % 17, i);
			if (i == 500) {
				assertThat(first.stop(Duration.ofSeconds(10))).isTrue();
			}
		}
		await().atMost(PATIENCE).until(() -> seen.values().stream().mapToInt(List::size).sum() == 1_000);
		assertThat(overlaps).isEmpty();
		assertThat(seen.values()).allSatisfy((payloads) -> assertThat(payloads).isSorted().doesNotHaveDuplicates());
	}

	@Test
	void anEnqueueWakesAnIdleServerThatPollsRarely() {
		AtomicBoolean performed = new AtomicBoolean();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> performed.set(true));
		LowkiqServer server = this.fixture.server((builder) -> builder
			.settings(new ServerSettings(1, Duration.ofHours(1), Duration.ofMinutes(50), 100, false)));
		server.start();
		await().atMost(PATIENCE)
			.until(() -> server.status().shards().size() == 1 && server.status().shards().get(0).held());
		this.fixture.client().enqueue("orders", "a", 1);
		await().atMost(PATIENCE).untilTrue(performed);
	}

	@Test
	void aServerGoesOnByItselfWhenRedisHasLostAllThatItHad() {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			RedisConnectionFactory own = connect(redis.url());
			try (ServerFixture onIt = fixture(own)) {
				Set<Integer> performed = ConcurrentHashMap.newKeySet();
				onIt.worker("orders", settings(3, 1, 5),
						(Worker<Integer>) (id, payloads) -> performed.addAll(payloads));
				LowkiqServer server = onIt.server((builder) -> builder
					.settings(new ServerSettings(1, Duration.ofSeconds(1), Duration.ofSeconds(1), 100, false)));
				server.start();
				LowkiqClient client = onIt.client();
				client.enqueue("orders", "a", 1);
				await().atMost(PATIENCE).until(() -> performed.contains(1));
				String session = server.status().session();
				redis.call("FLUSHALL");
				await().atMost(PATIENCE).until(() -> {
					String now = server.status().session();
					return now != null && !now.equals(session);
				});
				client.enqueue("orders", "a", 2);
				await().atMost(PATIENCE).until(() -> performed.contains(2));
			}
			finally {
				TestRedis.destroy(own);
			}
		}
	}

	@Test
	void aServerStartsAndPerformsThoughTheMemoryOfRedisIsFull() throws Exception {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			RedisConnectionFactory own = connect(redis.url());
			try (ServerFixture onIt = fixture(own)) {
				Set<Integer> performed = ConcurrentHashMap.newKeySet();
				onIt.worker("orders", settings(3, 1, 5),
						(Worker<Integer>) (id, payloads) -> performed.addAll(payloads));
				LowkiqServer before = onIt.server();
				before.start();
				await().atMost(PATIENCE).until(() -> before.status().shards().size() == 3);
				before.stop(PATIENCE);
				IntStream.range(0, 100).forEach((i) -> onIt.client().enqueue("orders", "id" + i, i));
				redis.call("CONFIG", "SET", "maxmemory", "1");
				LowkiqServer server = onIt.server();
				server.start();
				await().atMost(PATIENCE).until(() -> performed.size() == 100);
				await().atMost(PATIENCE)
					.untilAsserted(
							() -> assertThat(server.status().storeProblem()).contains("OOM command not allowed"));
				redis.call("CONFIG", "SET", "maxmemory", "0");
				await().atMost(PATIENCE).until(() -> server.status().storeProblem() == null);
			}
			finally {
				TestRedis.destroy(own);
			}
		}
	}

}
