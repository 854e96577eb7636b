package io.lowkiq.autoconfigure.outbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.TransactionMode;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

class LowkiqOutboxAutoConfigurationTests {

	private final ApplicationContextRunner base = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqOutboxAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.metrics.cache=0s");

	private final ApplicationContextRunner jdbc = this.base
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	private final ApplicationContextRunner outbox = this.jdbc.withPropertyValues("lowkiq.client.transactional=outbox");

	@Test
	void jobsGoByTheTable() {
		this.outbox.run((context) -> {
			context.getBean(RedisStore.class).queues().register("orders", 1);
			LowkiqClient client = context.getBean(LowkiqClient.class);
			transaction(context.getBean(PlatformTransactionManager.class)).executeWithoutResult((status) -> {
				client.enqueue("orders", "42", "rolled back");
				status.setRollbackOnly();
			});
			transaction(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> client.enqueue("orders", "43", "committed"));
			await().atMost(OutboxFixture.LONG).until(() -> queued(context.getBean(QueueStatistics.class)) == 1);
			await().atMost(OutboxFixture.LONG).until(() -> context.getBean(OutboxTable.class).isEmpty());
		});
	}

	@Test
	void aCallMayChooseAnotherMode() {
		this.outbox.run((context) -> {
			context.getBean(RedisStore.class).queues().register("orders", 1);
			LowkiqClient client = context.getBean(LowkiqClient.class);
			LowkiqClient direct = client.transactional(TransactionMode.OFF);
			LowkiqClient afterCommit = client.transactional(TransactionMode.AFTER_COMMIT);
			QueueStatistics statistics = context.getBean(QueueStatistics.class);
			transaction(context.getBean(PlatformTransactionManager.class)).executeWithoutResult((status) -> {
				direct.enqueue("orders", "1", "at once");
				afterCommit.enqueue("orders", "2", "later");
				assertThat(queued(statistics)).isOne();
			});
			assertThat(queued(statistics)).isEqualTo(2);
			assertThat(context.getBean(OutboxTable.class).isEmpty()).isTrue();
		});
	}

