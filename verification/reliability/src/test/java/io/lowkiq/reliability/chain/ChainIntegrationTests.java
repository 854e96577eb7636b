package io.lowkiq.reliability.chain;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three nodes perform chains of five steps over three queues, and are killed again and
 * again. Each step is enqueued once, and only after the one before it is done; none comes
 * after a step that failed for good, nor from a perform that failed.
 * <p>
 * More chains: {@code -Dchains=10000}.
 */
class ChainIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final int NODES = 3;

	private final int chains = Integer.getInteger("chains", 200);

	private final Random random = new Random();

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir
	private Path directory;

	private RedisProcess redis;

	private LettuceConnectionFactory factory;

	private RedisStore store;

	private final List<ProgramProcess> nodes = new ArrayList<>();

	private int started;

	@BeforeEach
	void start() {
		this.redis = TestRedis.startPrivate("--appendonly", "yes", "--appendfsync", "always");
		this.factory = TestRedis.connectionFactory(this.redis.url());
		this.store = new RedisStore(this.factory, this.prefix, null);
	}

	@AfterEach
	void stop() {
		this.nodes.forEach(ProgramProcess::kill);
		TestRedis.destroy(this.factory);
		this.redis.close();
	}

	@Test
	@Tag("long")
	void killedNodesBreakNoChain() throws IOException {
		runChains(false);
	}

	@Test
	void killedNodesAndAKilledRedisBreakNoChain() throws IOException {
		runChains(true);
	}

	private void runChains(boolean killRedis) throws IOException {
		LowkiqClient client = ChainProgram.client(this.store, ChainProgram.workers((id, step) -> {
		}));
		for (int chain = 0; chain < this.chains; chain++) {
			ChainProgram.enqueue(client, chain);
		}
		long expected = 0;
		for (int chain = 0; chain < this.chains; chain++) {
			expected += ChainStep.lastOf(chain);
		}
		for (int i = 0; i < NODES; i++) {
			this.nodes.add(startNode());
		}
		int harms = Math.max(4, this.chains / 100);
		int kills = 0;
		for (int harm = 0; harm < harms; harm++) {
			awaitCompleted((long) ((harm + this.random.nextDouble()) * expected / harms));
			if (killRedis && harm % 2 == 0) {
				this.redis.kill();
				LockSupport.parkNanos(Duration.ofMillis(this.random.nextLong(50, 1_000)).toNanos());
				this.redis.restart();
			}
			else {
				int victim = this.random.nextInt(NODES);
				this.nodes.get(victim).kill();
				this.nodes.set(victim, startNode());
				kills++;
			}
		}
		awaitCompleted(expected);
		Performs performs = new Performs(this.directory);
		System.out.printf("Chains: %d with %d steps, %d kills of nodes, %d of Redis, %d steps performed again%n",
				this.chains, expected, kills, harms - kills, performs.count() - expected);
		for (int chain = 0; chain < this.chains; chain++) {
			performs.assertComplete(chain);
		}
		assertThat(completed()).as("Completed steps: each was enqueued once").isEqualTo(expected);
	}

	private ProgramProcess startNode() {
		this.started++;
		String name = "node-" + this.started;
		return new ProgramProcess(name, ChainProgram.class, this.directory,
				List.of(this.redis.url(), this.prefix, this.directory.resolve(name + ".performs").toString()));
	}

	private void awaitCompleted(long steps) {
		Awaitility.await("steps are completed")
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(5))
			.atMost(LONG)
			.until(() -> completed() >= steps || !this.nodes.stream().allMatch(ProgramProcess::isAlive));
		assertThat(this.nodes).allMatch(ProgramProcess::isAlive);
	}

	/** How many steps are done, or dead. */
	private long completed() {
		long completed = 0;
		for (String queue : ChainStep.QUEUES) {
			for (ShardCounts counts : this.store.queues()
				.find(queue)
				.map((layout) -> layout.allShards().stream().map(this.store.inspection()::counts).toList())
				.orElse(List.of())) {
				completed += counts.processed() + counts.dead();
			}
		}
		return completed;
	}

}
