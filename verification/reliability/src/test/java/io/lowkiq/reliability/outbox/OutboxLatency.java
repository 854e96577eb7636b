package io.lowkiq.reliability.outbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.TransactionMode;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures the time from the begin of a transaction that enqueues one job to its perform,
 * at a fixed rate, with and without rows that can't be sent.
 */
public final class OutboxLatency {

	private static final String PREFIX = "lowkiq";

	private static final int QUEUES = 4;

	private static final int THREADS = 4;

	/** One more queue, whose shards have only jobs that waited. */
	private static final String OWN_QUEUE = "queue-" + QUEUES;

	private static final int MANY_IDS = 1_000;

	private static final int REMOVED_JOBS = 5_000;

	private final ConfigurableApplicationContext context;

	private final RedisProcess redis;

	private final JdbcTemplate jdbc;

	/** By id that waited: the version that was performed last. */
	private final Map<String, Long> lastOfWaiting = new ConcurrentHashMap<>();

	private final AtomicInteger outOfOrder = new AtomicInteger();

	private final TestDatabase.Product product;

	private final int rate;

	private final int seconds;

	/** How many rows can't be sent. */
	private final int waitingRows;

	private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

	private OutboxLatency(ConfigurableApplicationContext context, RedisProcess redis, TestDatabase.Product product,
			int rate, int seconds, int waitingRows) {
		this.context = context;
		this.redis = redis;
		this.jdbc = context.getBean(JdbcTemplate.class);
		this.product = product;
		this.rate = rate;
		this.seconds = seconds;
		this.waitingRows = waitingRows;
	}

	/**
	 * Measures and prints.
	 * @param arguments the database ({@link TestDatabase.Product}), what disturbs the
	 * second half of each round ({@link Disturbance}), jobs per second, the seconds of a
	 * half, the number of rounds, and how many rows wait (a million)
	 * @throws Exception if something can't be started
	 */
	public static void main(String[] arguments) throws Exception {
		TestDatabase.Product product = TestDatabase.Product.valueOf(arguments[0]);
		Disturbance disturbance = Disturbance.valueOf(arguments[1]);
		Path directory = Files.createTempDirectory("outbox-latency-");
		try (TestDatabase database = TestDatabase.start(product, directory);
				RedisProcess redis = TestRedis.startPrivate();
				ConfigurableApplicationContext context = start(database, redis)) {
			OutboxLatency latency = new OutboxLatency(context, redis, product, Integer.parseInt(arguments[2]),
					Integer.parseInt(arguments[3]), Integer.parseInt(arguments[5]));
			LettuceConnectionFactory factory = TestRedis.connectionFactory(redis.url());
			LowkiqServer server = new LowkiqServer(
					new ServerOptions(latency.workers(), new RedisStore(factory, PREFIX, null)));
			server.registerQueues();
			server.start();
			latency.measure(disturbance, Integer.parseInt(arguments[4]));
			System.exit(0);
		}
	}

	private static ConfigurableApplicationContext start(TestDatabase database, RedisProcess redis) {
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(Map.of("spring.datasource.url", database.url(), "spring.datasource.username",
				database.user(), "spring.data.redis.url", redis.url(), "lowkiq.key-prefix", PREFIX,
				"lowkiq.client.transactional", "outbox", "lowkiq.outbox.initialize-schema", "always"));
		return application.run();
	}

	private WorkerRegistry workers() {
		Worker<OrderChange> worker = (id, changes) -> changes.forEach((change) -> performed(id, change));
		return new WorkerRegistry(IntStream.rangeClosed(0, QUEUES)
			.mapToObj((i) -> new RegisteredWorker("queue-" + i, Worker.class, OrderChange.class,
					new RegisteredWorker.Settings(4, 1, 25, 100, 1, 0), () -> worker))
			.toList());
	}

	private void performed(String id, OrderChange change) {
		if (!id.startsWith("w")) {
			this.nanos.add(System.nanoTime() - change.version());
			return;
		}
		Long before = this.lastOfWaiting.put(id, change.version());
		if (before != null && before > change.version()) {
			this.outOfOrder.incrementAndGet();
		}
	}

	private void measure(Disturbance disturbance, int rounds) throws InterruptedException, ExecutionException {
		run(false);
		List<String> lines = new ArrayList<>();
		for (int round = 0; round < rounds; round++) {
			lines.add("round %d, undisturbed: %s".formatted(round, run(false)));
			disturbance.begin(this);
			lines.add("round %d, %s: %s".formatted(round, disturbance, run(disturbance == Disturbance.REMOVED)));
			disturbance.end(this);
			vacuum();
		}
		lines.forEach(System.out::println);
	}

