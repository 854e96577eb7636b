package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures what a transaction costs that changes a row and enqueues a job: with the
 * outbox, and after the commit. PostgreSQL waits for its disk. The modes take turns.
 */
public final class OutboxCost {

	private static final int ORDERS = 1_000;

	private OutboxCost() {
	}

	/**
	 * Measures and prints.
	 * @param arguments the number of transactions of a round, of rounds, and of threads
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		int transactions = Integer.parseInt(arguments[0]);
		int rounds = Integer.parseInt(arguments[1]);
		int threads = Integer.parseInt(arguments[2]);
		try (EmbeddedPostgres postgres = KeepCost.postgres();
				RedisProcess redis = TestRedis.startPrivate();
				ConfigurableApplicationContext afterCommit = start("after-commit", postgres, redis);
				ConfigurableApplicationContext outbox = start("outbox", postgres, redis)) {
			JdbcTemplate jdbc = outbox.getBean(JdbcTemplate.class);
			jdbc.execute("create table orders (id bigint primary key, version bigint not null)");
			jdbc.execute("insert into orders select n, 0 from generate_series(0, %d) n".formatted(ORDERS - 1));
			outbox.getBean(RedisStore.class).queues().register(OutboxProgram.QUEUE, 8);
			List<ConfigurableApplicationContext> modes = List.of(afterCommit, outbox);
			double[][] micros = new double[2][rounds];
			for (int round = -1; round < rounds; round++) {
				for (int i = 0; i < 2; i++) {
					int mode = (i + round) & 1;
					double took = run(modes.get(mode), transactions, threads);
					if (round >= 0) {
						micros[mode][round] = took;
					}
					Thread.sleep(1_000);
					System.out.printf(Locale.ROOT, "%s: %.0f us a transaction, %d rows a second later%n",
							(mode == 0) ? "after-commit" : "outbox", took,
							jdbc.queryForObject("select count(*) from lowkiq_outbox", Long.class));
				}
			}
			double before = KeepCost.median(micros[0]);
			double now = KeepCost.median(micros[1]);
			System.out.printf(Locale.ROOT,
					"Median of %d rounds, %d threads: after-commit %.0f us, outbox %.0f us, ratio %.2f%n", rounds,
					threads, before, now, now / before);
		}
	}

	private static ConfigurableApplicationContext start(String mode, EmbeddedPostgres postgres, RedisProcess redis) {
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(
				Map.of("spring.datasource.url", postgres.getJdbcUrl("postgres", "postgres"), "spring.data.redis.url",
						redis.url(), "lowkiq.client.transactional", mode, "lowkiq.outbox.initialize-schema", "always"));
		return application.run();
	}

	/** Returns the microseconds that a thread needed for a transaction. */
	private static double run(ConfigurableApplicationContext context, int transactions, int threads)
			throws InterruptedException {
		LowkiqClient client = context.getBean(LowkiqClient.class);
		JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		List<Future<?>> ended = new ArrayList<>();
		long begin = System.nanoTime();
		for (int thread = 0; thread < threads; thread++) {
			int first = thread;
			ended.add(executor.submit(() -> {
				for (int i = first; i < transactions; i += threads) {
					int order = i % ORDERS;
					long version = i;
					transaction.executeWithoutResult((status) -> {
						jdbc.update("update orders set version = version + 1 where id = ?", order);
						client.enqueue(OutboxProgram.QUEUE, Integer.toString(order), new OrderChange(version, order));
					});
				}
			}));
		}
		for (Future<?> each : ended) {
			try {
				each.get();
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex.getCause());
			}
		}
		double took = (System.nanoTime() - begin) / 1e3 / transactions * threads;
		executor.shutdown();
		executor.awaitTermination(1, TimeUnit.MINUTES);
		return took;
	}

}
