package io.lowkiq.dashboard.cluster;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What the overview asks Redis, and what that costs. */
class RedisClusterReaderIntegrationTests {

	private static RedisProcess redis;

	private static LettuceConnectionFactory connections;

	private final RedisStore store = new RedisStore(connections, TestRedis.uniquePrefix(), null);

	@BeforeAll
	static void start() {
		redis = TestRedis.startPrivate();
		connections = TestRedis.connectionFactory(redis.url());
	}

	@AfterAll
	static void stop() throws Exception {
		connections.destroy();
		redis.close();
	}

	@Test
	void theOverviewCostsTheSameFewCommandsWhateverTheQueueHolds() {
		TestQueue queue = new TestQueue(this.store, "orders", 5);
		ClusterReader reader = new ClusterReader(this.store, InstantSource.system());
		// Some in every shard: an empty one costs less
		queue.enqueue(TestQueue.ids("few-", 40));
		reader.recent();
		long few = commandsOf(reader);
		queue.enqueue(TestQueue.ids("many-", 1_000_000));
		long many = commandsOf(reader);
		assertThat(many).isEqualTo(few).isLessThan(100);
		assertThat(reader.recent().queue("orders").orElseThrow().sum((shard) -> shard.queued())).isEqualTo(1_000_040);
	}

	@Test
	void manyBrowsersCostNoMoreThanOne() {
		new TestQueue(this.store, "orders", 5).enqueue("1");
		InstantSource still = InstantSource.fixed(Instant.now());
		ClusterReader reader = new ClusterReader(this.store, still);
		reader.recent();
		long before = commands();
		IntStream.range(0, 1_000).forEach((browser) -> reader.recent());
		// The question itself
		assertThat(commands() - before).isEqualTo(1);
	}

	@Test
	void aReaderThatIsInterruptedKeepsNobodyFromReading() {
		new TestQueue(this.store, "orders", 5).enqueue("1");
		ClusterReader reader = new ClusterReader(this.store, InstantSource.fixed(Instant.now()));
		redis.pause();
		Thread.currentThread().interrupt();
		try {
			assertThatExceptionOfType(StoreException.class).isThrownBy(reader::recent);
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
			redis.resume();
		}
		assertThat(reader.recent().queue("orders")).isPresent();
	}

	@Test
	void saysWhatRedisIs() {
		RedisFacts facts = new RedisReader(connections, "redis://example", InstantSource.system()).recent();
		assertThat(facts.servers()).singleElement().satisfies((server) -> {
			assertThat(server.version()).matches("\\d+\\.\\d+.*");
			assertThat(server.memory()).isPositive();
			assertThat(server.canEvictJobs()).isFalse();
		});
	}

	@Test
	void tellsTheServersOfAClusterApart() {
		Properties info = new Properties();
		info.setProperty("10.0.0.1:7000.redis_version", "7.0.15");
		info.setProperty("10.0.0.1:7000.maxmemory_policy", "allkeys-lru");
		info.setProperty("10.0.0.2:7000.redis_version", "7.0.15");
		info.setProperty("10.0.0.2:7000.maxmemory_policy", "volatile-lru");
		List<RedisFacts.Server> servers = new RedisReader(connections, "redis://example", InstantSource.system())
			.servers(info);
		assertThat(servers).extracting(RedisFacts.Server::name).containsExactly("10.0.0.1:7000", "10.0.0.2:7000");
		assertThat(servers).extracting(RedisFacts.Server::canEvictJobs).containsExactly(true, false);
	}

	private long commandsOf(ClusterReader reader) {
		reader.forget();
		long before = commands();
		reader.recent();
		return commands() - before - 1;
	}

	private static long commands() {
		try (RedisConnection connection = connections.getConnection()) {
			Properties stats = connection.serverCommands().info("stats");
			return Long.parseLong(stats.getProperty("total_commands_processed"));
		}
	}

}
