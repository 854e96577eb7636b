package io.lowkiq.reliability.chain;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three nodes perform chains while servers of a cluster lose all their data, one or all
 * of them, so that shards begin again with the first epoch, and others remember them.
 * What was enqueued before may be lost, or come late, if a node was about to enqueue it,
 * but no step comes before its time. What is enqueued afterwards is complete, and each
 * step is enqueued once.
 * <p>
 * Longer: {@code -Dchains.seconds=900}.
 */
@Tag("long")
class FlushedChainIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final int NODES = 3;

	/** How many chains begin before the data is lost, and how many after that. */
	private static final int CHAINS = 60;

	private final int seconds = Integer.getInteger("chains.seconds", 20);

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	private final RedisClusterProcess cluster = RedisClusterProcess.start();

	private final LettuceConnectionFactory factory = this.cluster.connectionFactory();

	private final RedisStore store = new RedisStore(this.factory, this.prefix, null);

	private final LowkiqClient client = ChainProgram.client(this.store, ChainProgram.workers((id, step) -> {
	}));

	private final List<Shard> shards = Stream.of(ChainStep.QUEUES)
		.flatMap((queue) -> IntStream.range(0, ChainProgram.SHARDS).mapToObj((index) -> new Shard(queue, 1, index)))
		.toList();

	@TempDir
	private Path directory;

	private final List<ProgramProcess> nodes = new ArrayList<>();

	private int started;

	private int chains;

	@AfterEach
	void stop() {
		this.nodes.forEach(ProgramProcess::kill);
		TestRedis.destroy(this.factory);
		this.cluster.close();
	}

	@Test
	void chainsThatBeginAfterALossOfDataAreComplete() throws IOException {
		for (int i = 0; i < NODES; i++) {
			this.nodes.add(startNode());
		}
		this.nodes.forEach((node) -> node.awaitLine("READY", LONG));
		List<Integer> lost = new ArrayList<>();
		List<Integer> kept = new ArrayList<>();
		int kills = 0;
		int flushes = 0;
		long end = System.nanoTime() + Duration.ofSeconds(this.seconds).toNanos();
		while (System.nanoTime() < end) {
			lost.addAll(enqueue());
			LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(400)).toNanos());
			boolean replaced = this.random.nextBoolean();
			if (replaced) {
				this.nodes.forEach(ProgramProcess::kill);
				kills += NODES;
			}
			flush();
			flushes++;
			if (replaced) {
				// They don't know the epochs of those before them
				this.nodes.replaceAll((node) -> startNode());
			}
			awaitNothingLeft();
			long begin = System.nanoTime();
			long before = completed();
			List<Integer> fresh = enqueue();
			long expected = before + fresh.stream().mapToLong(ChainStep::lastOf).sum();
			await("the chains are complete", () -> completed() >= expected);
			awaitNothingLeft();
			long late = new Performs(this.directory).countSince(begin, lost);
			assertThat(completed())
				.as("Completed steps: each was enqueued once, and %d of chains before the loss came late", late)
				.isBetween(expected, expected + late);
			kept.addAll(fresh);
		}
		Performs performs = new Performs(this.directory);
		System.out.printf("Chains: %d losses of data, %d kills of nodes, %d chains before and %d after, %d performs%n",
				flushes, kills, lost.size(), kept.size(), performs.count());
		lost.forEach(performs::assertOrdered);
		kept.forEach(performs::assertComplete);
	}

	private List<Integer> enqueue() {
		List<Integer> begun = IntStream.range(this.chains, this.chains + CHAINS).boxed().toList();
		this.chains += CHAINS;
		begun.forEach((chain) -> ChainProgram.enqueue(this.client, chain));
		return begun;
	}

	private void flush() {
		List<RedisProcess> masters = this.cluster.masters();
		if (this.random.nextInt(4) == 0) {
			masters.forEach((master) -> master.call("FLUSHALL"));
		}
		else {
			masters.get(this.random.nextInt(masters.size())).call("FLUSHALL");
		}
	}

	private ProgramProcess startNode() {
		this.started++;
		String name = "node-" + this.started;
		return new ProgramProcess(name, ChainProgram.class, this.directory,
				List.of(String.join(",", this.cluster.nodes()), this.prefix,
						this.directory.resolve(name + ".performs").toString()));
	}

	/**
	 * Looks twice, as what moves from one shard to another can be missed: if it was, it
	 * is there the second time, or has completed.
	 */
	private void awaitNothingLeft() {
		AtomicLong before = new AtomicLong(-1);
		await("nothing is left to perform", () -> {
			List<ShardCounts> all = counts().toList();
			boolean isEmpty = all.stream()
				.allMatch((counts) -> counts.queued() + counts.busy() + counts.followUps() == 0);
			long completed = completed(all.stream());
			return before.getAndSet(isEmpty ? completed : -1) == completed && isEmpty;
		});
	}

	/** How many steps are done, or dead. */
	private long completed() {
		return completed(counts());
	}

	private static long completed(Stream<ShardCounts> all) {
		return all.mapToLong((counts) -> counts.processed() + counts.dead()).sum();
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
