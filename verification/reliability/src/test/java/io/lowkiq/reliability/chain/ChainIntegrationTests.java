package io.lowkiq.reliability.chain;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.LowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three nodes perform chains of five steps over three queues, while they and Redis are
 * killed, or servers lose all their data. Each step is enqueued once, and only after the
 * one before it is done; none comes after a step that failed for good, nor from a perform
 * that failed.
 * <p>
 * More: {@code -Dchains=10000}, {@code -Dchains.seconds=900}.
 */
class ChainIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int NODES = 3;

	/** How many chains begin before data is lost, and how many after that. */
	private static final int CHAINS = 60;

	private final int chains = Integer.getInteger("chains", 200);

	private final int seconds = Integer.getInteger("chains.seconds", 20);

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	private final List<Shard> shards = Stream.of(ChainStep.QUEUES)
		.flatMap((queue) -> IntStream.range(0, ChainProgram.SHARDS).mapToObj((index) -> new Shard(queue, 1, index)))
		.toList();

	private final List<ProgramProcess> nodes = new ArrayList<>();

	@TempDir
	private Path directory;

	@AutoClose
	private AutoCloseable redis;

	private LettuceConnectionFactory factory;

	private String url;

	private RedisStore store;

	private LowkiqClient client;

	private int begun;

	private int started;

	private void start(AutoCloseable servers, LettuceConnectionFactory connections, String urls) {
		this.redis = servers;
		this.factory = connections;
		this.url = urls;
		this.store = new RedisStore(this.factory, this.prefix, null);
		this.client = ChainProgram.client(this.store, ChainProgram.workers((id, step) -> {
		}));
	}

	@AfterEach
	void stop() {
		this.nodes.forEach(ProgramProcess::kill);
		TestRedis.destroy(this.factory);
	}

	@Test
	@Tag("long")
	void killedNodesBreakNoChain() throws IOException {
		killedWhileChainsRun(false);
	}

	@Test
	void killedNodesAndAKilledRedisBreakNoChain() throws IOException {
		killedWhileChainsRun(true);
	}

	private void killedWhileChainsRun(boolean killRedis) throws IOException {
		RedisProcess server = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");
		start(server, TestRedis.connectionFactory(server.url()), server.url());
		List<Integer> all = enqueue(this.chains);
		long expected = steps(all);
		startNodes();
		int harms = Math.max(4, this.chains / 100);
		for (int harm = 0; harm < harms; harm++) {
			awaitCompleted((long) ((harm + this.random.nextDouble()) * expected / harms));
			if (killRedis && harm % 2 == 0) {
				server.kill();
				LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(50, 1_000)).toNanos());
				server.restart();
			}
			else {
				int victim = this.random.nextInt(NODES);
				this.nodes.get(victim).kill();
				this.nodes.set(victim, startNode());
			}
		}
		awaitCompleted(expected);
		Performs performs = new Performs(this.directory);
		System.out.printf(Locale.ROOT, "Chains: %d with %d steps, %d kills, %d steps performed again%n", this.chains,
				expected, harms, performs.count() - expected);
		all.forEach(performs::assertComplete);
		assertThat(completed()).as("Completed steps: each was enqueued once").isEqualTo(expected);
	}

	/**
	 * Shards begin again with the first epoch, and others remember them. What was
	 * enqueued before may be lost, or come late, if a node was about to enqueue it.
	 */
	@Test
	@Tag("long")
	void chainsThatBeginAfterALossOfDataAreComplete() throws IOException {
		RedisClusterProcess cluster = RedisClusterProcess.start();
		start(cluster, cluster.connectionFactory(), String.join(",", cluster.nodes()));
		startNodes();
		this.nodes.forEach((node) -> node.awaitLine("READY", LONG));
		List<Integer> lost = new ArrayList<>();
		List<Integer> kept = new ArrayList<>();
		int flushes = 0;
		long end = System.nanoTime() + Duration.ofSeconds(this.seconds).toNanos();
		while (System.nanoTime() < end) {
			lost.addAll(enqueue(CHAINS));
			LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(400)).toNanos());
			boolean replaced = this.random.nextBoolean();
			if (replaced) {
				this.nodes.forEach(ProgramProcess::kill);
			}
			flush(cluster.masters());
			flushes++;
			if (replaced) {
				// They don't know the epochs of those before them
				this.nodes.replaceAll((node) -> startNode());
			}
			awaitNothingLeft();
			long begin = System.nanoTime();
			long before = completed();
			List<Integer> fresh = enqueue(CHAINS);
			long expected = before + steps(fresh);
			awaitCompleted(expected);
			awaitNothingLeft();
			long late = new Performs(this.directory).countSince(begin, lost);
			assertThat(completed())
				.as("Completed steps: each was enqueued once, and %d of chains before the loss came late", late)
				.isBetween(expected, expected + late);
			kept.addAll(fresh);
		}
		Performs performs = new Performs(this.directory);
		System.out.printf(Locale.ROOT, "Chains: %d losses of data, %d chains before and %d after, %d performs%n",
				flushes, lost.size(), kept.size(), performs.count());
		lost.forEach(performs::assertOrdered);
		kept.forEach(performs::assertComplete);
	}

	private List<Integer> enqueue(int count) {
		List<Integer> numbers = IntStream.range(this.begun, this.begun + count).boxed().toList();
		this.begun += count;
		numbers.forEach((chain) -> ChainProgram.enqueue(this.client, chain));
		return numbers;
	}

	private static long steps(List<Integer> chains) {
		return chains.stream().mapToLong(ChainStep::lastOf).sum();
	}

	private void flush(List<RedisProcess> masters) {
		List<RedisProcess> forgetful = (this.random.nextInt(4) == 0) ? masters
				: List.of(masters.get(this.random.nextInt(masters.size())));
		forgetful.forEach((master) -> master.call("FLUSHALL"));
	}

	private void startNodes() {
		IntStream.range(0, NODES).forEach((i) -> this.nodes.add(startNode()));
	}

	private ProgramProcess startNode() {
		this.started++;
		String name = "node-" + this.started;
		return new ProgramProcess(name, ChainProgram.class, this.directory,
				List.of(this.url, this.prefix, this.directory.resolve(name + ".performs").toString()));
	}

	private void awaitCompleted(long steps) {
		await("steps are completed", () -> completed() >= steps);
	}

	/**
	 * Looks twice, as what moves from one shard to another can be missed: if it was, it
	 * is there the second time, or has completed.
	 */
	private void awaitNothingLeft() {
		AtomicLong before = new AtomicLong(-1);
		await("nothing is left to perform", () -> {
			boolean isEmpty = counts().allMatch((counts) -> counts.queued() + counts.busy() + counts.followUps() == 0);
			long completed = completed();
			return before.getAndSet(isEmpty ? completed : -1) == completed && isEmpty;
		});
	}

	/** How many steps are done, or dead. */
	private long completed() {
		return counts().mapToLong((counts) -> counts.processed() + counts.dead()).sum();
	}

	private Stream<ShardCounts> counts() {
		return this.shards.stream().map(this.store.inspection()::counts);
	}

	private void await(String what, BooleanSupplier condition) {
		Awaitility.await(what)
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(5))
			.atMost(LONG)
			.until(() -> condition.getAsBoolean() || !this.nodes.stream().allMatch(ProgramProcess::isAlive));
		assertThat(this.nodes).allMatch(ProgramProcess::isAlive);
	}

}
