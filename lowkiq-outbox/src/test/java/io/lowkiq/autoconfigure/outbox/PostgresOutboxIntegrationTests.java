package io.lowkiq.autoconfigure.outbox;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Parts;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.NewPayload;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The outbox on PostgreSQL. */
class PostgresOutboxIntegrationTests {

	@AutoClose
	private static EmbeddedPostgres postgres;

	@AutoClose
	private static HikariDataSource pool;

	private final OutboxFixture.Target target = new OutboxFixture.Target();

	private JdbcTemplate jdbc;

	@BeforeAll
	static void start() throws IOException {
		postgres = EmbeddedPostgres.start();
		pool = OutboxFixture.pool(postgres.getPostgresDatabase());
	}

	@BeforeEach
	void createTables() {
		this.jdbc = new JdbcTemplate(pool);
		this.jdbc
			.execute("drop table if exists lowkiq_outbox, lowkiq_outbox_aside, lowkiq_outbox_lock, lowkiq_outbox_sent");
		LowkiqOutboxProperties properties = new LowkiqOutboxProperties();
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		properties.setPlatform("postgresql");
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(pool, properties).initializeDatabase();
	}

	private Outbox outbox(DataSource dataSource) {
		OutboxTable table = new OutboxTable(dataSource, "lowkiq", InstantSource.system());
		return new Outbox(table,
				OutboxFixture.flush(dataSource, table, this.target.asTarget(), () -> 0,
						new OutboxFlush.Settings(1_000, Duration.ofHours(1))),
				OutboxFixture.enqueuer(dataSource, table, () -> {
				}));
	}

