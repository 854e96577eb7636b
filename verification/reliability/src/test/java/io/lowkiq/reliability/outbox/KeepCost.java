package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures what keeping sent rows costs: how many a second are sent from a full table,
 * and how long a job takes from its commit until it is sent, beside what is done for kept
 * rows. With and without take turns.
 */
public final class KeepCost {

	private static final String PROBED = "probed";

	private static final int DELETED = 10_000;

	private static final String INSERT = """
			insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, delay, created_at)
			select 'lowkiq', '%s', %s, %s, n, %s, convert_to(repeat('x', 200), 'UTF8'), 0, 0 from generate_series(1, %s) n""";

	private final int rows;

	private final int rounds;

	private final Duration window;

	private KeepCost(String[] arguments) {
		this.rows = Integer.parseInt(arguments[0]);
		this.rounds = Integer.parseInt(arguments[1]);
		this.window = Duration.ofSeconds(Integer.parseInt(arguments[2]));
	}

	/**
	 * Measures and prints.
	 * @param arguments the number of kept rows, of rounds, and the seconds of each window
	 */
	public static void main(String[] arguments) throws IOException {
		KeepCost measured = new KeepCost(arguments);
		try (EmbeddedPostgres postgres = postgres(); RedisProcess redis = TestRedis.startPrivate()) {
			measured.fullTable(postgres, redis);
			System.out.printf(Locale.ROOT, "%-50s %10s %10s %6s%n", "commit until sent, p99 in ms, beside", "without",
					"with", "ratio");
			for (int shards : List.of(24, 1_600)) {
				measured.run(postgres, redis, shards, measured::passes);
			}
			measured.run(postgres, redis, 2, measured::returningRows);
			measured.run(postgres, redis, 24, measured::deletedIds);
		}
	}

	/** Waits for its disk. */
	static EmbeddedPostgres postgres() throws IOException {
		return EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.setServerConfig("full_page_writes", "on")
			.start();
	}

	/** An application whose Redis and outbox are empty. */
	private static ConfigurableApplicationContext start(EmbeddedPostgres postgres, RedisProcess redis, String keep) {
		redis.call("FLUSHALL");
		new JdbcTemplate(postgres.getPostgresDatabase())
			.execute("drop table if exists lowkiq_outbox, lowkiq_outbox_aside, lowkiq_outbox_sent, lowkiq_outbox_lock");
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(
				Map.of("spring.datasource.url", postgres.getJdbcUrl("postgres", "postgres"), "spring.data.redis.url",
						redis.url(), "lowkiq.client.transactional", "outbox", "lowkiq.outbox.initialize-schema",
						"always", "lowkiq.outbox.poll-interval", "100ms", "lowkiq.outbox.keep-sent", keep));
		return application.run();
	}

	/** The first of each is not counted. */
	private void fullTable(EmbeddedPostgres postgres, RedisProcess redis) {
		double[] without = new double[this.rounds];
		double[] with = new double[this.rounds];
		for (int round = -1; round < this.rounds; round++) {
			without[Math.max(0, round)] = perSecond(postgres, redis, "0");
			with[Math.max(0, round)] = perSecond(postgres, redis, "2m");
		}
		System.out.printf(Locale.ROOT, "%.0f rows a second are sent, %.0f if they are kept, ratio %.2f%n",
				median(without), median(with), median(with) / median(without));
	}

	private double perSecond(EmbeddedPostgres postgres, RedisProcess redis, String keep) {
		try (ConfigurableApplicationContext context = start(postgres, redis, keep)) {
			Application application = new Application(context, context.getBean(JdbcTemplate.class),
					context.getBean(RedisStore.class).queues().register(OutboxProgram.QUEUE, 16));
			application.jdbc().update("""
					insert into lowkiq_outbox (prefix, queue, job_id, payload, delay)
					select 'lowkiq', ?, (n %% 5000)::text, convert_to(repeat('x', 200) || n, 'UTF8'), 0
					from generate_series(1, %s) n""".formatted(this.rows), OutboxProgram.QUEUE);
			long begin = System.nanoTime();
			application.awaitSent();
			return this.rows * 1e9 / (System.nanoTime() - begin);
		}
	}

	static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

	private void run(EmbeddedPostgres postgres, RedisProcess redis, int shards, Consumer<Application> scene) {
		try (ConfigurableApplicationContext context = start(postgres, redis, "1h")) {
			RedisStore store = context.getBean(RedisStore.class);
			store.queues().register(PROBED, 1);
			Application application = new Application(context, context.getBean(JdbcTemplate.class),
					store.queues().register(OutboxProgram.QUEUE, shards));
			application.enqueue(OutboxProgram.QUEUE, ids("first-").limit(4L * shards).toList());
			application.awaitSent();
			scene.accept(application);
		}
	}

