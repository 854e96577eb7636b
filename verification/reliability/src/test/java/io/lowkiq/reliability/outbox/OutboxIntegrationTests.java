package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.lowkiq.reliability.outbox.TestDatabase.Product;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

/**
 * Two applications change orders in transactions and are killed again and again, while
 * this process performs the jobs. Every committed change is performed and no other, and
 * the changes of an order come in the order of their commits.
 * <p>
 * Longer: {@code -Doutbox.transactions=100000}; {@code -Doutbox.minutes=15} and
 * {@code -Doutbox.waiting=1000000}.
 */
class OutboxIntegrationTests {

	private final long transactions = Long.getLong("outbox.transactions", 3_000);

	private final Duration duration = Duration
		.ofMillis((long) (Double.parseDouble(System.getProperty("outbox.minutes", "0.75")) * 60_000));

	@AutoClose
	private final RedisProcess redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	@Test
	void killedApplicationsAndAKilledRedisLoseNoCommittedJob() throws IOException {
		try (OutboxScene scene = new OutboxScene(Product.POSTGRESQL, this.directory, List.of(this.redis.url()), 4,
				"false", "false")) {
			int harms = (int) Math.max(4, this.transactions / 2_000);
			scene.startApplications(this.transactions);
			for (int harm = 0; harm < harms; harm++) {
				scene.awaitBegun((long) ((harm + scene.random.nextDouble()) * this.transactions / harms));
				if (harm % 2 == 0) {
					killRedis(scene);
				}
				else {
					scene.replaceOne(this.transactions, () -> {
					});
				}
			}
			scene.awaitBegun(this.transactions);
			scene.killAll();
			System.out.printf(Locale.ROOT, "Outbox: %d transactions, %d kills, %d rows at the end%n", scene.begun(),
					harms, scene.rows());
			scene.start(0);
			scene.awaitEmpty();
			scene.history.check(scene.jdbc);
		}
	}

	/**
	 * Transactions are nested and behind savepoints, on lazy data sources, beside very
	 * many rows that wait. Shards refuse, removals die, and the sequence goes back.
	 */
	@ParameterizedTest
	@Tag("long")
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void whateverHappensNoCommittedJobIsLostAndNoneOvertakesAnother(Product product) throws IOException {
		try (OutboxScene scene = new OutboxScene(product, this.directory, List.of(this.redis.url()), 4, "true",
				"true")) {
			WaitingJobs waiting = new WaitingJobs(Integer.getInteger("outbox.waiting", 20_000));
			scene.startApplications(Long.MAX_VALUE);
			waiting.insert(scene.jdbc, product, scene.prefix);
			RefusedParts refused = new RefusedParts(this.redis, scene.store, scene.prefix, scene.random);
			refused.begin();
			RestartedSequence sequence = new RestartedSequence(scene.jdbc, product, this.directory);
			long begin = System.nanoTime();
			int harms = 0;
			boolean isServed = false;
			while (System.nanoTime() - begin < this.duration.toNanos()) {
				if (!isServed && System.nanoTime() - begin > this.duration.toNanos() / 2) {
					scene.serve(waiting.worker());
					isServed = true;
				}
				LockSupport.parkNanos(Duration.ofMillis(scene.random.nextLong(1_000, 8_000)).toNanos());
				harm(harms++, scene, sequence);
				refused.next();
				scene.assertAlive();
			}
			if (!isServed) {
				scene.serve(waiting.worker());
			}
			refused.end();
			scene.killAll();
			System.out.printf(Locale.ROOT, "Outbox on %s: %d harms, the sequence was mended %d times%n", product, harms,
					sequence.mended());
			scene.start(0);
			scene.awaitEmpty();
			scene.history.check(scene.jdbc);
			waiting.check();
		}
	}

	private void harm(int number, OutboxScene scene, RestartedSequence sequence) {
		if (number % 5 == 2) {
			sequence.restartAndMend();
		}
		else if (number % 3 == 0) {
			killRedis(scene);
		}
		else {
			scene.replaceOne(Long.MAX_VALUE, () -> {
			});
		}
	}

	private void killRedis(OutboxScene scene) {
		this.redis.kill();
		LockSupport.parkNanos(Duration.ofMillis(scene.random.nextLong(50, 1_500)).toNanos());
		this.redis.restart();
	}

}
