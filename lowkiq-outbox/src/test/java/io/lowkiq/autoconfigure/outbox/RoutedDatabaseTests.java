package io.lowkiq.autoconfigure.outbox;

import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.OtherDatabaseException;
import io.lowkiq.ReadOnlyTransactionException;
import io.lowkiq.autoconfigure.transaction.TransactionJobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A data source that chooses one of two databases for each connection. */
class RoutedDatabaseTests {

	private final DataSource first = database();

	private final DataSource second = database();

	private boolean isSecond;

	private static DataSource database() {
		DataSource database = new DriverManagerDataSource(
				"jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(database, new LowkiqOutboxProperties())
			.initializeDatabase();
		new JdbcTemplate(database).execute("create table orders (id varchar(10))");
		return database;
	}

	private static long count(DataSource database, String table) {
		Long rows = new JdbcTemplate(database).queryForObject("select count(*) from " + table, Long.class);
		return (rows != null) ? rows : 0;
	}

	@Test
	void aTenantWhoseRowsAreNotSentIsRefusedAtTheCall() {
		Outbox outbox = new Outbox(routing());
		outbox.transaction.executeWithoutResult((status) -> outbox.enqueue("1"));
		this.isSecond = true;
		outbox.transaction.executeWithoutResult((status) -> {
			outbox.jdbc.update("insert into orders values ('2')");
			assertThatExceptionOfType(OtherDatabaseException.class).isThrownBy(() -> outbox.enqueue("2"))
				.withMessageContaining("only sends the rows of jdbc:h2:mem:");
		});
		assertThatExceptionOfType(OtherDatabaseException.class).isThrownBy(() -> outbox.enqueue("3"));
		assertThat(count(this.second, "lowkiq_outbox")).isZero();
		assertThat(count(this.second, "orders")).isOne();
		assertThat(count(this.first, "lowkiq_outbox")).isOne();
	}

	@Test
	void nothingIsWrittenByAConnectionThatIsOnlySeenAtTheCommit() {
		Outbox outbox = new Outbox(routing());
		this.isSecond = true;
		assertThatExceptionOfType(OtherDatabaseException.class)
			.isThrownBy(() -> outbox.transaction.executeWithoutResult((status) -> {
				outbox.jdbc.update("insert into orders values ('1')");
				TransactionJobs.add(outbox.enqueuer, "orders", OutboxFixture.payloads("1"));
			}));
		assertThat(count(this.second, "orders")).isZero();
		assertThat(count(this.second, "lowkiq_outbox")).isZero();
	}

	@Test
	void routingBetweenReadingAndWritingWorks() {
		Outbox outbox = new Outbox(new LazyConnectionDataSourceProxy(routing()));
		outbox.transaction.executeWithoutResult((status) -> {
			outbox.jdbc.update("insert into orders values ('1')");
			outbox.enqueue("1");
		});
		TransactionTemplate readOnly = new TransactionTemplate(outbox.manager);
		readOnly.setReadOnly(true);
		readOnly.executeWithoutResult((status) -> {
			assertThat(outbox.jdbc.queryForList("select * from orders")).isEmpty();
			assertThatExceptionOfType(ReadOnlyTransactionException.class).isThrownBy(() -> outbox.enqueue("2"));
		});
		outbox.enqueue("3");
		assertThat(count(this.first, "lowkiq_outbox")).isEqualTo(2);
		assertThat(count(this.second, "lowkiq_outbox")).isZero();
	}

	@Test
	void aDatabaseThatHasMovedIsFoundByTheThreadOfTheOutbox() {
		Outbox outbox = new Outbox(routing());
		this.isSecond = true;
		assertThatExceptionOfType(OtherDatabaseException.class).isThrownBy(() -> outbox.enqueue("1"));
		assertThat(outbox.handedOver.write()).isNull();
		outbox.enqueue("1");
		assertThat(count(this.second, "lowkiq_outbox")).isOne();
	}

	@Test
	void nothingIsWrittenBeforeTheDatabaseIsKnown() {
		OutboxDatabase unknown = new OutboxDatabase(this.first);
		Outbox outbox = new Outbox(unknown);
		assertThatExceptionOfType(OtherDatabaseException.class).isThrownBy(() -> outbox.enqueue("1"))
			.withMessageContaining("has not been reached yet");
		assertThat(outbox.handedOver.write()).isNull();
		outbox.enqueue("1");
		assertThat(count(this.first, "lowkiq_outbox")).isOne();
	}

	@Test
	void noSecretOfAUrlIsTold() {
		assertThat(OutboxDatabase.withoutSecrets("jdbc:mysql://root:secret@host/db?password=secret"))
			.isEqualTo("jdbc:mysql://host/db");
		assertThat(OutboxDatabase.withoutSecrets("jdbc:sqlserver://host;password=secret"))
			.isEqualTo("jdbc:sqlserver://host");
	}

	private DataSource routing() {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
			@Override
			protected @Nullable Object determineCurrentLookupKey() {
				return RoutedDatabaseTests.this.isSecond
						|| TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? "second" : null;
			}
		};
		routing.setDefaultTargetDataSource(this.first);
		routing.setTargetDataSources(Map.of("second", this.second));
		routing.afterPropertiesSet();
		return routing;
	}

	private static final class Outbox {

		private final JdbcTemplate jdbc;

		private final JdbcTransactionManager manager;

		private final TransactionTemplate transaction;

		private final HandedOverJobs handedOver;

		private final OutboxEnqueuer enqueuer;

		private Outbox(DataSource dataSource) {
			this(OutboxFixture.database(dataSource));
		}

		private Outbox(OutboxDatabase database) {
			DataSource dataSource = database.dataSource();
			this.jdbc = new JdbcTemplate(dataSource);
			this.manager = new JdbcTransactionManager(dataSource);
			this.transaction = new TransactionTemplate(this.manager);
			OutboxTable table = new OutboxTable(dataSource, "lowkiq", InstantSource.system());
			this.handedOver = new HandedOverJobs(database, new OutboxWriter(database, table));
			this.enqueuer = new OutboxEnqueuer(database, table, this.handedOver, () -> {
			});
			OutboxTransactions transactions = new OutboxTransactions();
			transactions.connect(this.enqueuer);
			this.manager.addListener(transactions.listener());
		}

		private void enqueue(String id) {
			this.enqueuer.enqueue("orders", OutboxFixture.payloads(id));
		}

	}

}