	/** Without: another process takes each turn. */
	private void passes(Application application) {
		int shards = application.queue().shards();
		Figures figures = new Figures();
		for (int round = 0; round < this.rounds; round++) {
			figures.with().addAll(application.probe(OutboxProgram.QUEUE, "first-0", until(this.window)));
			CompletableFuture<Void> end = new CompletableFuture<>();
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
				while (!end.isDone()) {
					application.jdbc().update("update lowkiq_outbox_lock set asked = asked + 1");
					sleep(1_000);
				}
			});
			figures.without().addAll(application.probe(OutboxProgram.QUEUE, "first-0", until(this.window)));
			end.complete(null);
			other.join();
		}
		figures.print(String.format(Locale.ROOT, "passes over %,d shards", shards));
	}

	/** The first shard has forgotten its rows, and the second one is probed. */
	private void returningRows(Application application) {
		Figures figures = new Figures();
		String id = application.idsOf(1).findFirst().orElseThrow();
		long moved = 0;
		for (int round = 0; round < this.rounds; round++) {
			figures.without().addAll(application.probe(OutboxProgram.QUEUE, id, until(this.window)));
			application.jdbc()
				.update(INSERT
					.formatted(OutboxProgram.QUEUE, "'1:0'", "1000000000000 + n", "(array['%s'])[1 + n %% 1000]"
						.formatted(application.idsOf(0).limit(1_000).collect(Collectors.joining("','"))), this.rows));
			long before = application.number("select count(*) from lowkiq_outbox_sent");
			application.awaitAsked();
			figures.with().addAll(application.probe(OutboxProgram.QUEUE, id, until(this.window)));
			moved += before - application.number("select count(*) from lowkiq_outbox_sent");
			application.jdbc().execute("truncate lowkiq_outbox_sent, lowkiq_outbox_aside");
			application.awaitAsked();
		}
		figures.print(String.format(Locale.ROOT, "%,d kept rows of a shard (%,.0f a second return)", this.rows,
				moved / (double) this.rounds / this.window.toSeconds()));
	}

	/** Another queue is probed. */
	private void deletedIds(Application application) {
		application.jdbc()
			.update(INSERT.formatted(OutboxProgram.QUEUE, "'1:' || n % 24", "-1", "'deleted-' || n", this.rows));
		LowkiqAdmin admin = application.context().getBean(LowkiqAdmin.class);
		Figures figures = new Figures();
		List<Long> took = new ArrayList<>();
		for (int round = 0; round < this.rounds; round++) {
			application.enqueue(OutboxProgram.QUEUE, ids("deleted-").limit(DELETED).toList());
			application.awaitSent();
			figures.without().addAll(application.probe(PROBED, "1", until(this.window)));
			long begin = System.nanoTime();
			CompletableFuture<Void> deleting = CompletableFuture.runAsync(() -> {
				admin.act(OutboxProgram.QUEUE, AdminAction.DELETE,
						new JobSelection(JobList.QUEUED, "deleted-", null, null), ActionProgress.NONE);
				took.add(System.nanoTime() - begin);
			});
			figures.with().addAll(application.probe(PROBED, "1", deleting::isDone));
			deleting.join();
		}
		figures.print(String.format(Locale.ROOT, "%,d ids deleted beside %,d kept rows (%.1f s)", DELETED, this.rows,
				median(took.stream().mapToDouble((nanos) -> nanos / 1e9).toArray())));
	}

	private static Stream<String> ids(String prefix) {
		return IntStream.iterate(0, (i) -> i + 1).mapToObj((i) -> prefix + i);
	}

	private static BooleanSupplier until(Duration window) {
		long end = System.nanoTime() + window.toNanos();
		return () -> System.nanoTime() - end >= 0;
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private record Application(ConfigurableApplicationContext context, JdbcTemplate jdbc, QueueLayout queue) {

		/** In one transaction. */
		void enqueue(String queue, List<String> ids) {
			LowkiqClient client = this.context.getBean(LowkiqClient.class);
			new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class)).executeWithoutResult(
					(status) -> ids.forEach((id) -> client.enqueue(queue, id, new OrderChange(1, 1))));
		}

		void awaitSent() {
			while (Boolean.TRUE
				.equals(this.jdbc.queryForObject("select exists (select 1 from lowkiq_outbox)", Boolean.class))) {
				LockSupport.parkNanos(200_000);
			}
		}

		/** Until a pass begins. */
		void awaitAsked() {
			long asked = number("select asked from lowkiq_outbox_lock");
			while (number("select asked from lowkiq_outbox_lock") <= asked) {
				sleep(50);
			}
		}

		long number(String query) {
			Long number = this.jdbc.queryForObject(query, Long.class);
			return (number != null) ? number : 0;
		}

		Stream<String> idsOf(int shard) {
			return ids("first-").filter((id) -> this.queue.shardOf(id).index() == shard);
		}

		/** The nanoseconds of each job. */
		List<Long> probe(String queue, String id, BooleanSupplier isOver) {
			List<Long> took = new ArrayList<>();
			while (!isOver.getAsBoolean()) {
				enqueue(queue, List.of(id));
				long begin = System.nanoTime();
				awaitSent();
				took.add(System.nanoTime() - begin);
				sleep(5);
			}
			return took;
		}

	}

	private record Figures(List<Long> without, List<Long> with) {

		Figures() {
			this(new ArrayList<>(), new ArrayList<>());
		}

		void print(String what) {
			double before = p99(this.without);
			double beside = p99(this.with);
			System.out.printf(Locale.ROOT, "%-50s %10.1f %10.1f %6.2f   (%,d and %,d jobs, p50 %.1f and %.1f)%n", what,
					before, beside, beside / before, this.without.size(), this.with.size(), at(this.without, 0.5),
					at(this.with, 0.5));
		}

		private static double p99(List<Long> nanos) {
			return at(nanos, 0.99);
		}

		private static double at(List<Long> nanos, double share) {
			long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
			return sorted[(int) (share * (sorted.length - 1))] / 1e6;
		}

	}

}