	/** Returns the percentiles of the latency. */
	private String run(boolean alsoIntoRemoved) throws InterruptedException, ExecutionException {
		this.nanos.clear();
		LowkiqClient client = this.context.getBean(LowkiqClient.class);
		TransactionTemplate transaction = new TransactionTemplate(
				this.context.getBean(PlatformTransactionManager.class));
		ExecutorService executor = Executors.newFixedThreadPool(THREADS);
		int jobs = this.rate * this.seconds;
		long begin = System.nanoTime();
		List<Future<?>> ends = new ArrayList<>();
		for (int thread = 0; thread < THREADS; thread++) {
			int first = thread;
			ends.add(executor.submit(() -> {
				for (int i = first; i < jobs; i += THREADS) {
					long due = begin + i * 1_000_000_000L / this.rate;
					LockSupport.parkNanos(due - System.nanoTime());
					int number = i;
					transaction.executeWithoutResult((status) -> {
						client.enqueue("queue-" + number % QUEUES, Integer.toString(number % 1_000),
								new OrderChange(System.nanoTime(), number));
						if (alsoIntoRemoved && number % 10 == 0) {
							client.enqueue("removed", Integer.toString(number), new OrderChange(0, number));
						}
					});
				}
			}));
		}
		for (Future<?> end : ends) {
			end.get();
		}
		while (this.nanos.size() < jobs) {
			LockSupport.parkNanos(10_000_000);
		}
		double took = (System.nanoTime() - begin) / 1e9;
		executor.shutdown();
		long[] sorted = this.nanos.stream().mapToLong(Long::longValue).sorted().toArray();
		return "%d jobs in %.1f s, p50 %.1f ms, p90 %.1f ms, p99 %.1f ms".formatted(sorted.length, took,
				sorted[sorted.length / 2] / 1e6, sorted[sorted.length * 9 / 10] / 1e6,
				sorted[sorted.length * 99 / 100] / 1e6);
	}

	/** Leaves a queue as a process does that dies while it removes it. */
	private void dieWhileRemoving() {
		this.context.getBean(RedisStore.class).queues().register("removed", 8);
		this.context.getBean(LowkiqClient.class)
			.transactional(TransactionMode.OFF)
			.enqueueAll("removed",
					IntStream.range(0, REMOVED_JOBS)
						.mapToObj((i) -> JobRequest.of(Integer.toString(i), new OrderChange(0, i)))
						.toList());
		try {
			this.context.getBean(LowkiqAdmin.class)
				.act("removed", AdminAction.REMOVE_QUEUE, List.of(), (count, total) -> {
					throw new IllegalStateException("The process dies");
				});
		}
		catch (IllegalStateException ex) {
			System.out.println("The removal has died");
		}
	}

	private void insertRowsOfAnUnknownQueue() {
		String rows = switch (this.product) {
			case POSTGRESQL -> "n::text, '1'::bytea, 0 from generate_series(1, %d) n";
			case H2 -> "cast(x as varchar), X'31', 0 from system_range(1, %d)";
			case MARIADB -> "cast(seq as char), '1', 0 from seq_1_to_%d";
		};
		insert("'queue-unknown', " + rows.formatted(this.waitingRows));
	}

	private void insert(String rows) {
		this.jdbc
			.update("insert into lowkiq_outbox (prefix, queue, job_id, payload, delay) select '%s', ".formatted(PREFIX)
					+ rows);
		long begin = System.nanoTime();
		while (count("lowkiq_outbox") > 0) {
			LockSupport.parkNanos(10_000_000);
		}
		System.out.printf("%d rows wait, moved in %.1f s%n", count("lowkiq_outbox_aside"),
				(System.nanoTime() - begin) / 1e9);
		vacuum();
	}

	/** As PostgreSQL does by itself within a minute. */
	private void vacuum() {
		if (this.product == TestDatabase.Product.POSTGRESQL) {
			this.jdbc.execute("vacuum analyze lowkiq_outbox");
			this.jdbc.execute("vacuum analyze lowkiq_outbox_aside");
		}
	}

	private long count(String table) {
		Long rows = this.jdbc.queryForObject("select count(*) from " + table, Long.class);
		return (rows != null) ? rows : 0;
	}

