package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications change orders in nested transactions and behind savepoints, on lazy
 * data sources, beside very many rows that wait. They and Redis are killed again and
 * again, shards refuse, removals die, and the sequence goes back. Every committed change
 * is performed and no other, in the order of the commits; so is what waited.
 * <p>
 * Longer, and with more rows: {@code -Doutbox.minutes=15 -Doutbox.waiting=1000000}.
 */
class OutboxChaosIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int APPLICATIONS = 2;

	private final Duration duration = Duration
		.ofMillis((long) (Double.parseDouble(System.getProperty("outbox.minutes", "0.75")) * 60_000));

	private final WaitingJobs waiting = new WaitingJobs(Integer.getInteger("outbox.waiting", 20_000));

	private final OutboxHistory history = new OutboxHistory();

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private TestDatabase database;

	private JdbcTemplate jdbc;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private RedisStore store;

	private final List<LowkiqServer> servers = new ArrayList<>();

	private final List<ProgramProcess> applications = new ArrayList<>();

	private int started;

	private void start(TestDatabase.Product product) throws IOException {
		this.database = TestDatabase.start(product, this.directory);
		DriverManagerDataSource dataSource = new DriverManagerDataSource(this.database.url(), this.database.user(), "");
		this.jdbc = new JdbcTemplate(dataSource);
		OutboxProgram.createTables(this.jdbc);
		new ResourceDatabasePopulator(new ClassPathResource("io/lowkiq/outbox/schema-%s.sql"
			.formatted((product == TestDatabase.Product.MARIADB) ? "mysql" : "postgresql"))).execute(dataSource);
		this.redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.store = new RedisStore(this.factory, this.prefix, null);
		serve(this.history.worker());
	}

	private void serve(RegisteredWorker worker) {
		LowkiqServer server = new LowkiqServer(new ServerOptions(new WorkerRegistry(List.of(worker)), this.store));
		server.registerQueues();
		server.start();
		this.servers.add(server);
	}

	@AfterEach
	void stop() throws IOException {
		this.applications.forEach(ProgramProcess::kill);
		this.servers.forEach((server) -> server.stop(Duration.ofSeconds(5)));
		this.factory.destroy();
		this.redis.close();
		this.database.close();
	}

	@ParameterizedTest
	@Tag("long")
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void whateverHappensNoCommittedJobIsLostAndNoneOvertakesAnother(TestDatabase.Product product) throws IOException {
		start(product);
		for (int i = 0; i < APPLICATIONS; i++) {
			this.applications.add(startApplication(Long.MAX_VALUE));
		}
		this.waiting.insert(this.jdbc, product, this.prefix);
		RefusedParts refused = new RefusedParts(this.redis, this.store, this.prefix, this.random);
		refused.begin();
		RestartedSequence sequence = new RestartedSequence(this.jdbc, product, this.directory);
		long begin = System.nanoTime();
		int harms = 0;
		boolean isServed = false;
		while (System.nanoTime() - begin < this.duration.toNanos()) {
			if (!isServed && System.nanoTime() - begin > this.duration.toNanos() / 2) {
				serve(this.waiting.worker());
				isServed = true;
			}
			LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(1_000, 8_000)).toNanos());
			harm(harms++, refused, sequence);
			assertThat(this.applications).allMatch(ProgramProcess::isAlive);
		}
		if (!isServed) {
			serve(this.waiting.worker());
		}
		refused.end();
		this.applications.forEach(ProgramProcess::kill);
		this.applications.clear();
		this.applications.add(startApplication(0));
		System.out.printf("Outbox on %s: %d harms in %.0f s, the sequence was mended %d times%n", product, harms,
				(System.nanoTime() - begin) / 1e9, sequence.mended());
		Awaitility.await("the outbox is empty").atMost(LONG).until(() -> rows() == 0);
		this.history.check(this.jdbc);
		this.waiting.check();
	}

	private void harm(int number, RefusedParts refused, RestartedSequence sequence) {
		if (number % 5 == 2) {
			sequence.restartAndMend();
		}
		else if (number % 3 == 0) {
			this.redis.kill();
			LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(50, 1_500)).toNanos());
			this.redis.restart();
		}
		else {
			int victim = this.random.nextInt(APPLICATIONS);
			this.applications.get(victim).kill();
			this.applications.set(victim, startApplication(Long.MAX_VALUE));
		}
		refused.next();
	}

	private ProgramProcess startApplication(long limit) {
		this.started++;
		return new ProgramProcess("application-" + this.started, OutboxProgram.class, this.directory,
				List.of(this.database.url(), this.database.user(), this.redis.url(), this.prefix, Long.toString(limit),
						"true", "true"));
	}

	private long rows() {
		Long rows = this.jdbc.queryForObject(
				"select (select count(*) from lowkiq_outbox) + (select count(*) from lowkiq_outbox_aside)", Long.class);
		return (rows != null) ? rows : 0;
	}

}
