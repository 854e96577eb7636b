package io.lowkiq.reliability.outbox;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Transactions that commit in another order than they take numbers are no sequence that
 * went back.
 */
class OutOfOrderIntegrationTests {

	private static final int WRITERS = 50;

	private static final Duration LONG = Duration.ofMinutes(2);

	private final Duration duration = Duration.ofSeconds(Integer.getInteger("outbox.writers.seconds", 60));

	@ParameterizedTest
	@Tag("long")
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void manyWritersThatCommitOutOfOrderGiveNoAlarm(TestDatabase.Product product, @TempDir Path directory)
			throws Exception {
		try (TestDatabase database = TestDatabase.start(product, directory);
				RedisProcess redis = TestRedis.startPrivate();
				ConfigurableApplicationContext application = start(database, redis)) {
			application.getBean(RedisStore.class).queues().register(OutboxProgram.QUEUE, 4);
			application.getBean(ConfigurableTransactionManager.class).addListener(new SlowCommits());
			JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
			LowkiqAdmin admin = application.getBean(LowkiqAdmin.class);
			ExecutorService executor = Executors.newFixedThreadPool(WRITERS);
			long end = System.nanoTime() + this.duration.toNanos();
			List<Future<Integer>> writers = new ArrayList<>();
			for (int writer = 0; writer < WRITERS; writer++) {
				String id = "writer-" + writer;
				writers.add(executor.submit(() -> write(application, id, end)));
			}
			long late = 0;
			while (System.nanoTime() < end) {
				assertThat(admin.outbox(0).problem()).isNull();
				late += number(jdbc,
						"select count(*) from lowkiq_outbox where seq < (select max(highest) from lowkiq_outbox_lock)");
			}
			int written = 0;
			for (Future<Integer> writer : writers) {
				written += writer.get();
			}
			executor.shutdown();
			Awaitility.await("all is sent")
				.atMost(LONG)
				.until(() -> number(jdbc, "select count(*) from lowkiq_outbox") == 0);
			assertThat(admin.outbox(0).problem()).isNull();
			assertThat(number(jdbc, "select count(*) from lowkiq_outbox_lock where back_to is not null")).isZero();
			assertThat(late).as("rows that were seen below one that was sent").isPositive();
			System.out.printf("Outbox on %s: %d writers, %d transactions, %d rows seen below the highest sent one%n",
					product, WRITERS, written, late);
		}
	}

	private static int write(ConfigurableApplicationContext application, String id, long end) {
		LowkiqClient client = application.getBean(LowkiqClient.class);
		TransactionTemplate transaction = new TransactionTemplate(
				application.getBean(PlatformTransactionManager.class));
		int written = 0;
		while (System.nanoTime() < end) {
			int version = written++;
			transaction.executeWithoutResult(
					(status) -> client.enqueue(OutboxProgram.QUEUE, id, new OrderChange(version, version)));
		}
		return written;
	}

	private static long number(JdbcTemplate jdbc, String query) {
		Long number = jdbc.queryForObject(query, Long.class);
		return (number != null) ? number : 0;
	}

	private static ConfigurableApplicationContext start(TestDatabase database, RedisProcess redis) {
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(Map.of("spring.datasource.url", database.url(), "spring.datasource.username",
				database.user(), "spring.datasource.hikari.maximum-pool-size", WRITERS + 5, "spring.data.redis.url",
				redis.url(), "lowkiq.client.transactional", "outbox", "lowkiq.outbox.initialize-schema", "always"));
		return application.run();
	}

	/**
	 * Time between taking numbers, which the outbox does last, and the commit.
	 */
	private static final class SlowCommits implements TransactionExecutionListener {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			LockSupport.parkNanos(Duration.ofMillis(ThreadLocalRandom.current().nextLong(50)).toNanos());
		}

	}

}
