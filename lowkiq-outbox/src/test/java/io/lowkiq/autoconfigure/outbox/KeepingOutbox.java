package io.lowkiq.autoconfigure.outbox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Store;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.Intercepted;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** An outbox that keeps what it has sent, without the thread that flushes. */
final class KeepingOutbox implements AutoCloseable {

	static final Duration KEEP = Duration.ofMinutes(2);

	private static final QueueDeclaration ORDERS = new QueueDeclaration("orders", 4);

	private final boolean isOwnDatabase;

	final DataSource dataSource;

	final JdbcTemplate jdbc;

	/** How many statements the outbox has made. */
	final AtomicInteger statements = new AtomicInteger();

	final OutboxTable table;

	final StoreEnqueuer store;

	final SentPass pass;

	OutboxFlush flush;

	final OutboxEnqueuer enqueuer;

	final AtomicLong nanos = new AtomicLong();

	KeepingOutbox(Store store) {
		this(store, new DriverManagerDataSource("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID())), "h2",
				true, KEEP);
	}

	/** Another process of the same application. */
	KeepingOutbox(Store store, KeepingOutbox first) {
		this(store, first, KEEP);
	}

	/** Another process, which keeps rows for another time. */
	KeepingOutbox(Store store, KeepingOutbox first, Duration keep) {
		this(store, Objects.requireNonNull(first.jdbc.getDataSource()), "h2", false, keep);
	}

	KeepingOutbox(Store store, DataSource dataSource, String platform) {
		this(store, dataSource, platform, false, KEEP);
	}

	private KeepingOutbox(Store store, DataSource dataSource, String platform, boolean isOwnDatabase, Duration keep) {
		this.isOwnDatabase = isOwnDatabase;
		this.dataSource = counted(dataSource);
		this.jdbc = new JdbcTemplate(dataSource);
		LowkiqOutboxProperties properties = new LowkiqOutboxProperties();
		properties.setPlatform(platform);
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(dataSource, properties).initializeDatabase();
		this.table = new OutboxTable(this.dataSource, "lowkiq", InstantSource.system());
		this.table.prepare();
		this.store = new StoreEnqueuer(new WorkerRegistry(List.of()), List.of(ORDERS), store.shards(), store.queues(),
				LowkiqObserver.NONE, this.nanos::get);
		this.pass = new SentPass(this.table, keep, this.nanos::get);
		this.flush = new OutboxFlush(this.dataSource, this.table,
				new KeptRows(this.table, this.pass, OutboxTarget.of(this.store), this.nanos::get), this.nanos::get,
				new OutboxFlush.Settings(10, Duration.ofSeconds(5)));
		this.enqueuer = OutboxFixture.enqueuer(this.dataSource, this.table, () -> {
		});
		if (isOwnDatabase && store.queues().find("orders").isEmpty()) {
			// The queue has been served before
			store.queues().register(ORDERS);
			perform(store);
		}
	}

	/** From now on, nothing is kept. */
	void keepNothing() {
		this.flush = OutboxFixture.flush(this.dataSource, this.table, OutboxTarget.of(this.store), this.nanos::get,
				new OutboxFlush.Settings(10, Duration.ofSeconds(5)));
	}

	private DataSource counted(DataSource target) {
		Intercepted.Interceptor execute = (method, call) -> {
			if (method.startsWith("execute")) {
				this.statements.incrementAndGet();
			}
			return call.make();
		};
		return new DelegatingDataSource(target) {

			@Override
			public Connection getConnection() throws SQLException {
				return Intercepted.of(Connection.class, super.getConnection(), (method, call) -> switch (method) {
					case "createStatement" -> Intercepted.of(Statement.class, (Statement) call.make(), execute);
					case "prepareStatement" ->
						Intercepted.of(PreparedStatement.class, (PreparedStatement) call.make(), execute);
					default -> call.make();
				});
			}

		};
	}

	/** A store whose calls of an outbox are intercepted. */
	static Store intercepted(Store store, Intercepted.Interceptor interceptor) {
		ShardStore shards = Intercepted.of(ShardStore.class, store.shards(),
				(method, call) -> method.equals("enqueueFenced") ? interceptor.answer(method, call) : call.make());
		return Intercepted.of(Store.class, store, (method, call) -> method.equals("shards") ? shards : call.make());
	}

	/** Enqueues jobs, such as {@code a=1}. */
	void enqueue(String... jobs) {
		for (String job : jobs) {
			String[] parts = job.split("=");
			this.enqueuer.enqueue("orders",
					List.of(NewPayload.of(parts[0], parts[1].getBytes(StandardCharsets.UTF_8))));
		}
	}

	/** Enqueues, and sends all that can be sent. */
	void send(String... jobs) {
		enqueue(jobs);
		flushAll();
	}

	/** Until nothing is left to do. */
	void flushAll() {
		flushAll(this.flush);
	}

	static void flushAll(OutboxFlush flush) {
		boolean more;
		do {
			more = flush.step();
			more |= flush.ask();
		}
		while (more || flush.isDue());
	}

	/** Shards are asked again. */
	void later() {
		this.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
		flushAll();
	}

	/** What was kept is older now. */
	void age(Duration by) {
		this.jdbc.update("update lowkiq_outbox_sent set sent_at = sent_at - ?", by.toMillis());
	}

	List<String> kept() {
		return this.jdbc.queryForList("select job_id from lowkiq_outbox_sent order by seq", String.class);
	}

	long unsent() {
		Long count = this.jdbc.queryForObject(
				"select (select count(*) from lowkiq_outbox) + (select count(*) from lowkiq_outbox_aside)", Long.class);
		return (count != null) ? count : 0;
	}

	/** Performs what is queued; returns it in its order, as {@code a=1}. */
	static List<String> perform(Store store) {
		List<String> performed = new ArrayList<>();
		store.queues().find("orders").orElseThrow().allShards().forEach((shard) -> perform(store, shard, performed));
		return performed;
	}

	private static void perform(Store store, Shard shard, List<String> performed) {
		Lease lease = ((Acquisition.Acquired) store.shards().acquire(shard, LeaseRequest.forFreeShard("s")).join())
			.lease();
		FetchResult.Fetched fetched = (FetchResult.Fetched) store.shards()
			.completeAndFetch(lease, 1, 0, List.of(), new Fetch(100, 100, false))
			.join();
		for (FetchedJob job : fetched.jobs()) {
			job.payloads()
				.forEach((payload) -> performed
					.add(job.id() + "=" + new String(payload.bytes(), StandardCharsets.UTF_8)));
		}
		store.shards()
			.release(lease, 2, fetched.jobs().stream().map((job) -> (Outcome) new Outcome.Done(job.id())).toList())
			.join();
	}

	@Override
	public void close() {
		if (this.isOwnDatabase) {
			this.jdbc.execute("shutdown");
		}
	}

}
