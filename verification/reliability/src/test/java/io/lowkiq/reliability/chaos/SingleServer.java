package io.lowkiq.reliability.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis with or without a replica. All programs reach it through proxies, which lead to
 * the replica once that has taken over.
 */
final class SingleServer implements Servers {

	/** What is acknowledged is on disk: a restart may lose nothing. */
	private static final String[] ARGUMENTS = { "--appendonly", "yes", "--appendfsync", "always",
			"--repl-diskless-sync-delay", "0" };

	private static final Duration SYNC = Duration.ofSeconds(60);

	private static final Duration[] OFFSETS = { Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(-5),
			Duration.ofMillis(900), Duration.ofMillis(-900) };

	private static final Duration BACK = Duration.ofSeconds(5);

	private final Map<RedisProcess, FakeClock> clocks = new HashMap<>();

	private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();

	private final TcpProxy others;

	/** Between the nodes and their proxies; null if they are on this machine's own. */
	private final @Nullable RoutedNetwork network;

	private RedisProcess master;

	private @Nullable RedisProcess replica;

	/** Starts the servers. */
	SingleServer(Path directory, boolean withReplica, boolean routed) {
		this.network = routed ? new RoutedNetwork() : null;
		this.master = start(directory, "first");
		this.others = new TcpProxy(this.master.port());
		if (withReplica) {
			RedisProcess second = start(directory, "second");
			clock(second).offset(Duration.ofSeconds(5));
			second.call("REPLICAOF", this.master.host(), Integer.toString(this.master.port()));
			this.replica = second;
			awaitSync(second);
		}
	}

	private RedisProcess start(Path directory, String name) {
		FakeClock clock = new FakeClock(directory, name);
		if (!clock.works()) {
			System.out.println("No jumps of Redis' clock: they need Linux and a C compiler, cc");
		}
		RedisProcess server = TestRedis.startPrivate(clock.environment(), ARGUMENTS);
		this.clocks.put(server, clock);
		return server;
	}

	private FakeClock clock(RedisProcess server) {
		return Objects.requireNonNull(this.clocks.get(server));
	}

	private static void awaitSync(RedisProcess replica) {
		Awaitility.await()
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(50))
			.atMost(SYNC)
			.until(() -> Objects.requireNonNullElse(replica.call("INFO", "replication"), "")
				.contains("master_link_status:up"));
	}

	@Override
	public String addressFor(String node) {
		String host = (this.network != null) ? RoutedNetwork.HOST : "127.0.0.1";
		return host + ":" + this.proxies.computeIfAbsent(node, (name) -> new TcpProxy(host, this.master.port())).port();
	}

	@Override
	public List<String> enterNetwork() {
		return (this.network != null) ? this.network.enter() : List.of();
	}

	@Override
	public String address() {
		return "127.0.0.1:" + this.others.port();
	}

	@Override
	public @Nullable TcpProxy proxy(String node) {
		return this.proxies.get(node);
	}

	@Override
	public void ended(String node) {
		TcpProxy proxy = this.proxies.remove(node);
		if (proxy != null) {
			proxy.close();
		}
	}

	@Override
	public int replicas() {
		return (this.replica != null) ? 1 : 0;
	}

	@Override
	public List<RedisProcess> masters() {
		return List.of(this.master);
	}

	@Override
	public LettuceConnectionFactory connect() {
		return TestRedis.connectionFactory(this.master.url());
	}

	@Override
	public Set<FaultKind> kinds() {
		Set<FaultKind> kinds = EnumSet.complementOf(EnumSet.of(FaultKind.POISON, FaultKind.STALL, FaultKind.REPEATED,
				FaultKind.LAST_CALL, FaultKind.MOVE, FaultKind.EMPTY));
		if (this.replica == null) {
			kinds.remove(FaultKind.FAILOVER);
		}
		if (!clock(this.master).works()) {
			kinds.removeAll(Set.of(FaultKind.CLOCK, FaultKind.BACKLOG));
		}
		if (this.network == null) {
			kinds.remove(FaultKind.DROP);
		}
		return kinds;
	}

	/**
	 * The master dies, the replica takes over, and the old master becomes its replica.
	 */
	@Override
	public void failOver(Random random) {
		RedisProcess old = this.master;
		RedisProcess promoted = Objects.requireNonNull(this.replica);
		old.kill();
		promoted.call("REPLICAOF", "NO", "ONE");
		promoted.call("CONFIG", "SET", "maxmemory", "0");
		this.master = promoted;
		this.replica = old;
		this.others.target(promoted.port());
		this.proxies.values().forEach((proxy) -> proxy.target(promoted.port()));
		old.restartAsReplicaOf(promoted);
		clock(old).offset(OFFSETS[random.nextInt(OFFSETS.length)]);
		awaitSync(old);
	}

	@Override
	public void move(Random random) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void drop(TcpProxy proxy) {
		Objects.requireNonNull(this.network).drop(proxy.clientPorts(), proxy.port());
	}

	@Override
	public void jump(Random random) {
		clock(this.master).offset(OFFSETS[random.nextInt(OFFSETS.length)]);
	}

	@Override
	public void goBack() {
		clock(this.master).goBack(BACK);
	}

	@Override
	public void close() {
		this.others.close();
		this.proxies.values().forEach(TcpProxy::close);
		this.clocks.keySet().forEach(RedisProcess::close);
		if (this.network != null) {
			this.network.close();
		}
	}

}
