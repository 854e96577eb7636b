package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications change orders in transactions and are killed again and again, while
 * this process performs the jobs. Every committed change is performed and no other, and
 * the changes of an order come in the order of their commits.
 * <p>
 * More transactions: {@code -Doutbox.transactions=100000}.
 */
class OutboxIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(3);

	private static final int APPLICATIONS = 2;

	private final long transactions = Long.getLong("outbox.transactions", 3_000);

	private final Random random = new Random();

	private final OutboxHistory history = new OutboxHistory();

	private final WorkerRegistry workers = new WorkerRegistry(List.of(this.history.worker()));

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir
	private Path directory;

	private EmbeddedPostgres postgres;

	private JdbcTemplate jdbc;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private RedisStore store;

	private LowkiqServer server;

	private @Nullable RefusedParts refusedParts;

	private final List<ProgramProcess> applications = new ArrayList<>();

	private int started;

	@BeforeEach
	void start() throws IOException {
		this.postgres = EmbeddedPostgres.start();
		this.jdbc = new JdbcTemplate(this.postgres.getPostgresDatabase());
		OutboxProgram.createTables(this.jdbc);
		this.jdbc.execute(
				new String(getClass().getResourceAsStream("/io/lowkiq/outbox/schema-postgresql.sql").readAllBytes(),
						StandardCharsets.UTF_8));
		this.redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.store = new RedisStore(this.factory, this.prefix, null);
		this.server = new LowkiqServer(new ServerOptions(this.workers, this.store));
		this.server.registerQueues();
		this.server.start();
	}

	@AfterEach
	void stop() throws IOException {
		this.applications.forEach(ProgramProcess::kill);
		this.server.stop(Duration.ofSeconds(5));
		this.factory.destroy();
		this.redis.close();
		this.postgres.close();
	}

	@Test
	@Tag("long")
	void killedApplicationsLoseNoCommittedJob() {
		runTransactions(false);
		this.history.check(this.jdbc);
	}

	@Test
	void killedApplicationsAndAKilledRedisLoseNoCommittedJob() {
		runTransactions(true);
		this.history.check(this.jdbc);
	}

	@Test
	@Tag("long")
	void refusedShardsAndRemovalsThatDiedLoseNoCommittedJob() {
		this.refusedParts = new RefusedParts(this.redis, this.store, this.prefix, this.random);
		this.refusedParts.begin();
		runTransactions(true);
		this.history.check(this.jdbc);
	}

	/** Kills one of the applications, or Redis, at random moments of the transactions. */
	private void runTransactions(boolean killRedis) {
		int harms = (int) Math.max(4, this.transactions / 2_000);
		int redisKills = 0;
		for (int i = 0; i < APPLICATIONS; i++) {
			this.applications.add(startApplication(this.transactions));
		}
		long begin = System.nanoTime();
		for (int harm = 0; harm < harms; harm++) {
			awaitBegun((long) ((harm + this.random.nextDouble()) * this.transactions / harms));
			if (killRedis && harm % 2 == 0) {
				this.redis.kill();
				LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(50, 1_500)).toNanos());
				this.redis.restart();
				redisKills++;
			}
			else {
				int victim = this.random.nextInt(APPLICATIONS);
				this.applications.get(victim).kill();
				this.applications.set(victim, startApplication(this.transactions));
			}
			if (this.refusedParts != null) {
				this.refusedParts.next();
			}
		}
		awaitBegun(this.transactions);
		double seconds = (System.nanoTime() - begin) / 1e9;
		if (this.refusedParts != null) {
			this.refusedParts.end();
		}
		this.applications.forEach(ProgramProcess::kill);
		this.applications.clear();
		long left = rows();
		this.applications.add(startApplication(0));
		Awaitility.await("the outbox is empty").atMost(LONG).until(() -> rows() == 0);
		System.out.printf(
				"Outbox: %d transactions in %.0f s, %d kills of applications, %d of Redis, %d rows at the end%n",
				begun(), seconds, harms - redisKills + APPLICATIONS, redisKills, left);
	}

	private void awaitBegun(long transactions) {
		Awaitility.await("transactions begin")
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(2))
			.atMost(LONG)
			.until(() -> begun() >= transactions || !this.applications.stream().allMatch(ProgramProcess::isAlive));
		assertThat(this.applications).allMatch(ProgramProcess::isAlive);
	}

	private ProgramProcess startApplication(long limit) {
		this.started++;
		return new ProgramProcess("application-" + this.started, OutboxProgram.class, this.directory,
				List.of(this.postgres.getJdbcUrl("postgres", "postgres"), "postgres", this.redis.url(), this.prefix,
						Long.toString(limit), Boolean.toString(this.refusedParts != null), "false"));
	}

	private long begun() {
		return number("select last_value from transactions");
	}

	private long rows() {
		return number("select (select count(*) from lowkiq_outbox) + (select count(*) from lowkiq_outbox_aside)");
	}

	private long number(String sql) {
		Long number = this.jdbc.queryForObject(sql, Long.class);
		return (number != null) ? number : 0;
	}

}
