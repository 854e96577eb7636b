package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.awaitility.Awaitility;

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
import io.lowkiq.store.QueueLayout;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A database, and applications that change orders in it and are killed, while this
 * process performs the jobs. Not thread-safe.
 */
final class OutboxScene implements AutoCloseable {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int APPLICATIONS = 2;

	final OutboxHistory history = new OutboxHistory();

	final Random random = new Random();

	final String prefix = TestRedis.uniquePrefix();

	final JdbcTemplate jdbc;

	RedisStore store;

	private final Path directory;

	private final List<String> redis;

	private final int shards;

	private final List<String> options;

	private final TestDatabase database;

	private final LettuceConnectionFactory factory;

	private final List<LowkiqServer> servers = new ArrayList<>();

	private final List<ProgramProcess> applications = new ArrayList<>();

	private int started;

	/**
	 * Starts the database, and a server. The queue was removed, and made again.
	 * @param redis the addresses by which applications and server reach Redis
	 * @param options what each {@link OutboxProgram} is told after the number of the last
	 * transaction
	 */
	OutboxScene(TestDatabase.Product product, Path directory, List<String> redis, int shards, String... options)
			throws IOException {
		this.directory = directory;
		this.redis = redis;
		this.shards = shards;
		this.options = List.of(options);
		this.database = TestDatabase.start(product, directory);
		DriverManagerDataSource dataSource = new DriverManagerDataSource(this.database.url(), this.database.user(), "");
		this.jdbc = new JdbcTemplate(dataSource);
		OutboxProgram.createTables(this.jdbc);
		new ResourceDatabasePopulator(new ClassPathResource("io/lowkiq/outbox/schema-%s.sql"
			.formatted((product == TestDatabase.Product.MARIADB) ? "mysql" : "postgresql"))).execute(dataSource);
		this.factory = TestRedis.connectionFactory(redis.get(0));
		this.store = new RedisStore(this.factory, this.prefix, null);
		QueueLayout first = this.store.queues().register(OutboxProgram.QUEUE, shards);
		assertThat(this.store.queues().beginRemoval(first) && this.store.queues().endRemoval(first)).isTrue();
		serve(this.history.worker(shards));
	}

	void serve(RegisteredWorker worker) {
		LowkiqServer server = new LowkiqServer(new ServerOptions(new WorkerRegistry(List.of(worker)), this.store));
		server.registerQueues();
		server.start();
		this.servers.add(server);
	}

	/** Starts a server that doesn't know what was recorded. */
	void replaceServer(Runnable between) {
		this.servers.forEach((server) -> server.stop(Duration.ofSeconds(5)));
		this.servers.clear();
		between.run();
		this.store = new RedisStore(this.factory, this.prefix, null);
		serve(this.history.worker(this.shards));
	}

	void startApplications(long limit) {
		for (int i = 0; i < APPLICATIONS; i++) {
			start(limit);
		}
	}

	/** An application that ends with a transaction; 0 if it only empties the outbox. */
	ProgramProcess start(long limit) {
		List<String> arguments = new ArrayList<>(List.of(this.database.url(), this.database.user(),
				this.redis.get(++this.started % this.redis.size()), this.prefix, Long.toString(limit)));
		arguments.addAll(this.options);
		ProgramProcess application = new ProgramProcess("application-" + this.started, OutboxProgram.class,
				this.directory, arguments);
		this.applications.add(application);
		return application;
	}

	/** Kills one of the applications; what comes between is over before the next one. */
	void replaceOne(long limit, Runnable between) {
		this.applications.remove(this.random.nextInt(this.applications.size())).kill();
		between.run();
		start(limit);
	}

	void killAll() {
		this.applications.forEach(ProgramProcess::kill);
		this.applications.clear();
	}

	void assertAlive() {
		assertThat(this.applications).allMatch(ProgramProcess::isAlive);
	}

	void awaitBegun(long transactions) {
		Awaitility.await("transactions begin")
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(2))
			.atMost(LONG)
			.until(() -> begun() >= transactions || !this.applications.stream().allMatch(ProgramProcess::isAlive));
		assertAlive();
	}

	/** The number of the last transaction. */
	long begun() {
		return number("select last_value from transactions");
	}

	void awaitEmpty() {
		Awaitility.await("the outbox is empty").atMost(LONG).until(() -> rows() == 0);
	}

	long rows() {
		return number("select (select count(*) from lowkiq_outbox) + (select count(*) from lowkiq_outbox_aside)");
	}

	long number(String query) {
		Long number = this.jdbc.queryForObject(query, Long.class);
		return (number != null) ? number : 0;
	}

	@Override
	public void close() throws IOException {
		killAll();
		this.servers.forEach((server) -> server.stop(Duration.ofSeconds(5)));
		this.factory.destroy();
		this.database.close();
	}

}
