package io.lowkiq.reliability.outbox;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.EnqueueRolledBackException;
import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What MySQL and MariaDB do differently. */
class MariaDbOutboxIntegrationTests {

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

	private static ConfigurableApplicationContext start(TestDatabase database, RedisProcess redis) {
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(Map.of("spring.datasource.url", database.url(), "spring.datasource.username",
				database.user(), "spring.data.redis.url", redis.url(), "lowkiq.client.transactional", "outbox",
				"lowkiq.outbox.initialize-schema", "always"));
		return application.run();
	}

}