	/** Rows of the first queue, whose ids begin with "w" (PostgreSQL). */
	private void insertBehindIdsPutAside(int ids) {
		this.jdbc
			.update("""
					insert into lowkiq_outbox_aside (seq, prefix, queue, job_id, payload, delay, created_at, id_hash,
					put_aside, reason)
					select n, '%s', 'queue-0', 'w' || n, '1'::bytea, 0, 0,
					((('x' || encode(substr(sha256(('w' || n)::bytea), 1, 8), 'hex'))::bit(64) >> 2)::bigint), true, 'a reason'
					from generate_series(1, %d) n"""
				.formatted(PREFIX, ids));
		if (ids <= MANY_IDS) {
			insert("'queue-0', 'w' || (n %% %d + 1), '1'::bytea, 0 from generate_series(1, %d) n".formatted(ids,
					this.waitingRows));
		}
	}

	/**
	 * Rows of one shard of a queue without other jobs, which refuses all (PostgreSQL).
	 */
	private void insertOfARefusingShard() {
		QueueLayout layout = this.context.getBean(RedisStore.class).queues().find(OWN_QUEUE).orElseThrow();
		List<String> ids = IntStream.range(0, 100_000)
			.mapToObj((i) -> "w" + i)
			.filter((id) -> layout.shardOf(id).index() == 0)
			.limit(MANY_IDS)
			.toList();
		turn("return redis.call('SET', KEYS[1], 'x')");
		insert("""
				'%s', (string_to_array('%s', ','))[n %% %d + 1],
				convert_to('{"version":' || n || ',"transaction":0}', 'UTF8'), 0 from generate_series(1, %d) n"""
			.formatted(OWN_QUEUE, String.join(",", ids), MANY_IDS, this.waitingRows));
	}

	private void turn(String script) {
		String shard = this.context.getBean(RedisStore.class)
			.queues()
			.find(OWN_QUEUE)
			.orElseThrow()
			.allShards()
			.get(0)
			.toString();
		System.out.println(this.redis.call("EVAL", script, "1", "%s:{%s}:jobs".formatted(PREFIX, shard)));
	}

	/** The shard is back: all its rows are sent while new ones come. */
	private void mendShard() throws InterruptedException, ExecutionException {
		this.lastOfWaiting.clear();
		turn("return redis.call('DEL', KEYS[1])");
		long begin = System.nanoTime();
		String meanwhile = run(false);
		while (count("lowkiq_outbox_aside") > 0) {
			LockSupport.parkNanos(100_000_000);
		}
		System.out.printf(
				"All rows of the shard are sent after %.1f s; %d of %d ids; out of order: %d; meanwhile: %s%n",
				(System.nanoTime() - begin) / 1e9, this.lastOfWaiting.size(), MANY_IDS, this.outOfOrder.get(),
				meanwhile);
	}

	/**
	 * What can't be sent.
	 */
	private enum Disturbance {

		/** Nothing. */
		NONE,

		/** A queue whose removal died, and every tenth transaction enqueues into it. */
		REMOVED,

		/** Many rows of an unknown queue. */
		UNKNOWN,

		/** A thousand unknown queues with a row each. */
		QUEUES,

		/** Many rows of one id of a queue. */
		ID,

		/** Many rows of a thousand ids of a queue. */
		IDS,

		/** Many rows of a shard of another queue, which are sent in the end. */
		SHARD,

		/** A tenth as many rows of a queue, which were put aside. */
		ASIDE;

		void begin(OutboxLatency latency) {
			switch (this) {
				case NONE -> {
				}
				case REMOVED -> latency.dieWhileRemoving();
				case UNKNOWN -> latency.insertRowsOfAnUnknownQueue();
				case QUEUES -> latency
					.insert("'tenant-' || n, 'x', '1'::bytea, 0 from generate_series(1, %d) n".formatted(MANY_IDS));
				case ID -> latency.insertBehindIdsPutAside(1);
				case IDS -> latency.insertBehindIdsPutAside(MANY_IDS);
				case SHARD -> latency.insertOfARefusingShard();
				case ASIDE -> latency.insertBehindIdsPutAside(latency.waitingRows / 10);
			}
		}

		void end(OutboxLatency latency) throws InterruptedException, ExecutionException {
			switch (this) {
				case NONE -> {
				}
				case REMOVED -> {
					latency.jdbc.update("delete from lowkiq_outbox_aside");
					latency.context.getBean(LowkiqAdmin.class).removeQueue("removed");
				}
				case SHARD -> latency.mendShard();
				case UNKNOWN, QUEUES, ID, IDS, ASIDE -> latency.jdbc.update("delete from lowkiq_outbox_aside");
			}
		}

	}

}
