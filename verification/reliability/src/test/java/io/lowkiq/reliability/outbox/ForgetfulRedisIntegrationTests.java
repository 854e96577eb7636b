package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.reliability.outbox.ForgetfulRedis.Way;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications change orders in transactions, while Redis forgets again and again
 * what it had confirmed: a replica that lags is promoted, an append-only file ends
 * earlier, or all data is deleted. Then applications are killed, too. If sent rows are
 * kept, every committed change is performed, in the order of the commits, and the last
 * run of an order has its newest change. If they are not, changes are missing.
 * <p>
 * Longer: {@code -Doutbox.forgetful.minutes=15}, or until there were enough promotions,
 * {@code -Doutbox.forgetful.promotions=100}.
 */
class ForgetfulRedisIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int APPLICATIONS = 2;

	private final Duration duration = Duration
		.ofMillis((long) (Double.parseDouble(System.getProperty("outbox.forgetful.minutes", "0.75")) * 60_000));

	private final int promotions = Integer.getInteger("outbox.forgetful.promotions", 0);

	private final OutboxHistory history = new OutboxHistory();

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	private final List<ProgramProcess> applications = new ArrayList<>();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private TestDatabase database;

	private JdbcTemplate jdbc;

	private ForgetfulRedis redis;

	private LettuceConnectionFactory factory;

	private RedisStore store;

	private LowkiqServer server;

	private int started;

	private int killed;

	private final Map<Way, Integer> forgotten = new EnumMap<>(Way.class);

	private void start(TestDatabase.Product product) throws IOException {
		this.database = TestDatabase.start(product, this.directory);
		DriverManagerDataSource dataSource = new DriverManagerDataSource(this.database.url(), this.database.user(), "");
		this.jdbc = new JdbcTemplate(dataSource);
		OutboxProgram.createTables(this.jdbc);
		new ResourceDatabasePopulator(new ClassPathResource("io/lowkiq/outbox/schema-%s.sql"
			.formatted((product == TestDatabase.Product.MARIADB) ? "mysql" : "postgresql"))).execute(dataSource);
		this.redis = new ForgetfulRedis();
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.store = new RedisStore(this.factory, this.prefix, null);
		this.server = new LowkiqServer(
				new ServerOptions(new WorkerRegistry(List.of(this.history.worker())), this.store));
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
		String figures = run("2m");
		OutboxHistory.Totals totals = this.history.check(this.jdbc);
		System.out.printf("%s: %s; %s; %d rows sent again%n", product, figures, totals, resent());
		assertThat(resent()).isPositive();
	}

	@Test
	@Tag("long")
	void committedJobsAreLostIfSentRowsAreNotKept() throws IOException {
		start(TestDatabase.Product.POSTGRESQL);
		String figures = run("0");
		System.out.printf("%s; %d committed jobs lost%n", figures, this.history.missing(this.jdbc));
		assertThat(this.history.missing(this.jdbc)).isPositive();
	}

	@Test
	@Tag("long")
	void whatWasForgottenIsSentAgainThoughNothingNewComes() throws IOException {
		start(TestDatabase.Product.POSTGRESQL);
		Lock hold = this.history.hold();
		hold.lock();
		try {
			Runnable forget = this.redis.beginForgetting(Way.TRUNCATION);
			this.applications.add(startApplication(2_000, "2m"));
			awaitEmpty();
			Awaitility.await("transactions end").atMost(LONG).until(() -> number() >= 2_000);
			awaitEmpty();
			forget.run();
		}
		finally {
			hold.unlock();
		}
		this.history.check(this.jdbc);
		assertThat(resent()).isPositive();
	}

	/**
	 * Lets Redis forget, again and again. Nothing is performed from the moment to which
	 * it goes back until it has gone back: what was performed before it is forgotten
	 * would only run again, and not be missed.
	 * @param keep how long sent rows are kept
	 * @return what happened
	 */
	private String run(String keep) {
		for (int i = 0; i < APPLICATIONS; i++) {
			this.applications.add(startApplication(Long.MAX_VALUE, keep));
		}
		int round = 0;
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < this.duration.toNanos()
				|| this.forgotten.getOrDefault(Way.PROMOTION, 0) < this.promotions) {
			pause(300, 3_000);
			Way way = way(round++);
			this.redis.awaitReady();
			Lock hold = this.history.hold();
			hold.lock();
			try {
				Runnable forget = this.redis.beginForgetting(way);
				pause(50, 2_000);
				if (this.random.nextInt(3) == 0) {
					int victim = this.random.nextInt(APPLICATIONS);
					this.applications.get(victim).kill();
					this.killed++;
					forget.run();
					this.applications.set(victim, startApplication(Long.MAX_VALUE, keep));
				}
				else {
					forget.run();
				}
				this.forgotten.merge(way, 1, Integer::sum);
			}
			finally {
				hold.unlock();
			}
			assertThat(this.applications).allMatch(ProgramProcess::isAlive);
		}
		this.applications.forEach(ProgramProcess::kill);
		this.applications.clear();
		double seconds = (System.nanoTime() - begin) / 1e9;
		long transactions = number("select max(transaction) from changes");
		this.applications.add(startApplication(0, keep).awaitLine("READY", LONG));
		awaitPerformed();
		return "Redis forgot in %.0f s: %s; %d kills of applications; %d transactions, %.0f a second".formatted(seconds,
				this.forgotten, this.killed, transactions, transactions / seconds);
	}

	/** Mostly a promotion. All kept rows are sent again after a flush, so it is rare. */
	private Way way(int round) {
		if (round % 50 == 5) {
			return Way.FLUSH;
		}
		return (this.random.nextInt(5) == 0) ? Way.TRUNCATION : Way.PROMOTION;
	}

	private void pause(int from, int to) {
		LockSupport.parkNanos(Duration.ofMillis(this.random.nextInt(from, to)).toNanos());
	}

	/**
	 * However much is left, as long as it becomes less: hundreds of thousands of rows are
	 * on a busy machine. Also what an application that has just started finds to be
	 * forgotten.
	 */
	private void awaitPerformed() {
		for (long before = sum(left()); before > 0; before = sum(left())) {
			long last = before;
			Awaitility.await("fewer jobs are left").atMost(LONG).untilAsserted(() -> {
				List<Long> left = left();
				assertThat(sum(left)).as("left: %s", left).isLessThan(last);
			});
		}
		Awaitility.await("all jobs were performed")
			.during(Duration.ofSeconds(3))
			.atMost(LONG)
			.untilAsserted(() -> assertThat(left()).containsOnly(0L));
	}

	private static long sum(List<Long> numbers) {
		return numbers.stream().mapToLong(Long::longValue).sum();
	}

	/** Rows that wait, rows aside, and the jobs of each shard. */
	private List<Long> left() {
		List<Long> left = new ArrayList<>(List.of(number("select count(*) from lowkiq_outbox"),
				number("select count(*) from lowkiq_outbox_aside")));
		this.store.inspection()
			.counts(this.store.queues().find(OutboxProgram.QUEUE).orElseThrow().allShards())
			.forEach((shard) -> left.add(shard.queued() + shard.busy()));
		return left;
	}

	private void awaitEmpty() {
		Awaitility.await("the outbox is empty").atMost(LONG).until(this::isEmpty);
	}

	private boolean isEmpty() {
		return number("select (select count(*) from lowkiq_outbox) + (select count(*) from lowkiq_outbox_aside)") == 0;
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
