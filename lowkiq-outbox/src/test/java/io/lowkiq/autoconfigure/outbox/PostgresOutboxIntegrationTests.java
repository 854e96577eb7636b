package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.store.NewPayload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The outbox on PostgreSQL.
 */
class PostgresOutboxIntegrationTests {

	private static EmbeddedPostgres postgres;

	private final OutboxFixture.Target target = new OutboxFixture.Target();

	private JdbcTemplate jdbc;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
	}

	@AfterAll
	static void stop() throws IOException {
		postgres.close();
	}

	@BeforeEach
	void createTables() {
		DataSource dataSource = postgres.getPostgresDatabase();
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.execute("drop table if exists lowkiq_outbox, lowkiq_outbox_aside, lowkiq_outbox_lock");
		LowkiqOutboxProperties properties = new LowkiqOutboxProperties();
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		properties.setPlatform("postgresql");
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(dataSource, properties).initializeDatabase();
	}

	private Outbox outbox(DataSource dataSource) {
		OutboxTable table = new OutboxTable(dataSource, "lowkiq", InstantSource.system());
		return new Outbox(table,
				new OutboxFlush(dataSource, table, this.target, () -> 0,
						new OutboxFlush.Settings(1_000, Duration.ofHours(1))),
				OutboxFixture.enqueuer(dataSource, table, () -> {
				}));
	}

	@Test
	void aStepWritesWithSavepointsAndLeavesWhatIsRefused() {
		Outbox outbox = outbox(postgres.getPostgresDatabase());
		outbox.table().prepare();
		this.target.refusesId("a");
		outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("a", "b", "e", "a"));
		outbox.flushAll();
		assertThat(this.target.ids()).containsExactly("b", "e");
		assertThat(outbox.table().backlog().rows()).isEqualTo(2);
	}

	@Test
	void aDelayRunsByTheClockOfTheDatabase() {
		Outbox outbox = outbox(postgres.getPostgresDatabase());
		outbox.table().prepare();
		outbox.enqueuer()
			.enqueue("orders", List.of(OutboxFixture.payloads("a").get(0).withDelay(Duration.ofDays(10)),
					OutboxFixture.payloads("b").get(0).withDelay(Duration.ofDays(3))));
		this.jdbc.update("update lowkiq_outbox set created_at = created_at - ?", Duration.ofDays(4).toMillis());
		outbox.flushAll();
		assertThat(this.target.payloads()).extracting(NewPayload::delay)
			.satisfiesExactly((delay) -> assertThat(delay).isBetween(Duration.ofDays(5).toMillis(),
					Duration.ofDays(6).toMillis()), (delay) -> assertThat(delay).isZero());
	}

	@Test
	void nothingIsSentByARoleThatCanNotDelete() {
		Outbox owner = outbox(postgres.getPostgresDatabase());
		owner.table().prepare();
		owner.enqueuer().enqueue("orders", OutboxFixture.payloads("1"));
		this.jdbc.execute("drop role if exists writer");
		this.jdbc.execute("create role writer login");
		this.jdbc.execute("grant select, insert on lowkiq_outbox to writer");
		this.jdbc.execute("grant all on lowkiq_outbox_aside, lowkiq_outbox_lock to writer");
		Outbox writer = outbox(postgres.getDatabase("writer", "postgres"));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(writer.table()::prepare)
			.havingRootCause()
			.withMessageContaining("permission denied");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(writer.flush()::step);
		assertThat(this.target.ids()).isEmpty();
		this.jdbc.execute("drop owned by writer");
	}

	@Test
	void rowsOfAnUnknownQueueAreNotScanned() {
		Outbox outbox = outbox(postgres.getPostgresDatabase());
		outbox.table().prepare();
		this.jdbc.update("""
				insert into lowkiq_outbox (prefix, queue, job_id, payload, delay, created_at)
				select 'lowkiq', 'unknown', n::text, '1', 0, 0 from generate_series(1, 100000) n""");
		this.target.refuses("unknown");
		outbox.flushAll();
		long before = rowsRead();
		for (int i = 0; i < 10; i++) {
			outbox.enqueuer().enqueue("zebras", OutboxFixture.payloads("1"));
			outbox.enqueuer().enqueue("apples", OutboxFixture.payloads("1"));
			outbox.flushAll();
		}
		assertThat(this.target.ids()).hasSize(20);
		assertThat(rowsRead() - before).isLessThan(1_000);
	}

	/** Of the table and its indexes, by all sessions. */
	private long rowsRead() {
		this.jdbc.queryForList("select pg_stat_force_next_flush()");
		this.jdbc.queryForList("select 1");
		List<Long> read = this.jdbc.queryForList("""
				select coalesce(sum(idx_tup_read), 0)
						+ (select seq_tup_read from pg_stat_user_tables where relname = 'lowkiq_outbox')
				from pg_stat_user_indexes where relname = 'lowkiq_outbox'""", Long.class);
		return read.get(0);
	}

	private record Outbox(OutboxTable table, OutboxFlush flush, OutboxEnqueuer enqueuer) {

		void flushAll() {
			while (this.flush.step()) {
				// The next step
			}
		}

	}

}