	@Test
	void aStepWritesWithSavepointsAndLeavesWhatIsRefused() {
		Outbox outbox = outbox(pool);
		outbox.table().prepare();
		this.target.refusesId("a");
		outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("a", "b", "e", "a"));
		outbox.flushAll();
		assertThat(this.target.ids()).containsExactly("b", "e");
		assertThat(outbox.table().backlog().rows()).isEqualTo(2);
	}

	@Test
	void aDelayRunsByTheClockOfTheDatabase() {
		Outbox outbox = outbox(pool);
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
	void whatRedisHasForgottenIsSentAgainAndWhatItHasIsDeletedLater() {
		InMemoryRedis redis = new InMemoryRedis(InstantSource.system());
		RedisStore store = redis.store();
		KeepingOutbox keeping = new KeepingOutbox(store, pool, "postgresql");
		keeping.send(IntStream.range(0, 25).mapToObj((i) -> "id" + i + "=1").toArray(String[]::new));
		assertThat(KeepingOutbox.perform(store)).hasSize(25);
		Faults.Snapshot copy = redis.faults().snapshot();
		keeping.send("id1=2", "id2=2", "id1=3");
		redis.faults().promote(copy);
		keeping.send("id2=3");
		keeping.later();
		assertThat(KeepingOutbox.perform(store)).containsExactlyInAnyOrder("id1=2", "id2=2", "id1=3", "id2=3")
			.containsSubsequence("id1=2", "id1=3")
			.containsSubsequence("id2=2", "id2=3");
		assertThat(keeping.kept()).hasSize(29);
		assertThat(keeping.table.erasePrefix("id2")).containsEntry("orders", 8L);
		assertThat(keeping.table.erase("orders", "id1")).containsEntry("orders", 3L);
		assertThat(keeping.kept()).hasSize(18);
		keeping.age(KeepingOutbox.KEEP.plusMinutes(1));
		keeping.later();
		assertThat(keeping.kept()).isEmpty();
		assertThat(keeping.unsent()).isZero();
	}

	@Test
	void noProcessSendsAnythingBeforeThousandsOfRowsOfAForgottenGenerationHaveReturned() {
		InMemoryRedis redis = new InMemoryRedis(InstantSource.system());
		RedisStore store = redis.store();
		Faults.Snapshot empty = redis.faults().snapshot();
		QueueLayout former = store.queues().register("orders", 4);
		assertThat(store.queues().beginRemoval(former) && store.queues().endRemoval(former)).isTrue();
		KeepingOutbox first = new KeepingOutbox(store, pool, "postgresql");
		first.flushAll();
		first.table.lock().raise(100_000);
		first.send("a=1");
		this.jdbc.execute("update lowkiq_outbox_sent set call_number = 1");
		this.jdbc
			.update("""
					insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, delay, created_at)
					select prefix, queue, shard, call_number + n, seq + n, 'filler', payload, delay, created_at
					from lowkiq_outbox_sent, generate_series(1, 5100) n""");
		this.jdbc.execute("alter table lowkiq_outbox alter column seq restart with 8796093040000");
		first.send("a=2");
		redis.faults().promote(empty);
		RedisStore present = redis.store();
		present.queues().register("orders", 4);
		KeepingOutbox.perform(present);
		first.enqueue("a=3");
		first.flush.step();
		first.flush.ask();
		assertThat(first.kept()).as("some rows have returned").isNotEmpty().hasSizeLessThan(5_102);
		KeepingOutbox second = new KeepingOutbox(present, pool, "postgresql");
		second.enqueue("a=4");
		for (int i = 0; i < 10; i++) {
			second.flush.step();
		}
		assertThat(KeepingOutbox.perform(present)).isEmpty();
		second.flushAll();
		first.flushAll();
		assertThat(KeepingOutbox.perform(present)).filteredOn((job) -> job.startsWith("a"))
			.containsExactly("a=1", "a=2", "a=3", "a=4");
		assertThat(first.unsent()).isZero();
	}

	@Test
	void nothingIsSentByARoleThatCanNotDelete() {
		Outbox owner = outbox(pool);
		owner.table().prepare();
		owner.enqueuer().enqueue("orders", OutboxFixture.payloads("1"));
		this.jdbc.execute("drop role if exists writer");
		this.jdbc.execute("create role writer login");
		this.jdbc.execute("grant select, insert on lowkiq_outbox to writer");
		this.jdbc.execute("grant all on lowkiq_outbox_aside, lowkiq_outbox_lock, lowkiq_outbox_sent to writer");
		Outbox writer = outbox(postgres.getDatabase("writer", "postgres"));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(writer.table()::prepare)
			.havingRootCause()
			.withMessageContaining("permission denied");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(writer.flush()::step);
		assertThat(this.target.ids()).isEmpty();
		this.jdbc.execute("drop owned by writer");
	}

	@Test
	void rowsThatWaitAreNotScanned() {
		Outbox outbox = outbox(pool);
		outbox.table().prepare();
		outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("a"));
		OutboxRow row = outbox.table().read(1, new Parts(this.target::shardOf), "").rows().get(0);
		outbox.table().aside().add(List.of(row), "a reason");
		outbox.table().delete(List.of(row.sequence()));
		this.target.refuses("unknown");
		this.target.refusesShardOf("b", new StoreException("MISCONF", null));
		for (String rows : List.of("'unknown', n::text", "'orders', 'a'", "'orders', 'b' || n")) {
			this.jdbc.update("""
					insert into lowkiq_outbox (prefix, queue, job_id, payload, delay, created_at)
					select 'lowkiq', %s, '1', 0, 0 from generate_series(1, 10000) n""".formatted(rows));
		}
		outbox.flushAll();
		outbox.flushAll();
		assertThat(this.jdbc.queryForObject("select count(*) from lowkiq_outbox", Long.class)).isZero();
		assertThat(outbox.table().backlog().rows()).isEqualTo(30_000);
		this.jdbc.execute("vacuum lowkiq_outbox");
		this.jdbc.execute("vacuum lowkiq_outbox_aside");
		long before = rowsRead();
		for (int i = 0; i < 10; i++) {
			outbox.enqueuer().enqueue("zebras", OutboxFixture.payloads("c"));
			outbox.enqueuer().enqueue("apples", OutboxFixture.payloads("c"));
			outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("c", "g", "a"));
			outbox.flushAll();
		}
		assertThat(this.target.ids()).hasSize(40);
		assertThat(rowsRead() - before).isLessThan(3_000);
	}

	@Test
	void fewOfManyRowsAreReadThoughTheDatabaseExpectsNone() {
		OutboxTable table = outbox(pool).table();
		table.prepare();
		this.jdbc.execute("alter table lowkiq_outbox_aside set (autovacuum_enabled = false)");
		this.jdbc.execute("alter table lowkiq_outbox_sent set (autovacuum_enabled = false)");
		this.jdbc.execute(
				"""
						insert into lowkiq_outbox_aside (seq, prefix, queue, job_id, payload, delay, created_at, id_hash, put_aside)
						select n, 'lowkiq', 'orders', n, '1', 0, 0, n * 200000000000000, false from generate_series(1, 20000) n""");
		this.jdbc.execute(
				"""
						insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, delay, created_at)
						select 'lowkiq', 'orders', '1:0', n, n, n, '1', 0, 0 from generate_series(1, 20000) n""");
		long before = rowsRead();
		assertThat(table.aside().idsAmong("orders", List.of("a"))).isEmpty();
		assertThat(table.sent().ofOtherGenerations("orders", 1)).isEmpty();
		assertThat(table.sent().keptShards().shards()).hasSize(1);
		assertThat(rowsRead() - before).isLessThan(100);
	}

	@Test
	void aSequenceWithACacheIsRefused() {
		this.jdbc.execute("alter table lowkiq_outbox alter column seq set cache 20");
		assertThatExceptionOfType(LowkiqConfigurationException.class).isThrownBy(outbox(pool).table()::prepare)
			.withMessageContaining("takes 20 numbers at once");
	}

	@Test
	void twoStatementsMendASequenceThatWentBack() {
		Outbox outbox = outbox(pool);
		outbox.table().prepare();
		outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("a", "a", "a"));
		outbox.flushAll();
		this.jdbc.execute("alter table lowkiq_outbox alter column seq restart");
		outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("a", "a"));
		assertThatIllegalStateException().isThrownBy(outbox::flushAll);
		String problem = String.valueOf(outbox.flush().sequenceProblem());
		this.jdbc.execute(problem.substring(problem.indexOf("ALTER")));
		outbox.enqueuer().enqueue("orders", OutboxFixture.payloads("a"));
		outbox.flushAll();
		assertThat(this.target.payloads()).extracting(NewPayload::score).hasSize(6).isSorted().doesNotHaveDuplicates();
	}

	/** Of the tables and their indexes, by all sessions. */
	private long rowsRead() {
		this.jdbc.queryForList("select pg_stat_force_next_flush()");
		this.jdbc.queryForList("select 1");
		List<Long> read = this.jdbc.queryForList("""
				select coalesce(sum(idx_tup_read), 0)
						+ (select sum(seq_tup_read) from pg_stat_user_tables where relname like 'lowkiq%')
				from pg_stat_user_indexes where relname like 'lowkiq%'""", Long.class);
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
