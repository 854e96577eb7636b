package io.lowkiq.reliability.outbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.reliability.outbox.LateProgram.Kind;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application enqueues at every point of its transactions, with few connections, and
 * is killed right after the last commit. All that it has committed is performed after the
 * restart, in the order of the commits, and what it could not take was refused at the
 * call.
 */
class LateEnqueueIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int TRANSACTIONS = 400;

	/** By id: the versions in the order in which they were delivered. */
	private final Map<String, List<Integer>> performs = new ConcurrentHashMap<>();

	private final Worker<Integer> worker = (id,
			versions) -> this.performs.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>()).addAll(versions);

	private final WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker(LateProgram.QUEUE,
			Worker.class, Integer.class, new RegisteredWorker.Settings(4, 1, 25, 10, 1, 0), () -> this.worker)));

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path directory;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private LowkiqServer server;

	@BeforeEach
	void start() {
		this.redis = TestRedis.startPrivate();
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.server = new LowkiqServer(
				new ServerOptions(this.workers, new RedisStore(this.factory, this.prefix, null)));
		this.server.registerQueues();
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(Duration.ofSeconds(5));
		this.factory.destroy();
		this.redis.close();
	}

	@ParameterizedTest
	@Tag("long")
	@CsvSource({ "POSTGRESQL,4,16", "POSTGRESQL,1,8", "MARIADB,4,16", "MARIADB,1,8", "H2,4,16", "H2,1,8" })
	void whatWasCommittedIsPerformedAfterTheRestart(TestDatabase.Product product, int pool, int threads)
			throws Exception {
		try (TestDatabase database = TestDatabase.start(product, this.directory)) {
			Path result = this.directory.resolve("committed");
			ProgramProcess killed = application("killed", database, pool, threads, TRANSACTIONS, result);
			Awaitility.await("the application has killed itself").atMost(LONG).until(() -> !killed.isAlive());
			Map<Kind, Integer> committed = committed(result);
			assertThat(committed).as("committed, or not refused").isEqualTo(expected());
			ProgramProcess restarted = application("restarted", database, pool, threads, 0, result);
			try {
				Awaitility.await("all jobs are performed").atMost(LONG).untilAsserted(this::assertAllPerformed);
			}
			finally {
				restarted.kill();
			}
			assertInOrder();
			System.out.printf("Late enqueues on %s, pool of %d, %d threads: %s committed, all performed%n", product,
					pool, threads, committed);
		}
	}

	private static Map<Kind, Integer> expected() {
		return List.of(Kind.values())
			.stream()
			.collect(Collectors.toMap((kind) -> kind, (kind) -> (kind == Kind.READ_ONLY) ? 0 : TRANSACTIONS));
	}

	private static Map<Kind, Integer> committed(Path result) throws IOException {
		return Files.readAllLines(result)
			.stream()
			.map((line) -> line.split(" ", 2))
			.collect(Collectors.toMap((parts) -> Kind.valueOf(parts[0]), (parts) -> Integer.valueOf(parts[1])));
	}

	private void assertAllPerformed() {
		expected().forEach((kind, committed) -> {
			for (int account = 0; account < LateProgram.ACCOUNTS; account++) {
				String id = kind + "-" + account;
				List<Integer> versions = IntStream.rangeClosed(1, committed / LateProgram.ACCOUNTS).boxed().toList();
				assertThat(this.performs.getOrDefault(id, List.of())).as(id).hasSameElementsAs(versions);
			}
		});
	}

	/** Listeners after the commit may overtake each other. */
	private void assertInOrder() {
		this.performs.forEach((id, versions) -> {
			if (!id.startsWith(Kind.AFTER_COMMIT.name())) {
				assertThat(versions.stream().distinct()).as(id).isSorted();
			}
		});
	}

	private ProgramProcess application(String name, TestDatabase database, int pool, int threads, int transactions,
			Path result) {
		return new ProgramProcess(name, LateProgram.class, this.directory,
				List.of(database.url(), database.user(), this.redis.url(), this.prefix, Integer.toString(pool),
						Integer.toString(threads), Integer.toString(transactions), result.toString()));
	}

}
