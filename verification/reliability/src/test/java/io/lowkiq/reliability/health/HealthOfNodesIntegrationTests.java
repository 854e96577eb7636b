package io.lowkiq.reliability.health;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.chaos.ProgramProcess;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The health of nodes in processes of their own, while others join, leave, are killed and
 * are replaced one after the other: it is never DOWN while all shards have an owner, and
 * it is when one has none.
 */
class HealthOfNodesIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	/** How long a shard may be on its way from one node to another. */
	private static final Duration TRANSFER = Duration.ofSeconds(5);

	private final String prefix = TestRedis.uniquePrefix();

	@TempDir
	private Path directory;

	private RedisProcess redis;

	/** Those that run, in the order of their starts. */
	private final List<Node> nodes = new ArrayList<>();

	private int started;

	private int shards = 12;

	private Duration lease = Duration.ofSeconds(1);

	/**
	 * A node that runs.
	 *
	 * @param number which one it is
	 * @param process its process
	 */
	private record Node(int number, ProgramProcess process) {
	}

	@BeforeEach
	void start() {
		this.redis = TestRedis.startPrivate();
	}

	@AfterEach
	void stop() {
		this.nodes.forEach((node) -> node.process().kill());
		this.redis.close();
	}

	@Test
	void aNodeStaysUpWhileAnotherJoinsAndLeaves() throws IOException {
		startNode();
		startNode();
		watch();
		this.nodes.remove(0).process().terminate();
		watch();
		assertNeverDown();
	}

	@Test
	void nodesAreDownWhileAShardHasNoOwner() throws IOException {
		startNode();
		startNode();
		withStore((store) -> {
			NodeInfo info = new NodeInfo("hangs", 0, Duration.ofHours(1), Set.of(HealthProgram.QUEUE), false);
			// Gets its part of the shards, and takes none
			store.nodes().join("hangs", info);
			awaitHealth("DOWN");
			store.nodes().leave("hangs");
			awaitHealth("UP");
		});
		assertThat(this.nodes).allMatch((node) -> node.process().isAlive());
	}

	@Test
	@Tag("long")
	void nodesWithDefaultSettingsStayUpWhateverOthersDo() throws IOException {
		this.lease = Duration.ofSeconds(15);
		startNode();
		watch();
		startNode();
		watch();
		startNode();
		watch();
		this.nodes.remove(1).process().terminate();
		watch();
		this.nodes.remove(1).process().kill();
		watch();
		assertNeverDown();
	}

	@Test
	@Tag("long")
	void sixNodesStayUpWhileADeployReplacesThem() throws IOException {
		this.shards = 48;
		this.lease = Duration.ofSeconds(15);
		for (int i = 0; i < 6; i++) {
			startNode();
		}
		for (int i = 0; i < 6; i++) {
			this.nodes.remove(0).process().terminate();
			startNode();
		}
		watch();
		assertNeverDown();
	}

	private void startNode() {
		this.started++;
		ProgramProcess node = new ProgramProcess("node-" + this.started, HealthProgram.class, this.directory,
				List.of(this.redis.url(), this.prefix, Integer.toString(this.shards), this.lease.toMillis() + "ms",
						health(this.started).toString()));
		this.nodes.add(new Node(this.started, node));
		node.awaitLine("READY", LONG);
	}

	private Path health(int node) {
		return this.directory.resolve("node-" + node + ".health");
	}

	/**
	 * Until health has looked for two leases, and for as long as a shard must have had no
	 * owner before it is DOWN.
	 */
	private void watch() throws IOException {
		Duration time = this.lease.multipliedBy(2).plus(TRANSFER).plusSeconds(1);
		int node = this.nodes.get(0).number();
		int looks = lines(node).size() + (int) (time.toMillis() / 100);
		Awaitility.await("looks at health")
			.atMost(LONG)
			.pollInterval(Duration.ofMillis(200))
			.until(() -> lines(node).size() >= looks);
	}

	private List<String> lines(int node) throws IOException {
		Path file = health(node);
		return Files.exists(file) ? Files.readAllLines(file) : List.of();
	}

	private void assertNeverDown() throws IOException {
		Map<String, String> down = new TreeMap<>();
		for (int node = 1; node <= this.started; node++) {
			List<String> lines = lines(node);
			assertThat(lines).as("looks at the health of node %d", node).isNotEmpty();
			List<String> bad = lines.stream().filter((line) -> !line.startsWith("UP ")).toList();
			if (!bad.isEmpty()) {
				down.put("node-" + node,
						"%d of %d looks, the first one: %s".formatted(bad.size(), lines.size(), bad.get(0)));
			}
		}
		assertThat(down).isEmpty();
	}

	/** Waits until all nodes say so. */
	private void awaitHealth(String status) {
		Awaitility.await("health " + status).atMost(LONG).until(() -> {
			for (int node = 1; node <= this.started; node++) {
				List<String> lines = lines(node);
				if (lines.isEmpty() || !lines.get(lines.size() - 1).startsWith(status + " ")) {
					return false;
				}
			}
			return true;
		});
	}

	/** Does something with the store that the nodes use. */
	private void withStore(Consumer<RedisStore> action) {
		RedisURI url = RedisURI.create(this.redis.url());
		LettuceConnectionFactory connections = new LettuceConnectionFactory(url.getHost(), url.getPort());
		connections.afterPropertiesSet();
		connections.start();
		try {
			action.accept(new RedisStore(connections, this.prefix, null));
		}
		finally {
			connections.destroy();
		}
	}

}
