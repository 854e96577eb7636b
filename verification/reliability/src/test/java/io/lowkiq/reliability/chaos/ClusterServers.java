package io.lowkiq.reliability.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.reliability.program.Workload;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A cluster of three masters with a replica each. Programs connect to it directly. */
final class ClusterServers implements Servers {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RedisClusterProcess cluster = RedisClusterProcess.startWithReplicas("--appendonly", "yes",
			"--appendfsync", "always");

	private final int shards;

	/** Starts the servers. */
	ClusterServers(int shards) {
		this.shards = shards;
	}

	@Override
	public String addressFor(String node) {
		return address();
	}

	@Override
	public List<String> enterNetwork() {
		return List.of();
	}

	@Override
	public String address() {
		return String.join(",", this.cluster.nodes());
	}

	@Override
	public @Nullable TcpProxy proxy(String node) {
		return null;
	}

	@Override
	public void ended(String node) {
		// Nothing is kept of it
	}

	@Override
	public int replicas() {
		return 1;
	}

	@Override
	public List<RedisProcess> masters() {
		return servers().stream().filter(ClusterServers::isMaster).toList();
	}

	private List<RedisProcess> servers() {
		return Stream.concat(this.cluster.masters().stream(), this.cluster.replicas().stream()).toList();
	}

	private static boolean isMaster(RedisProcess server) {
		return answer(server, "INFO", "replication").contains("role:master");
	}

	@Override
	public LettuceConnectionFactory connect() {
		return this.cluster.connectionFactory();
	}

	@Override
	public Set<FaultKind> kinds() {
		return EnumSet.of(FaultKind.KILL, FaultKind.STOP, FaultKind.TERMINATE, FaultKind.CLIENT_KILL,
				FaultKind.CLIENT_PAUSE, FaultKind.OUTAGE, FaultKind.SCRIPT_FLUSH, FaultKind.FULL, FaultKind.FAILOVER,
				FaultKind.MOVE);
	}

	/** By order, without a loss; or because a master dies. */
	@Override
	public void failOver(Random random) {
		List<RedisProcess> replicas = servers().stream().filter((server) -> !isMaster(server)).toList();
		RedisProcess promoted = replicas.get(random.nextInt(replicas.size()));
		RedisProcess old = masterOf(promoted);
		boolean dies = random.nextBoolean();
		if (dies) {
			old.kill();
		}
		else {
			promoted.call("CLUSTER", "FAILOVER");
		}
		await(() -> isMaster(promoted));
		if (dies) {
			old.restart();
		}
		await(() -> answer(old, "INFO", "replication").contains("master_link_status:up"));
		await(() -> servers().stream()
			.allMatch((server) -> answer(server, "CLUSTER", "INFO").contains("cluster_state:ok")));
	}

	private RedisProcess masterOf(RedisProcess replica) {
		String port = answer(replica, "INFO", "replication").lines()
			.filter((line) -> line.startsWith("master_port:"))
			.map((line) -> line.substring("master_port:".length()).strip())
			.findFirst()
			.orElseThrow();
		return servers().stream()
			.filter((server) -> Integer.toString(server.port()).equals(port))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Moves the slots of some shards, or of the registry, as
	 * {@code redis-cli --cluster reshard} does, but with a rest after every key.
	 */
	@Override
	public void move(Random random) {
		List<RedisProcess> masters = masters();
		int moves = 1 + random.nextInt(4);
		for (int i = 0; i < moves; i++) {
			String queue = Workload.QUEUES.get(random.nextInt(Workload.QUEUES.size()));
			boolean registry = random.nextInt(10) == 0;
			int slot = SlotHash.getSlot(registry ? "nodes" : queue + ":1:" + random.nextInt(this.shards));
			List<RedisProcess> targets = new ArrayList<>(masters);
			RedisProcess from = targets.remove(indexOfOwner(masters, slot));
			move(slot, from, targets.get(random.nextInt(targets.size())), masters, random);
		}
	}

	private static int indexOfOwner(List<RedisProcess> masters, int slot) {
		for (int index = 0; index < masters.size(); index++) {
			if (owns(masters.get(index), slot)) {
				return index;
			}
		}
		throw new IllegalStateException("Nobody owns slot " + slot);
	}

	private static boolean owns(RedisProcess server, int slot) {
		return answer(server, "CLUSTER", "NODES").lines()
			.filter((line) -> line.contains("myself"))
			.flatMap((line) -> Arrays.stream(line.split(" ")).skip(8))
			.filter((range) -> !range.startsWith("["))
			.anyMatch((range) -> {
				String[] ends = range.split("-");
				return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
			});
	}

	private static void move(int slot, RedisProcess from, RedisProcess to, List<RedisProcess> masters, Random random) {
		String number = Integer.toString(slot);
		expectOk(to, "CLUSTER", "SETSLOT", number, "IMPORTING", answer(from, "CLUSTER", "MYID"));
		expectOk(from, "CLUSTER", "SETSLOT", number, "MIGRATING", answer(to, "CLUSTER", "MYID"));
		int rest = random.nextInt(100);
		for (String key = key(from, number); !key.isEmpty(); key = key(from, number)) {
			expectOk(from, "MIGRATE", to.host(), Integer.toString(to.port()), key, "0", "5000");
			LockSupport.parkNanos(Duration.ofMillis(rest).toNanos());
		}
		String owner = answer(to, "CLUSTER", "MYID");
		expectOk(to, "CLUSTER", "SETSLOT", number, "NODE", owner);
		expectOk(from, "CLUSTER", "SETSLOT", number, "NODE", owner);
		masters.forEach((master) -> expectOk(master, "CLUSTER", "SETSLOT", number, "NODE", owner));
	}

	private static String key(RedisProcess server, String slot) {
		return answer(server, "CLUSTER", "GETKEYSINSLOT", slot, "1").strip();
	}

	private static void expectOk(RedisProcess server, String... command) {
		String answer = answer(server, command);
		if (!answer.equals("OK") && !answer.equals("NOKEY")) {
			throw new IllegalStateException(String.join(" ", command) + ": " + answer);
		}
	}

	private static String answer(RedisProcess server, String... command) {
		return Objects.requireNonNull(server.call(command));
	}

	private static void await(java.util.concurrent.Callable<Boolean> condition) {
		Awaitility.await()
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptions()
			.atMost(PATIENCE)
			.until(condition);
	}

	@Override
	public void drop(TcpProxy proxy) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void jump(Random random) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void goBack() {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
