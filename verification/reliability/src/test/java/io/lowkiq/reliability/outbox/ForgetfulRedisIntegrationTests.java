package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lowkiq.reliability.outbox.ForgetfulRedis.Way;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications change orders in transactions, while Redis forgets again and again
 * what it had confirmed: a replica that lags is promoted, perhaps only for a while, an
 * append-only file ends earlier, or all data is deleted, with the generation of the
 * queue. Applications are killed, and their calls arrive late. If sent rows are kept,
 * every committed change is performed, in the order of the commits, and the last run of
 * an order has its newest change. If they are not, changes are missing.
 * <p>
 * Longer: {@code -Doutbox.forgetful.minutes=15}, or until there were enough promotions,
 * {@code -Doutbox.forgetful.promotions=100}.
 */
class ForgetfulRedisIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private final Duration duration = Duration
		.ofMillis((long) (Double.parseDouble(System.getProperty("outbox.forgetful.minutes", "0.75")) * 60_000));

	private final int promotions = Integer.getInteger("outbox.forgetful.promotions", 0);

	private final Map<Way, Integer> forgotten = new EnumMap<>(Way.class);

	@AutoClose
	private final ForgetfulRedis redis = new ForgetfulRedis();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private int killed;

	private int held;

	private OutboxScene scene(TestDatabase.Product product, int shards, String keep) throws IOException {
		return new OutboxScene(product, this.directory, this.redis.urls(), shards, "false", "false", keep);
	}

	@ParameterizedTest
	@Tag("long")
	@CsvSource({ "POSTGRESQL, 4", "MARIADB, 4", "POSTGRESQL, 1600" })
	void noCommittedJobIsLostAndNoneOvertakesAnotherIfSentRowsAreKept(TestDatabase.Product product, int shards)
			throws IOException {
		try (OutboxScene scene = scene(product, shards, "2m")) {
			String figures = run(scene, true);
			OutboxHistory.Totals totals = scene.history.check(scene.jdbc);
			System.out.printf(Locale.ROOT, "%s, %d shards: %s; %s; %d rows sent again%n", product, shards, figures,
					totals, resent(scene));
			assertThat(resent(scene)).isPositive();
		}
	}

	@Test
	@Tag("long")
	void callsThatWereHeldBackReorderNothing() throws IOException {
		try (OutboxScene scene = scene(TestDatabase.Product.POSTGRESQL, 4, "0")) {
			String figures = run(scene, false);
			System.out.printf(Locale.ROOT, "%s; %s%n", figures, scene.history.check(scene.jdbc));
		}
	}

	@Test
	@Tag("long")
	void committedJobsAreLostIfSentRowsAreNotKept() throws IOException {
		try (OutboxScene scene = scene(TestDatabase.Product.POSTGRESQL, 4, "0")) {
			String figures = run(scene, true);
			System.out.printf(Locale.ROOT, "%s; %d committed jobs lost%n", figures, scene.history.missing(scene.jdbc));
			assertThat(scene.history.missing(scene.jdbc)).isPositive();
		}
	}

	@Test
	@Tag("long")
	void whatWasForgottenIsSentAgainThoughNothingNewComes() throws IOException {
		try (OutboxScene scene = scene(TestDatabase.Product.POSTGRESQL, 4, "2m")) {
			Lock hold = scene.history.hold();
			hold.lock();
			try {
				Runnable forget = this.redis.beginForgetting(Way.TRUNCATION);
				scene.start(2_000);
				scene.awaitBegun(2_000);
				scene.awaitEmpty();
				forget.run();
			}
			finally {
				hold.unlock();
			}
			scene.history.check(scene.jdbc);
			assertThat(resent(scene)).isPositive();
		}
	}

	/**
	 * Lets Redis forget, again and again. Nothing is performed from the moment to which
	 * it goes back until it has gone back: what was performed before it is forgotten
	 * would only run again, and not be missed.
	 */
	private String run(OutboxScene scene, boolean forgets) {
		scene.startApplications(Long.MAX_VALUE);
		int round = 0;
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < this.duration.toNanos()
				|| this.forgotten.getOrDefault(Way.PROMOTION, 0) < this.promotions) {
			pause(scene, 300, 3_000);
			Runnable release = holdBack(scene);
			Way way = way(scene, round++);
			this.redis.awaitReady();
			if (forgets && way == Way.FLUSH) {
				// Only applications know the generation
				scene.replaceServer(() -> {
					forget(scene, way);
					release.run();
				});
			}
			else if (forgets && round % 3 > 0) {
				forget(scene, way);
			}
			release.run();
			scene.assertAlive();
		}
		scene.killAll();
		double seconds = (System.nanoTime() - begin) / 1e9;
		long transactions = scene.number("select max(transaction) from changes");
		scene.start(0).awaitLine("READY", LONG);
		awaitPerformed(scene);
		return "Redis forgot in %.0f s: %s; calls held back %d times; %d kills of applications; %d transactions, %.0f a second"
			.formatted(seconds, this.forgotten, this.held, this.killed, transactions, transactions / seconds);
	}

	/** Longer than a call waits, so that others send the same, if at all. */
	private Runnable holdBack(OutboxScene scene) {
		if (scene.random.nextBoolean()) {
			return () -> {
			};
		}
		Runnable release = this.redis.holdBack(scene.random.nextInt(2));
		pause(scene, 2_200, 4_000);
		this.held++;
		return release;
	}

	private void forget(OutboxScene scene, Way way) {
		Lock hold = scene.history.hold();
		hold.lock();
		try {
			Runnable forget = this.redis.beginForgetting(way);
			pause(scene, 50, 2_000);
			if (scene.random.nextInt(3) == 0) {
				scene.replaceOne(Long.MAX_VALUE, forget);
				this.killed++;
			}
			else {
				forget.run();
			}
			this.forgotten.merge(way, 1, Integer::sum);
		}
		finally {
			hold.unlock();
		}
	}

	/** Mostly a promotion. All kept rows are sent again after a flush, so it is rare. */
	private static Way way(OutboxScene scene, int round) {
		if (round % 50 == 5) {
			return Way.FLUSH;
		}
		return switch (scene.random.nextInt(5)) {
			case 0 -> Way.TRUNCATION;
			case 1 -> Way.TO_AND_FRO;
			default -> Way.PROMOTION;
		};
	}

	private static void pause(OutboxScene scene, int from, int to) {
		LockSupport.parkNanos(Duration.ofMillis(scene.random.nextInt(from, to)).toNanos());
	}

	/**
	 * However much is left, as long as it becomes less: hundreds of thousands of rows are
	 * on a busy machine. Also what an application that has just started finds to be
	 * forgotten.
	 */
	private static void awaitPerformed(OutboxScene scene) {
		for (long before = sum(left(scene)); before > 0; before = sum(left(scene))) {
			long last = before;
			Awaitility.await("fewer jobs are left").atMost(LONG).untilAsserted(() -> {
				List<Long> left = left(scene);
				assertThat(sum(left)).as("left: %s", left).isLessThan(last);
			});
		}
		Awaitility.await("all jobs were performed")
			.during(Duration.ofSeconds(3))
			.atMost(LONG)
			.untilAsserted(() -> assertThat(left(scene)).containsOnly(0L));
	}

	private static long sum(List<Long> numbers) {
		return numbers.stream().mapToLong(Long::longValue).sum();
	}

	/** Rows that wait, rows aside, and the jobs of each shard. */
	private static List<Long> left(OutboxScene scene) {
		List<Long> left = new ArrayList<>(List.of(scene.number("select count(*) from lowkiq_outbox"),
				scene.number("select count(*) from lowkiq_outbox_aside")));
		scene.store.inspection()
			.counts(scene.store.queues().find(OutboxProgram.QUEUE).orElseThrow().allShards())
			.forEach((shard) -> left.add(shard.queued() + shard.busy()));
		return left;
	}

	private static long resent(OutboxScene scene) {
		return scene.number("select resent from lowkiq_outbox_lock");
	}

}
