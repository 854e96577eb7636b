package io.lowkiq.reliability.outbox;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What MySQL and MariaDB do differently.
 */
class MariaDbOutboxIntegrationTests {

	/**
	 * The tables as they were, with a row that can be sent, and one that was put aside.
	 */
	private static final String BEFORE = """
			create table lowkiq_outbox (
				seq bigint not null auto_increment primary key,
				prefix varchar(100) not null,
				queue varchar(200) not null,
				job_id varchar(1024) not null,
				payload longblob not null,
				score double,
				perform_at bigint,
				delay bigint not null,
				created_at bigint not null default (timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(6)) div 1000),
				key lowkiq_outbox_queue (prefix, queue, seq)
			) engine = innodb auto_increment = 8796093022208 default charset = utf8mb4 collate = utf8mb4_bin;
			create table lowkiq_outbox_aside (
				seq bigint not null primary key,
				prefix varchar(100) not null,
				queue varchar(200) not null,
				job_id varchar(1024) not null,
				payload longblob not null,
				score double,
				perform_at bigint,
				delay bigint not null,
				created_at bigint not null,
				reason varchar(1000) not null,
				key lowkiq_outbox_aside_queue (prefix, queue, seq)
			) engine = innodb default charset = utf8mb4 collate = utf8mb4_bin;
			create table lowkiq_outbox_lock (
				prefix varchar(100) not null primary key,
				steps bigint not null,
				clock bigint not null default (timestampdiff(microsecond, '1970-01-01 00:00:00', utc_timestamp(6)) div 1000)
			) engine = innodb default charset = utf8mb4 collate = utf8mb4_bin;
			insert into lowkiq_outbox_lock (prefix, steps) values ('lowkiq', 5);
			insert into lowkiq_outbox_aside values
				(8796093022300, 'lowkiq', 'orders', repeat('é', 600), '1', null, null, 0, 0, 'too long');
			insert into lowkiq_outbox (seq, prefix, queue, job_id, payload, delay) values
				(8796093022301, 'lowkiq', 'orders', 'a', '1', 0);
			""";

	@Test
	@Tag("long")
	void aPayloadAboveTheLargestPacketIsRefusedAtTheCallOrRolledBack(@TempDir Path directory) throws Exception {
		try (TestDatabase database = TestDatabase.startMariaDbWithSmallPackets(directory);
				RedisProcess redis = TestRedis.startPrivate();
				ConfigurableApplicationContext application = start(database, redis)) {
			LowkiqClient client = application.getBean(LowkiqClient.class);
			JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
			jdbc.execute("create table orders (id varchar(10))");
			TransactionTemplate transaction = new TransactionTemplate(
					application.getBean(PlatformTransactionManager.class));
			transaction.executeWithoutResult((status) -> assertThatExceptionOfType(InvalidJobException.class)
				.isThrownBy(() -> client.enqueue("orders", "1", "x".repeat(1 << 20)))
				.withMessageContaining("max_allowed_packet of the database is 1048576"));
			// Escaped by JSON and by the driver, it is larger than its bytes
			String quotes = "\"".repeat(500_000);
			AtomicReference<CompletableFuture<Void>> end = new AtomicReference<>();
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					jdbc.update("insert into orders values ('1')");
					end.set(client.enqueueAsync("orders", JobRequest.of("1", quotes)));
				}));
			assertThatExceptionOfType(CompletionException.class).isThrownBy(end.get()::join)
				.withCauseInstanceOf(EnqueueRolledBackException.class);
			assertThat(jdbc.queryForList("select * from orders")).isEmpty();
			assertThat(jdbc.queryForList("select seq from lowkiq_outbox")).isEmpty();
		}
	}

	@Test
	@Tag("long")
	void aNestedTransactionThatCommitsIsNotTheEndOfTheOuterOne(@TempDir Path directory) throws Exception {
		try (TestDatabase database = TestDatabase.start(TestDatabase.Product.MARIADB, directory);
				RedisProcess redis = TestRedis.startPrivate();
				ConfigurableApplicationContext application = start(database, redis)) {
			LowkiqClient client = application.getBean(LowkiqClient.class);
			PlatformTransactionManager manager = application.getBean(PlatformTransactionManager.class);
			TransactionTemplate nested = new TransactionTemplate(manager);
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			new TransactionTemplate(manager).executeWithoutResult((outer) -> {
				client.enqueue("unserved", "A", 1);
				nested.executeWithoutResult((middle) -> {
					client.enqueue("unserved", "B", 1);
					nested.executeWithoutResult((inner) -> client.enqueue("unserved", "C", 1));
					middle.setRollbackOnly();
				});
				client.enqueue("unserved", "D", 1);
			});
			assertThat(application.getBean(JdbcTemplate.class)
				.queryForList("select job_id from lowkiq_outbox order by seq", String.class)).containsExactly("A", "D");
		}
	}

	@Test
	@Tag("long")
	void theTablesOfTheVersionBeforeAreUpgradedWithTheirRows(@TempDir Path directory) throws Exception {
		try (TestDatabase database = TestDatabase.start(TestDatabase.Product.MARIADB, directory);
				RedisProcess redis = TestRedis.startPrivate()) {
			DriverManagerDataSource dataSource = new DriverManagerDataSource(database.url(), database.user(), "");
			JdbcTemplate jdbc = new JdbcTemplate(dataSource);
			new ResourceDatabasePopulator(new ByteArrayResource(BEFORE.getBytes(StandardCharsets.UTF_8)))
				.execute(dataSource);
			assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(database, redis))
				.havingRootCause()
				.withMessageContaining("docs/transactions.md#upgrading-the-table");
			String page = Files.readString(Path.of("../../docs/transactions.md"));
			String statements = page.substring(page.indexOf("<!-- upgrade -->"));
			new ResourceDatabasePopulator(new ByteArrayResource(
					statements.substring(statements.indexOf("ALTER"), statements.indexOf("```\n\n"))
						.getBytes(StandardCharsets.UTF_8)))
				.execute(dataSource);
			try (ConfigurableApplicationContext application = start(database, redis)) {
				application.getBean(RedisStore.class).queues().register("orders", 1);
				LowkiqAdmin admin = application.getBean(LowkiqAdmin.class);
				Awaitility.await("the rows are sent or put aside")
					.atMost(Duration.ofMinutes(1))
					.until(() -> jdbc.queryForList("select job_id from lowkiq_outbox").isEmpty()
							&& admin.outbox(0).waiting().isEmpty());
				assertThat(admin.outbox(10).jobsAside()).extracting(UnsentJob::sequence)
					.containsExactly(8796093022300L);
				assertThat(admin.find("orders", "a").jobs()).hasSize(1);
				application.getBean(LowkiqClient.class).enqueue("unserved", "b", 1);
				assertThat(jdbc.queryForObject("""
						select max(seq) from (select seq from lowkiq_outbox union all
						select seq from lowkiq_outbox_aside) both_tables""", Long.class)).isGreaterThan(8796093022301L);
			}
		}
	}

	private static ConfigurableApplicationContext start(TestDatabase database, RedisProcess redis) {
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(Map.of("spring.datasource.url", database.url(), "spring.datasource.username",
				database.user(), "spring.data.redis.url", redis.url(), "lowkiq.client.transactional", "outbox",
				"lowkiq.outbox.initialize-schema", "always"));
		return application.run();
	}

}
