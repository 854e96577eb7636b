package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications change orders in transactions, while Redis forgets again and again
 * what it had confirmed: it starts with an older copy of its data, or is emptied. Then
 * applications are killed, too. If sent rows are kept, every committed change is
 * performed, in the order of the commits, and the last run of an order has its newest
 * change. If they are not, changes are missing.
 * <p>
 * Longer: {@code -Doutbox.forgetful.minutes=15}.
 */
class ForgetfulRedisIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int APPLICATIONS = 2;

	private final Duration duration = Duration
		.ofMillis((long) (Double.parseDouble(System.getProperty("outbox.forgetful.minutes", "0.75")) * 60_000));

	private final OutboxHistory history = new OutboxHistory();

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	private final List<ProgramProcess> applications = new ArrayList<>();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private TestDatabase database;

	private JdbcTemplate jdbc;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private LowkiqServer server;

	private int started;

	private int forgotten;

	private void start(TestDatabase.Product product) throws IOException {
		this.database = TestDatabase.start(product, this.directory);
		DriverManagerDataSource dataSource = new DriverManagerDataSource(this.database.url(), this.database.user(), "");
		this.jdbc = new JdbcTemplate(dataSource);
		OutboxProgram.createTables(this.jdbc);
		new ResourceDatabasePopulator(new ClassPathResource("io/lowkiq/outbox/schema-%s.sql"
			.formatted((product == TestDatabase.Product.MARIADB) ? "mysql" : "postgresql"))).execute(dataSource);
		this.redis = TestRedis.startPrivate();
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.server = LowkiqServer
			.builder(new WorkerRegistry(List.of(this.history.worker())),
					new RedisStore(this.factory, this.prefix, null))
			.build();
		this.server.registerQueues();
		this.server.start();
	}

	@AfterEach
	void stop() throws IOException {
		this.applications.forEach(ProgramProcess::kill);
		this.server.stop(Duration.ofSeconds(5));
		this.factory.destroy();
		this.redis.close();
		this.database.close();
	}

	@ParameterizedTest
	@Tag("long")
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void noCommittedJobIsLostAndNoneOvertakesAnotherIfSentRowsAreKept(TestDatabase.Product product) throws IOException {
		start(product);
		run("2m");
		this.history.check(this.jdbc);
		System.out.printf("Redis forgot %d times; %d rows were sent again%n", this.forgotten, resent());
		assertThat(resent()).isPositive();
	}

	@Test
	@Tag("long")
	void committedJobsAreLostIfSentRowsAreNotKept() throws IOException {
		start(TestDatabase.Product.POSTGRESQL);
		run("0");
		Awaitility.await("what is left was performed").during(Duration.ofSeconds(5)).atMost(LONG).until(() -> {
			long before = this.history.missing(this.jdbc);
			LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
			return before == this.history.missing(this.jdbc);
		});
		System.out.printf("Redis forgot %d times; %d committed jobs are lost%n", this.forgotten,
				this.history.missing(this.jdbc));
		assertThat(this.history.missing(this.jdbc)).isPositive();
	}

	@Test
	@Tag("long")
	void whatWasForgottenIsSentAgainThoughNothingNewComes() throws IOException {
		start(TestDatabase.Product.POSTGRESQL);
		Lock hold = this.history.hold();
		hold.lock();
		try {
			Path copy = copy();
			this.applications.add(startApplication(2_000, "2m"));
			awaitEmpty();
			Awaitility.await("transactions end").atMost(LONG).until(() -> number() >= 2_000);
			awaitEmpty();
			restartWith(copy);
		}
		finally {
			hold.unlock();
		}
		this.history.check(this.jdbc);
		assertThat(resent()).isPositive();
	}

	/** Whatever is sent between a copy and the start with it is forgotten. */
	private void run(String keep) {
		for (int i = 0; i < APPLICATIONS; i++) {
			this.applications.add(startApplication(Long.MAX_VALUE, keep));
		}
		long end = System.nanoTime() + this.duration.toNanos();
		while (System.nanoTime() < end) {
			pause(300, 3_000);
			Lock hold = this.history.hold();
			hold.lock();
			try {
				Path copy = copy();
				pause(50, 2_000);
				if (this.random.nextInt(3) == 0) {
					int victim = this.random.nextInt(APPLICATIONS);
					this.applications.get(victim).kill();
					forget(copy);
					this.applications.set(victim, startApplication(Long.MAX_VALUE, keep));
				}
				else {
					forget(copy);
				}
			}
			finally {
				hold.unlock();
			}
			assertThat(this.applications).allMatch(ProgramProcess::isAlive);
		}
		this.applications.forEach(ProgramProcess::kill);
		this.applications.clear();
		this.applications.add(startApplication(0, keep));
		awaitEmpty();
	}

	private void forget(Path copy) {
		this.forgotten++;
		if (this.random.nextInt(4) == 0) {
			// Seen by no connection
			this.redis.call("FLUSHALL");
		}
		else {
			restartWith(copy);
		}
	}

	private Path dump() {
		String directoryOfRedis = String.valueOf(this.redis.call("CONFIG", "GET", "dir")).split("\n")[1].trim();
		return Path.of(directoryOfRedis, "dump.rdb");
	}

	private Path copy() {
		this.redis.call("SAVE");
		try {
			return Files.copy(dump(), this.directory.resolve("copy.rdb"), StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void restartWith(Path copy) {
		Path dump = dump();
		this.redis.kill();
		try {
			Files.copy(copy, dump, StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.redis.restart();
	}

	private void pause(int from, int to) {
		LockSupport.parkNanos(Duration.ofMillis(this.random.nextInt(from, to)).toNanos());
	}

	private void awaitEmpty() {
		Awaitility.await("the outbox is empty")
			.atMost(LONG)
			.until(() -> number(
					"select (select count(*) from lowkiq_outbox) + (select count(*) from lowkiq_outbox_aside)") == 0);
	}

	/** The number of the last transaction. */
	private long number() {
		return number("select last_value from transactions");
	}

	private long resent() {
		return number("select resent from lowkiq_outbox_lock");
	}

	private long number(String query) {
		Long number = this.jdbc.queryForObject(query, Long.class);
		return (number != null) ? number : 0;
	}

	private ProgramProcess startApplication(long limit, String keep) {
		this.started++;
		return new ProgramProcess("application-" + this.started, OutboxProgram.class, this.directory,
				List.of(this.database.url(), this.database.user(), this.redis.url(), this.prefix, Long.toString(limit),
						"false", "false", keep));
	}

}
