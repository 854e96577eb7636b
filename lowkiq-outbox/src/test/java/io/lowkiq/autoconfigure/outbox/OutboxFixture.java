package io.lowkiq.autoconfigure.outbox;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lowkiq.StoreException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Parts;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An outbox in a database of its own, without the thread that flushes. */
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

	final HandedOverJobs handedOver;

	final OutboxFlusher flusher;

	final OutboxEnqueuer enqueuer;

	final AtomicLong nanos = new AtomicLong();

	volatile Instant now = Instant.ofEpochMilli(1_000_000);

	OutboxFixture() {
		this(Duration.ofMillis(100));
	}

	OutboxFixture(Duration pollInterval) {
		new PropertiesBasedDataSourceScriptDatabaseInitializer<>(this.dataSource, new LowkiqOutboxProperties())
			.initializeDatabase();
		InstantSource clock = () -> this.now;
		this.table = new OutboxTable(this.dataSource, "lowkiq", clock);
		this.table.prepare();
		this.flush = flush(this.target::enqueue);
		OutboxDatabase database = database(this.dataSource);
		this.handedOver = new HandedOverJobs(database, new OutboxWriter(database, this.table));
		this.flusher = new OutboxFlusher(this.table, this.flush, this.handedOver, pollInterval, this.nanos::get, clock);
		this.enqueuer = new OutboxEnqueuer(database, this.table, this.handedOver, this.flusher::wake);
		OutboxTransactions transactions = new OutboxTransactions();
		transactions.connect(this.enqueuer);
		this.manager.addListener(transactions.listener());
	}

	/** Connections that stay open, as in an application: opening one takes long. */
	static HikariDataSource pool(DataSource dataSource) {
		HikariConfig config = new HikariConfig();
		config.setDataSource(dataSource);
		config.setMaximumPoolSize(4);
		config.setMinimumIdle(0);
		return new HikariDataSource(config);
	}

	/** A database that has been reached. */
	static OutboxDatabase database(DataSource dataSource) {
		OutboxDatabase database = new OutboxDatabase(dataSource);
		database.readUrl();
		return database;
	}

	/** Without a thread that writes what is handed over. */
	static OutboxEnqueuer enqueuer(DataSource dataSource, OutboxTable table, Runnable committed) {
		OutboxDatabase database = database(dataSource);
		return new OutboxEnqueuer(database, table, new HandedOverJobs(database, new OutboxWriter(database, table)),
				committed);
	}

	/** A step, with batches of ten. */
	OutboxFlush flush(BiFunction<String, List<NewPayload>, List<ShardRefusal>> enqueue) {
		return flush(this.dataSource, this.table, target(enqueue, this.target::shardOf), this.nanos::get,
				new OutboxFlush.Settings(10, Duration.ofSeconds(5)));
	}

	/** A step that keeps nothing. */
	static OutboxFlush flush(DataSource dataSource, OutboxTable table, OutboxTarget target, LongSupplier nanoTime,
			OutboxFlush.Settings settings) {
		return new OutboxFlush(dataSource, table,
				new KeptRows(table, new SentPass(table, Duration.ZERO, nanoTime), target, nanoTime), nanoTime,
				settings);
	}

	private static OutboxTarget target(BiFunction<String, List<NewPayload>, List<ShardRefusal>> enqueue,
			BiFunction<String, String, Shard> shardOf) {
		return new OutboxTarget((queue, payloads, call) -> enqueue.apply(queue, payloads), (shards, call) -> Map.of(),
				shardOf);
	}

	void enqueue(String... ids) {
		this.enqueuer.enqueue("orders", payloads(ids));
	}

	void enqueueInto(List<String> queues, String... ids) {
		queues.forEach((queue) -> this.enqueuer.enqueue(queue, payloads(ids)));
	}

	/** Enqueues, and sends all that can be sent. */
	void send(String... ids) {
		enqueue(ids);
		flushAll();
	}

	/** What waits is due again after its pause. */
	void retry() {
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		flushAll();
	}

	/** The store works again, and what waits is sent after its pause. */
	void recover() {
		this.target.works();
		retry();
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

	/** Rows in the order of their sequence, whatever their queue. */
	List<OutboxRow> all() {
		return this.table.read(100, new Parts((queue, id) -> this.target.shardOf(queue, id)), "")
			.rows()
			.stream()
			.sorted(Comparator.comparing(OutboxRow::sequence))
			.toList();
	}

	/** The number of the next row, after the check at the start. */
	long nextNumber() {
		flushAll();
		Long last = this.transaction.execute((status) -> this.table.takeNumber());
		return ((last != null) ? last : 0) + 1;
	}

	/** Puts the first row aside, as a row that no store takes. */
	void putFirstAside(String reason) {
		OutboxRow row = all().get(0);
		this.table.aside().add(List.of(row), reason);
		this.table.delete(List.of(row.sequence()));
	}

	/** Until nothing is left to do. */
	void flushAll() {
		while (this.flush.step()) {
			// The next step
		}
	}

	/**
	 * The store, with four shards a queue: 'a' and 'e' share one, as do 'b' and 'f'.
	 * Thread-safe.
	 */
	static final class Target {

		private final List<String> ids = new ArrayList<>();

		private final List<NewPayload> payloads = new ArrayList<>();

		private final Map<Integer, StoreException> shardProblems = new HashMap<>();

		private @Nullable StoreException problem;

		private boolean losesAnswers;

		private String refusedQueue = "";

		private String refusedId = "";

		private String knownQueue = "";

		private int shards = 4;

		private int calls;

		private BiConsumer<String, List<NewPayload>> watch = (queue, payloads) -> {
		};

		/** Both calls, as the outbox makes them. */
		OutboxTarget asTarget() {
			return target(this::enqueue, this::shardOf);
		}

		synchronized Shard shardOf(String queue, String id) {
			return new Shard(queue, 1, id.charAt(0) % this.shards);
		}

		synchronized List<ShardRefusal> enqueue(String queue, List<NewPayload> some) {
			this.calls++;
			this.watch.accept(queue, some);
			if (queue.equals(this.refusedQueue) || !(this.knownQueue.isEmpty() || queue.equals(this.knownQueue))) {
				throw new UnknownQueueException("No queue '%s'".formatted(queue));
			}
			Map<Shard, List<Integer>> byShard = new LinkedHashMap<>();
			IntStream.range(0, some.size())
				.forEach((i) -> byShard.computeIfAbsent(shardOf(queue, some.get(i).id()), (shard) -> new ArrayList<>())
					.add(i));
			List<ShardRefusal> not = new ArrayList<>();
			byShard.forEach((shard, positions) -> {
				StoreException refusal = refusal(shard, positions.stream().map(some::get).toList());
				if (refusal != null) {
					not.add(new ShardRefusal(shard, positions, refusal));
				}
			});
			List<Integer> notIn = not.stream().flatMap((each) -> each.positions().stream()).toList();
			for (int i = 0; i < some.size(); i++) {
				if (!notIn.contains(i) || this.losesAnswers) {
					this.ids.add(some.get(i).id());
					this.payloads.add(some.get(i));
				}
			}
			return not;
		}

		private @Nullable StoreException refusal(Shard shard, List<NewPayload> some) {
			if (this.problem != null) {
				return this.problem;
			}
			if (some.stream().anyMatch((payload) -> payload.id().equals(this.refusedId))) {
				return new StoreException("WRONGTYPE", null);
			}
			return this.shardProblems.get(shard.index());
		}

		synchronized List<String> ids() {
			return List.copyOf(this.ids);
		}

		synchronized List<NewPayload> payloads() {
			return List.copyOf(this.payloads);
		}

		synchronized int calls() {
			return this.calls;
		}

		synchronized void away() {
			this.problem = new StoreUnreachableException("Redis is away", null);
		}

		synchronized void losesAnswers() {
			this.problem = new StoreTimeoutException("No answer", null);
			this.losesAnswers = true;
		}

		synchronized void refuses(String queue) {
			this.refusedQueue = queue;
		}

		synchronized void knowsOnly(String queue) {
			this.knownQueue = queue;
		}

		/** Another number of shards. */
		synchronized void shards(int count) {
			this.shards = count;
		}

		/** Sees each call first. */
		synchronized void watch(BiConsumer<String, List<NewPayload>> watcher) {
			this.watch = watcher;
		}

		synchronized void refusesId(String id) {
			this.refusedId = id;
		}

		synchronized void refusesShardOf(String id, StoreException why) {
			this.shardProblems.put(id.charAt(0) % this.shards, why);
		}

		synchronized void works() {
			this.problem = null;
			this.losesAnswers = false;
			this.refusedQueue = "";
			this.refusedId = "";
			this.knownQueue = "";
			this.shardProblems.clear();
		}

	}

}
