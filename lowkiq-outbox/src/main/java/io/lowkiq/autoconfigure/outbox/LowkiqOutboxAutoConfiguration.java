package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

import javax.sql.DataSource;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.autoconfigure.init.OnDatabaseInitializationCondition;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;

import io.lowkiq.internal.DurationText;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.LowkiqProperties;
import io.lowkiq.client.StoreEnqueuer;

/**
 * Auto-configuration of the outbox: the enqueuer {@code lowkiqOutbox}, which the client
 * finds by its name, and what empties the table.
 */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnProperty(name = "lowkiq.client.transactional", havingValue = "outbox")
@ConditionalOnBean(StoreEnqueuer.class)
@ConditionalOnMissingBean(name = LowkiqClientAutoConfiguration.OUTBOX)
@EnableConfigurationProperties(LowkiqOutboxProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class LowkiqOutboxAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LowkiqOutboxAutoConfiguration.class);

	private static final Duration SHORTEST_POLL = Duration.ofMillis(100);

	private static final Duration LONGEST_POLL = Duration.ofMinutes(1);

	private static final Duration SHORTEST_KEEP = Duration.ofSeconds(1);

	private static final Duration LONGEST_KEEP = Duration.ofDays(7);

	private static final int MAX_ROWS = 10_000;

	@Bean
	OutboxDatabase lowkiqOutboxDatabase(ObjectProvider<DataSource> any,
			@LowkiqDataSource ObjectProvider<DataSource> own) {
		DataSource dataSource = own.getIfAvailable(any::getIfUnique);
		if (dataSource == null && any.stream().findAny().isEmpty()) {
			throw new LowkiqConfigurationException(
					"lowkiq.client.transactional is 'outbox', but there is no DataSource for the table lowkiq_outbox",
					"Add org.springframework.boot:spring-boot-starter-jdbc and a database driver to the dependencies, "
							+ "or define a DataSource");
		}
		if (dataSource == null) {
			throw new LowkiqConfigurationException(
					"lowkiq.client.transactional is 'outbox', and there are several DataSource beans",
					"Mark the one of the database with the table lowkiq_outbox as @LowkiqDataSource or @Primary");
		}
		return new OutboxDatabase(dataSource);
	}

	@Bean
	@DependsOnDatabaseInitialization
	OutboxTable lowkiqOutboxTable(OutboxDatabase database, LowkiqProperties properties, LowkiqOutboxProperties outbox) {
		Duration keep = outbox.getKeepSent();
		if (!keep.isZero() && (keep.compareTo(SHORTEST_KEEP) < 0 || keep.compareTo(LONGEST_KEEP) > 0)) {
			throw new LowkiqConfigurationException("lowkiq.outbox.keep-sent is %s; it must be between 1s and 7d, or 0"
				.formatted(DurationText.of(keep)), "Change the property");
		}
		OutboxTable table = new OutboxTable(database.dataSource(), properties.keyPrefix(), InstantSource.system());
		try {
			database.readUrl();
			table.prepare();
		}
		catch (DataAccessResourceFailureException ex) {
			logger.warn("The database with the table lowkiq_outbox can't be reached: {}", ex.getMessage());
		}
		catch (DataAccessException ex) {
			throw new LowkiqConfigurationException(
					"The tables of the outbox can't be used. If a column is missing, a version that was never released has created them: let it send everything, drop them, and create them again. %s"
						.formatted(ex.getMostSpecificCause().getMessage()),
					"If they don't exist, set lowkiq.outbox.initialize-schema to 'always', or run the script "
							+ "io/lowkiq/outbox/schema-<database>.sql of lowkiq-outbox. The application needs the rights "
							+ "to select, insert and delete in lowkiq_outbox, lowkiq_outbox_aside and "
							+ "lowkiq_outbox_sent, and to select, insert and update in lowkiq_outbox_lock");
		}
		return table;
	}

	@Bean
	OutboxFlush lowkiqOutboxFlush(OutboxDatabase database, OutboxTable table, StoreEnqueuer store,
			LowkiqOutboxProperties properties) {
		int batchSize = properties.getBatchSize();
		if (batchSize < 1 || batchSize > MAX_ROWS) {
			throw new LowkiqConfigurationException(
					"lowkiq.outbox.batch-size is %s; it must be between 1 and %s".formatted(batchSize, MAX_ROWS),
					"Change the property");
		}
		return new OutboxFlush(database.dataSource(), table,
				new KeptRows(table, new SentPass(table, properties.getKeepSent(), System::nanoTime),
						OutboxTarget.of(store), System::nanoTime),
				System::nanoTime, new OutboxFlush.Settings(batchSize, properties.getPollInterval()));
	}

	@Bean
	HandedOverJobs lowkiqHandedOverJobs(OutboxDatabase database, OutboxTable table) {
		return new HandedOverJobs(database, new OutboxWriter(database, table));
	}

	@Bean
	OutboxFlusher lowkiqOutboxFlusher(OutboxTable table, OutboxFlush flush, HandedOverJobs handedOver,
			LowkiqOutboxProperties properties) {
		Duration interval = properties.getPollInterval();
		if (interval.compareTo(SHORTEST_POLL) < 0 || interval.compareTo(LONGEST_POLL) > 0) {
			throw new LowkiqConfigurationException("lowkiq.outbox.poll-interval is %s; it must be between 100ms and 1m"
				.formatted(DurationText.of(interval)), "Change the property");
		}
		return new OutboxFlusher(table, flush, handedOver, interval, System::nanoTime, InstantSource.system());
	}

	@Bean
	OperatedOutbox lowkiqOperatedOutbox(OutboxDatabase database, OutboxTable table, OutboxFlush flush,
			OutboxFlusher flusher) {
		return new OperatedOutbox(database.dataSource(), table, flush, flusher);
	}

	@Bean
	static OutboxTransactions lowkiqOutboxTransactions() {
		return new OutboxTransactions();
	}

	@Bean(name = LowkiqClientAutoConfiguration.OUTBOX)
	OutboxEnqueuer lowkiqOutbox(OutboxDatabase database, OutboxTable table, HandedOverJobs handedOver,
			OutboxFlusher flusher, OutboxTransactions transactions) {
		OutboxEnqueuer enqueuer = new OutboxEnqueuer(database, table, handedOver, flusher::wake);
		transactions.connect(enqueuer);
		return enqueuer;
	}

	@Bean
	@Conditional(OnOutboxInitializationCondition.class)
	@ConditionalOnMissingBean(name = "lowkiqOutboxInitializer")
	PropertiesBasedDataSourceScriptDatabaseInitializer<LowkiqOutboxProperties> lowkiqOutboxInitializer(
			OutboxDatabase database, LowkiqOutboxProperties properties) {
		return new PropertiesBasedDataSourceScriptDatabaseInitializer<>(database.dataSource(), properties,
				Map.of(DatabaseDriver.MARIADB, "mysql"));
	}

	static class OnOutboxInitializationCondition extends OnDatabaseInitializationCondition {

		OnOutboxInitializationCondition() {
			super("Lowkiq outbox", "lowkiq.outbox.initialize-schema");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterBinder.class)
	@ConditionalOnBooleanProperty(name = "lowkiq.metrics.enabled", matchIfMissing = true)
	static class MetricsConfiguration {

		@Bean
		OutboxGauges lowkiqOutboxGauges(OutboxTable table, OutboxFlush flush, LowkiqProperties properties) {
			return new OutboxGauges(table, flush, InstantSource.system(), properties.metrics().cache());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
	static class HealthConfiguration {

		@Bean
		@ConditionalOnEnabledHealthIndicator("lowkiq-outbox")
		OutboxHealthIndicator lowkiqOutboxHealthIndicator(OutboxTable table, OutboxFlush flush, OutboxFlusher flusher) {
			return new OutboxHealthIndicator(table, flush, flusher);
		}

	}

}
