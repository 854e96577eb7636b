package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Measures how many rows a second are sent, with and without keeping them. Both take
 * turns. PostgreSQL waits for its disk.
 */
public final class KeepCost {

	private KeepCost() {
	}

	/**
	 * Measures and prints.
	 * @param arguments the number of rows of a round, and of rounds
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		int rows = Integer.parseInt(arguments[0]);
		int rounds = Integer.parseInt(arguments[1]);
		double[][] perSecond = new double[2][rounds];
		try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.setServerConfig("full_page_writes", "on")
			.start(); RedisProcess redis = TestRedis.startPrivate()) {
			for (int round = -1; round < rounds; round++) {
				for (int i = 0; i < 2; i++) {
					int mode = (i + round) & 1;
					double sent = run(postgres, redis, (mode == 1) ? "2m" : "0", rows);
					if (round >= 0) {
						perSecond[mode][round] = sent;
					}
					System.out.printf(Locale.ROOT, "%s: %.0f rows a second%n", (mode == 1) ? "kept" : "not kept", sent);
				}
			}
		}
		double without = median(perSecond[0]);
		double with = median(perSecond[1]);
		System.out.printf(Locale.ROOT,
				"Median of %d rounds of %d rows: %.0f rows a second, %.0f if they are kept, ratio %.2f%n", rounds, rows,
				without, with, with / without);
	}

	private static double run(EmbeddedPostgres postgres, RedisProcess redis, String keep, int rows)
			throws InterruptedException {
		redis.call("FLUSHALL");
		new JdbcTemplate(postgres.getPostgresDatabase()).execute("drop table if exists lowkiq_outbox_sent");
		SpringApplication application = new SpringApplication(OutboxProgram.Settings.class);
		application.setDefaultProperties(
				Map.of("spring.datasource.url", postgres.getJdbcUrl("postgres", "postgres"), "spring.data.redis.url",
						redis.url(), "lowkiq.client.transactional", "outbox", "lowkiq.outbox.initialize-schema",
						"always", "lowkiq.outbox.poll-interval", "100ms", "lowkiq.outbox.keep-sent", keep));
		try (ConfigurableApplicationContext context = application.run()) {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			context.getBean(RedisStore.class).queues().register(OutboxProgram.QUEUE, 16);
			jdbc.update("""
					insert into lowkiq_outbox (prefix, queue, job_id, payload, delay)
					select 'lowkiq', ?, (n %% 5000)::text, convert_to(repeat('x', 200) || n, 'UTF8'), 0
					from generate_series(1, %d) n""".formatted(rows), OutboxProgram.QUEUE);
			long begin = System.nanoTime();
			while (Boolean.TRUE
				.equals(jdbc.queryForObject("select exists (select 1 from lowkiq_outbox)", Boolean.class))) {
				Thread.sleep(5);
			}
			return rows * 1e9 / (System.nanoTime() - begin);
		}
	}

	private static double median(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[sorted.length / 2];
	}

}
