package io.lowkiq.dashboard;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the dashboard keeps in Redis, and what it costs.
 */
class RedisDashboardIntegrationTests extends ThroughputLogContract {

	private static RedisProcess redis;

	private static LettuceConnectionFactory connections;

	private final String prefix = TestRedis.uniquePrefix();

	private final StringRedisTemplate template = new StringRedisTemplate(connections);

	private final ThroughputLog log = new RedisThroughputLog(this.template, this.prefix);

	private final RedisStore store = new RedisStore(connections, this.prefix, null);

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

	@Override
	ThroughputLog log() {
		return this.log;
	}

	@Test
	void oneNodeClaimsAStep() {
		// Two steps can begin while the test runs, not twenty
		long claimed = IntStream.range(0, 20)
			.filter((node) -> new RedisThroughputLog(this.template, this.prefix).claim(1).isPresent())
			.count();
		assertThat(claimed).isBetween(1L, 2L);
	}

	@Test
	void aStepIsTooEarlyWhereMoreHaveToBeBetweenTwo() {
		assertThat(this.log.claim(6)).isPresent();
		assertThat(this.log.claim(6)).isEmpty();
		this.template.opsForValue()
			.set(this.prefix + ":{history}:claim", Long.toString(System.currentTimeMillis() / 10_000 - 7));
		assertThat(this.log.claim(6)).isPresent();
	}

	@Test
	void everyKeyOfTheHistoryGoesAwayByItself() {
		this.log.claim(1);
		this.log.write(System.currentTimeMillis(), Map.of("orders", new ThroughputLog.Total(1, 1)));
		new PeriodLog(this.log).write(System.currentTimeMillis(), 0, Map.of("orders", PeriodLog.Sample.NONE));
		assertThat(this.template.keys(this.prefix + "*")).hasSize(7)
			.allMatch((key) -> this.template.getExpire(key) > 0)
			.allMatch((key) -> key.startsWith(this.prefix + ":{history}:"));
	}

	@Test
	void theLongerHistoryOfAQueueTakesTheSameLittleMemoryHoweverLongItIsKept() {
		PeriodLog periods = new PeriodLog(this.log);
		PerformCounts performs = new PerformCounts(List.of(9_000L, 8_000L, 7_000L, 600L, 500L, 400L, 30L, 20L, 10L));
		for (int minute = 0; minute < 7 * 24 * 60 + 60; minute++) {
			long now = 1_800_000_000_000L + minute * 60_000L;
			PeriodLog.Sample sample = new PeriodLog.Sample(
					new ThroughputLog.Total(1_000_000_000L + minute * 60_000L, minute), 12_345, 123_456, 1_234,
					performs);
			periods.write(now, now / 60_000 - 1, Map.of("orders", sample));
		}
		String key = this.prefix + ":{history}:periods:orders";
		assertThat(this.template.opsForHash().size(key)).isEqualTo(373);
		Long bytes = this.template.execute(
				RedisScript.of("return redis.call('MEMORY', 'USAGE', KEYS[1], 'SAMPLES', 0)", Long.class),
				List.of(key));
		assertThat(bytes).isLessThan(100_000);
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
	void pagesShowEveryJobOfRedisOnce() {
		TestQueue queue = new TestQueue(this.store, "orders", 5);
		queue.bury(TestQueue.ids("dead-", 80))
			.fail(TestQueue.ids("failed-", 70))
			.busy(TestQueue.ids("busy-", 90))
			.enqueue(TestQueue.ids("fresh-", 130));
		Map<JobList, Integer> sizes = Map.of(JobList.QUEUED, 200, JobList.READY, 130, JobList.DELAYED, 70,
				JobList.RETRIES, 70, JobList.SUSPECTS, 0, JobList.BUSY, 90, JobList.DEAD, 80);
		sizes.forEach((list, size) -> {
			JobQuery query = JobQuery.first(list, 50);
			assertPages(queue, query, size);
			if (list != JobList.QUEUED && list != JobList.BUSY) {
				assertPages(queue, query.backwards(), size);
			}
		});
		assertPages(queue, JobQuery.first(JobList.DELAYED, 50).withPrefix("failed-1"), 11);
		assertPages(queue, JobQuery.first(JobList.QUEUED, 50).withPrefix("fresh-12"), 11);
	}

	private void assertPages(TestQueue queue, JobQuery query, int size) {
		assertThat(QueueInspectionTests.pages(this.store.inspection(), queue, query, null)).extracting(JobView::id)
			.as("%s", query)
			.hasSize(size)
			.doesNotHaveDuplicates();
	}

	@Test
	void theBeginningOfAnErrorIsReadWhereItIsEnough() {
		TestQueue queue = new TestQueue(this.store, "orders", 1).bury("dead").fail("failed");
		for (JobList list : new JobList[] { JobList.DEAD, JobList.RETRIES }) {
			for (int bytes : new int[] { 0, 30, 1_000_000 }) {
				JobQuery query = new JobQuery(list, false, null, null, 10, 0, bytes);
				assertThat(this.store.inspection().list(queue.layout().shard(0), query).jobs().get(0).error())
					.isEqualTo(TestQueue.ERROR.substring(0, Math.min(bytes, TestQueue.ERROR.length())));
			}
		}
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
		info.setProperty("10.0.0.2:7000.maxmemory_policy", "noeviction");
		List<RedisFacts.Server> servers = RedisReader.servers(info);
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