	@Test
	void theOutboxMustBeSwitchedOn() {
		this.jdbc.run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(OutboxTable.class);
			LowkiqClient client = context.getBean(LowkiqClient.class);
			assertThatIllegalArgumentException().isThrownBy(() -> client.transactional(TransactionMode.OUTBOX))
				.withMessageContaining("lowkiq.client.transactional");
		});
	}

	@Test
	void theOutboxNeedsADataSource() {
		this.base.withPropertyValues("lowkiq.client.transactional=outbox")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("there is no DataSource for the table lowkiq_outbox"));
	}

	@Test
	void severalDataSourcesNeedAQualifier() {
		this.base.withUserConfiguration(TwoDataSources.class)
			.withPropertyValues("lowkiq.client.transactional=outbox")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("several DataSource beans"));
		this.base.withUserConfiguration(TwoDataSources.class, QualifiedDataSource.class)
			.withPropertyValues("lowkiq.client.transactional=outbox")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				DataSource qualified = context.getBean("qualified", DataSource.class);
				assertThat(new JdbcTemplate(qualified).queryForList("select * from lowkiq_outbox")).isEmpty();
			});
	}

	@Test
	void theSchemaIsMadeInEmbeddedDatabasesOnly() {
		this.outbox.run((context) -> assertThat(tables(context.getBean(DataSource.class))).isEqualTo(4));
		this.outbox.withPropertyValues("lowkiq.outbox.initialize-schema=never")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("The tables of the outbox can't be used")
				.hasMessageContainingAll("LOWKIQ_OUTBOX"));
	}

	private static int tables(DataSource dataSource) {
		return new JdbcTemplate(dataSource)
			.queryForList("select table_name from information_schema.tables where table_name like 'LOWKIQ%'")
			.size();
	}

	@Test
	void badSettingsAreRefused() {
		this.outbox.withPropertyValues("lowkiq.outbox.poll-interval=1ms").run(this::isRefused);
		this.outbox.withPropertyValues("lowkiq.outbox.poll-interval=2m").run(this::isRefused);
		this.outbox.withPropertyValues("lowkiq.outbox.batch-size=0").run(this::isRefused);
		this.outbox.withPropertyValues("lowkiq.outbox.batch-size=10001").run(this::isRefused);
		this.outbox.withPropertyValues("lowkiq.outbox.keep-sent=10ms").run(this::isRefused);
		this.outbox.withPropertyValues("lowkiq.outbox.keep-sent=8d").run(this::isRefused);
	}

	@Test
	void theFormerNameOfKeepSentIsRefused() {
		this.outbox.withPropertyValues("lowkiq.outbox.keep=2m")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessage("lowkiq.outbox.keep is lowkiq.outbox.keep-sent now"));
	}

	private void isRefused(org.springframework.boot.test.context.assertj.AssertableApplicationContext context) {
		assertThat(context.getStartupFailure()).isInstanceOf(BeanCreationException.class)
			.rootCause()
			.isInstanceOf(LowkiqConfigurationException.class)
			.hasMessageContaining("must be between");
	}

	@Test
	void sentRowsAreKeptIfThePropertySaysSo() {
		this.outbox.withPropertyValues("lowkiq.outbox.keep-sent=2m").run((context) -> {
			context.getBean(RedisStore.class).queues().register("orders", 1);
			context.getBean(LowkiqClient.class).enqueue("orders", "42", "kept");
			OperatedOutbox operated = context.getBean(OperatedOutbox.class);
			await().atMost(OutboxFixture.LONG)
				.untilAsserted(() -> assertThat(operated.status(0).kept()).satisfies((kept) -> {
					assertThat(kept.jobs()).isOne();
					assertThat(kept.since()).isNotNull();
					assertThat(kept.resent()).isZero();
					assertThat(kept.resentAt()).isNull();
				}));
			assertThat(operated.resendKept(Instant.EPOCH, Instant.now().plusSeconds(60))).isOne();
			await().atMost(OutboxFixture.LONG)
				.untilAsserted(() -> assertThat(operated.status(0).kept()).satisfies((kept) -> {
					assertThat(kept.jobs()).isOne();
					assertThat(kept.resent()).isOne();
					assertThat(kept.resentAt()).isNotNull();
				}));
			assertThat(operated.resendKept(Instant.EPOCH, Instant.EPOCH.plusSeconds(60))).isZero();
		});
		this.outbox.run((context) -> {
			OperatedOutbox operated = context.getBean(OperatedOutbox.class);
			assertThat(operated.status(0).kept()).isNull();
			assertThat(operated.resendKept(Instant.EPOCH, Instant.now())).isZero();
		});
	}

	@Test
	void theGaugesAndTheHealthTellWhatWaits() {
		this.outbox.run((context) -> {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			context.getBean(OutboxGauges.class).bindTo(registry);
			HealthIndicator health = context.getBean("lowkiqOutboxHealthIndicator", HealthIndicator.class);
			assertThat(health.health().getDetails()).containsOnlyKeys("rows").containsEntry("rows", 0L);
			assertThat(registry.get("lowkiq.outbox.rows").gauge().value()).isZero();
			assertThat(registry.get("lowkiq.outbox.age").gauge().value()).isZero();
			assertThat(registry.get("lowkiq.outbox.resent").functionCounter().count()).isZero();
			// Nobody serves this queue
			context.getBean(LowkiqClient.class).enqueue("orders", "42", "text");
			await().atMost(OutboxFixture.LONG)
				.untilAsserted(() -> assertThat(health.health().getDetails()).containsEntry("rows", 1L)
					.containsKeys("oldest", "waiting"));
			assertThat(health.health().getStatus()).isEqualTo(Status.UP);
			assertThat(registry.get("lowkiq.outbox.rows").gauge().value()).isOne();
			await().atMost(OutboxFixture.LONG).until(() -> registry.get("lowkiq.outbox.age").gauge().value() > 0);
			new JdbcTemplate(context.getBean(DataSource.class)).execute("drop table lowkiq_outbox");
			assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
			assertThat(registry.get("lowkiq.outbox.rows").gauge().value()).isNaN();
		});
	}

	@Test
	void tablesOfAnotherVersionStopTheStartAndSayWhatToDo() {
		try (OutboxFixture older = new OutboxFixture()) {
			older.jdbc.execute("alter table lowkiq_outbox_lock drop column back_at");
			this.base.withBean(DataSource.class, () -> older.dataSource)
				.withPropertyValues("lowkiq.client.transactional=outbox")
				.run((context) -> assertThat(context.getStartupFailure()).rootCause()
					.isInstanceOf(LowkiqConfigurationException.class)
					.hasMessageContaining("BACK_AT")
					.hasMessageContaining("drop them, and create them again"));
		}
	}

	@Test
	void theRulesOfPrometheusAskForGaugesThatExist() {
		this.outbox.run((context) -> {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			context.getBean(OutboxGauges.class).bindTo(registry);
			Set<String> published = registry.getMeters()
				.stream()
				.map((meter) -> meter.getId().getName().replace('.', '_')
						+ ((meter.getId().getBaseUnit() != null) ? "_" + meter.getId().getBaseUnit() : ""))
				.collect(Collectors.toSet());
			Set<String> asked = Pattern.compile("lowkiq_outbox_\\w+(?=\\) >)")
				.matcher(Files.readString(Path.of("../docs/monitoring/prometheus.yml")))
				.results()
				.map(MatchResult::group)
				.collect(Collectors.toSet());
			assertThat(asked).isNotEmpty().isSubsetOf(published);
		});
	}

	private static long queued(QueueStatistics statistics) {
		return statistics.snapshot().sum(QueueStatistics.QueueCounts::queued);
	}

	private static TransactionTemplate transaction(PlatformTransactionManager manager) {
		return new TransactionTemplate(manager);
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		DataSource first() {
			return new DriverManagerDataSource("jdbc:h2:mem:first;DB_CLOSE_DELAY=-1");
		}

		@Bean
		DataSource second() {
			return new DriverManagerDataSource("jdbc:h2:mem:second;DB_CLOSE_DELAY=-1");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class QualifiedDataSource {

		@Bean
		@LowkiqDataSource
		DataSource qualified() {
			return new DriverManagerDataSource("jdbc:h2:mem:qualified;DB_CLOSE_DELAY=-1");
		}

	}

}
