package io.lowkiq.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis Cluster of three masters on this machine, with or without a replica for each.
 * Not thread safe.
 */
public final class RedisClusterProcess implements AutoCloseable {

	private static final int MASTERS = 3;

	private static final int SLOTS = 16_384;

	private final List<RedisProcess> masters = new ArrayList<>();

	private final List<RedisProcess> replicas = new ArrayList<>();

	private RedisClusterProcess() {
	}

	/** Starts three masters without replicas. */
	public static RedisClusterProcess start(String... extraArguments) {
		return start(false, extraArguments);
	}

	/** Starts three masters with one replica each. */
	public static RedisClusterProcess startWithReplicas(String... extraArguments) {
		return start(true, extraArguments);
	}

	private static RedisClusterProcess start(boolean withReplicas, String... extraArguments) {
		RedisClusterProcess cluster = new RedisClusterProcess();
		try {
			cluster.startNodes(withReplicas, extraArguments);
			cluster.join();
			if (withReplicas) {
				cluster.replicate();
			}
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
		return cluster;
	}

	/** The nodes that were started as masters. */
	public List<RedisProcess> masters() {
		return List.copyOf(this.masters);
	}

	/** The nodes that were started as replicas, each at the index of its master. */
	public List<RedisProcess> replicas() {
		return List.copyOf(this.replicas);
	}

	/** The addresses as {@code spring.data.redis.cluster.nodes} takes them. */
	public List<String> nodes() {
		return all().map((node) -> node.host() + ":" + node.port()).toList();
	}

	/** Connects to the cluster. */
	public LettuceConnectionFactory connectionFactory() {
		return TestRedis.connectionFactory(new RedisClusterConfiguration(nodes()));
	}

	/** The node that was started as the master of a slot. */
	public RedisProcess masterOf(int slot) {
		for (int index = 0; index < MASTERS; index++) {
			if (slot < SLOTS * (index + 1) / MASTERS) {
				return this.masters.get(index);
			}
		}
		throw new IllegalArgumentException("There is no slot " + slot);
	}

	/**
	 * Moves a slot with its keys, a hundred at a time, as
	 * {@code redis-cli --cluster reshard} does.
	 */
	public void moveSlot(int slot, RedisProcess source, RedisProcess target) {
		String number = Integer.toString(slot);
		String owner = answer(target, "CLUSTER", "MYID");
		expectOk(target, "CLUSTER", "SETSLOT", number, "IMPORTING", answer(source, "CLUSTER", "MYID"));
		expectOk(source, "CLUSTER", "SETSLOT", number, "MIGRATING", owner);
		for (List<String> keys = keys(source, number); !keys.isEmpty(); keys = keys(source, number)) {
			migrate(source, target, keys);
		}
		expectOk(target, "CLUSTER", "SETSLOT", number, "NODE", owner);
		expectOk(source, "CLUSTER", "SETSLOT", number, "NODE", owner);
		this.masters.forEach((node) -> expectOk(node, "CLUSTER", "SETSLOT", number, "NODE", owner));
	}

	private static List<String> keys(RedisProcess node, String slot) {
		return answer(node, "CLUSTER", "GETKEYSINSLOT", slot, "100").lines().toList();
	}

	private static void migrate(RedisProcess source, RedisProcess target, List<String> keys) {
		String answer = answer(source, Stream
			.concat(Stream.of("MIGRATE", target.host(), Integer.toString(target.port()), "", "0", "5000", "KEYS"),
					keys.stream())
			.toArray(String[]::new));
		// NOKEY: all were deleted after they were listed
		if (!answer.equals("OK") && !answer.equals("NOKEY")) {
			throw new IllegalStateException("MIGRATE: " + answer);
		}
	}

	@Override
	public void close() {
		all().forEach(RedisProcess::close);
	}

	private Stream<RedisProcess> all() {
		return Stream.concat(this.masters.stream(), this.replicas.stream());
	}

	private void startNodes(boolean withReplicas, String... extraArguments) {
		String[] arguments = Stream
			.concat(Stream.of("--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
					"--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0"), Stream.of(extraArguments))
			.toArray(String[]::new);
		for (int index = 0; index < MASTERS; index++) {
			this.masters.add(TestRedis.startPrivate(arguments));
			if (withReplicas) {
				this.replicas.add(TestRedis.startPrivate(arguments));
			}
		}
	}

	private void join() {
		List<RedisProcess> nodes = all().toList();
		for (int index = 0; index < nodes.size(); index++) {
			expectOk(nodes.get(index), "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(index + 1));
		}
		for (int index = 0; index < MASTERS; index++) {
			Stream<String> slots = IntStream.range(SLOTS * index / MASTERS, SLOTS * (index + 1) / MASTERS)
				.mapToObj(Integer::toString);
			expectOk(this.masters.get(index),
					Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
		}
		RedisProcess first = nodes.get(0);
		for (RedisProcess node : nodes.subList(1, nodes.size())) {
			expectOk(first, "CLUSTER", "MEET", node.host(), Integer.toString(node.port()));
		}
		await().until(() -> nodes.stream().allMatch((node) -> {
			String info = answer(node, "CLUSTER", "INFO");
			return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + nodes.size() + "\r\n")
					&& knowsAllByAddress(node, nodes.size());
		}));
	}

	private static boolean knowsAllByAddress(RedisProcess node, int count) {
		List<String> lines = answer(node, "CLUSTER", "NODES").lines().toList();
		return lines.size() == count && lines.stream().noneMatch((line) -> line.contains("handshake"));
	}

	private void replicate() {
		for (int index = 0; index < MASTERS; index++) {
			String master = answer(this.masters.get(index), "CLUSTER", "MYID");
			expectOk(this.replicas.get(index), "CLUSTER", "REPLICATE", master);
		}
		await().until(() -> this.masters.stream()
			.allMatch((master) -> answer(master, "INFO", "replication").contains("state=online")));
		await().until(() -> this.replicas.stream()
			.allMatch((replica) -> answer(replica, "INFO", "replication").contains("master_link_status:up")));
		await().until(() -> all().allMatch((node) -> answer(node, "CLUSTER", "NODES").lines()
			.filter(RedisClusterProcess::isReplica)
			.count() == MASTERS));
	}

	private static boolean isReplica(String line) {
		return line.split(" ", -1)[2].contains("slave");
	}

	private static ConditionFactory await() {
		return Awaitility.await().pollInSameThread().pollInterval(Duration.ofMillis(50)).atMost(Duration.ofSeconds(30));
	}

	private static void expectOk(RedisProcess node, String... command) {
		String answer = answer(node, command);
		if (!answer.equals("OK")) {
			throw new IllegalStateException(command[0] + " " + command[1] + ": " + answer);
		}
	}

	private static String answer(RedisProcess node, String... command) {
		return Objects.requireNonNull(node.call(command));
	}

}
