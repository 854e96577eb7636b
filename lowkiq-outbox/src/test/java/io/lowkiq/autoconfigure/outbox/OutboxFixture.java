package io.lowkiq.autoconfigure.outbox;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.UnknownQueueException;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.StoreException;

/**
 * An outbox in a database of its own, without the thread that flushes.
 */
final class OutboxFixture implements AutoCloseable {

	static final Duration LONG = Duration.ofSeconds(30);

	final DataSource dataSource = new DriverManagerDataSource(
			"jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));

	final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	final JdbcTransactionManager manager = new JdbcTransactionManager(this.dataSource);

	final TransactionTemplate transaction = new TransactionTemplate(this.manager);

	final OutboxTable table;

	final Target target = new Target();

	final OutboxFlush flush;

	final OutboxFlusher flusher;

	final OutboxEnqueuer enqueuer;

	volatile Instant now = Instant.ofEpochMilli(1_000_000);

	OutboxFixture() {
		this(Duration.ofMillis(100));
	}

	OutboxFixture(Duration pollInterval) {
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(this.dataSource, new LowkiqOutboxProperties())
			.initializeDatabase();
		InstantSource clock = () -> this.now;
		this.table = new OutboxTable(this.dataSource, clock);
		this.flush = new OutboxFlush(this.dataSource, this.table, this.target, clock, 10);
		this.flusher = new OutboxFlusher(this.table, this.flush, pollInterval);
		this.enqueuer = new OutboxEnqueuer(this.dataSource, this.table, this.flusher::wake);
		OutboxTransactions transactions = new OutboxTransactions();
		transactions.tell(this.enqueuer);
		this.manager.addListener(transactions.listener());
	}

	void enqueue(String... ids) {
		this.enqueuer.enqueue("orders", payloads(ids));
	}

	static List<NewPayload> payloads(String... ids) {
		return Stream.of(ids).map((id) -> NewPayload.of(id, ("of " + id).getBytes(StandardCharsets.UTF_8))).toList();
	}

	long rows() {
		return this.table.backlog().rows();
	}

	@Override
	public void close() {
		this.flusher.stop();
		this.jdbc.execute("shutdown");
	}

	/**
	 * The store. Thread-safe.
	 */
	static final class Target implements Enqueuer {

		private final List<String> ids = new ArrayList<>();

		private final List<NewPayload> payloads = new ArrayList<>();

		private RuntimeException problem;

		private RuntimeException problemAfterwards;

		private String refused = "";

		@Override
		public synchronized void enqueue(String queue, List<NewPayload> some) {
			if (queue.equals(this.refused)) {
				throw new UnknownQueueException("No queue '%s'".formatted(queue));
			}
			if (this.problem != null) {
				throw this.problem;
			}
			some.forEach((payload) -> this.ids.add(payload.id()));
			this.payloads.addAll(some);
			if (this.problemAfterwards != null) {
				throw this.problemAfterwards;
			}
		}

		synchronized List<String> ids() {
			return List.copyOf(this.ids);
		}

		synchronized List<NewPayload> payloads() {
			return List.copyOf(this.payloads);
		}

		synchronized void away() {
			this.problem = new StoreException("Redis is away", null);
		}

		synchronized void losesAnswers() {
			this.problemAfterwards = new StoreException("No answer", null);
		}

		synchronized void refuses(String queue) {
			this.refused = queue;
		}

		synchronized void works() {
			this.problem = null;
			this.problemAfterwards = null;
			this.refused = "";
		}

	}

}
