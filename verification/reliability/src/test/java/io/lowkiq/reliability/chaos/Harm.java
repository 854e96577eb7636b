package io.lowkiq.reliability.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Does a fleet harm, one fault after the other, as a seed says. Between two faults it
 * sometimes waits long enough for the recovery to be measured. Not thread-safe.
 */
final class Harm {

	private static final int MAX_NODES = Integer.getInteger("chaos.nodes", 6);

	/** How many threads a node may have. */
	private static final List<Integer> THREADS = Arrays
		.stream(System.getProperty("chaos.threads", "5,20,50").split(","))
		.map(Integer::valueOf)
		.toList();

	/** The kinds that come in each round; empty for all that are possible. */
	private static final String FAULTS = System.getProperty("chaos.faults", "");

	/** After how many rounds of faults the number of nodes goes up and down. */
	private static final int ROUNDS = 3;

	/**
	 * How long a node may take for a new connection. A busy machine may stop it for
	 * seconds; without the check for dead connections, it takes a quarter of an hour.
	 */
	private static final Duration RECONNECT = Duration.ofSeconds(60);

	/** How many milliseconds a node compares a new connection with the old one. */
	private static final int CHECK = 2_000;

	/**
	 * How many milliseconds no fault comes after a jump with a backlog, so that delays
	 * can be judged that begin after it.
	 */
	private static final int UNDISTURBED = 3_500;

	/** What comes twice in a round. */
	private static final Set<FaultKind> OFTEN = EnumSet.of(FaultKind.KILL, FaultKind.TERMINATE, FaultKind.MOVE);

	private final Fleet fleet;

	private final Random random;

	private final List<FaultKind> kinds = new ArrayList<>();

	private int next;

	private int rounds;

	private List<FaultKind> round = List.of();

	Harm(Fleet fleet, long seed) {
		this.fleet = fleet;
		this.random = new Random(seed);
		for (FaultKind kind : fleet.servers().kinds()) {
			if (FAULTS.isEmpty() || List.of(FAULTS.split(",")).contains(kind.name())) {
				this.kinds.addAll(Collections.nCopies(OFTEN.contains(kind) ? 2 : 1, kind));
			}
		}
	}

	/** Does harm until a time, and keeps at least two nodes. */
	void until(long deadline) {
		keepTwoNodes();
		while (System.nanoTime() < deadline) {
			doHarm(nextKind());
			this.fleet.reap();
			keepTwoNodes();
			pause(200 + this.random.nextInt(600));
		}
	}

	private void keepTwoNodes() {
		while (this.fleet.nodes().size() < Math.min(2, MAX_NODES)) {
			startNodes(1);
		}
	}

	private void startNodes(int count) {
		this.fleet.startNodes(count, THREADS.get(this.random.nextInt(THREADS.size())));
	}

	/** All kinds, each round in another order, so that a short run has all. */
	private FaultKind nextKind() {
		if (this.next == this.round.size()) {
			if (++this.rounds % ROUNDS == 0) {
				scale();
			}
			this.round = new ArrayList<>(this.kinds);
			Collections.shuffle(this.round, this.random);
			this.next = 0;
		}
		return this.round.get(this.next++);
	}

	/** To the most nodes, to one, and back to two. */
	private void scale() {
		startNodes(Math.max(0, MAX_NODES - this.fleet.nodes().size()));
		while (this.fleet.nodes().size() > 1) {
			this.fleet.terminate(this.fleet.nodes().get(0));
		}
		keepTwoNodes();
	}

	private void doHarm(FaultKind kind) {
		List<ProgramProcess> nodes = this.fleet.nodes();
		ProgramProcess node = nodes.get(this.random.nextInt(nodes.size()));
		int lease = (int) this.fleet.lease().toMillis();
		Servers servers = this.fleet.servers();
		List<RedisProcess> masters = servers.masters();
		RedisProcess master = masters.get(this.random.nextInt(masters.size()));
		switch (kind) {
			case KILL -> {
				replace(this.random.nextBoolean());
				this.fleet.kill(node);
				settle();
			}
			case TERMINATE -> {
				replace(this.random.nextInt(3) != 0);
				this.fleet.terminate(node);
			}
			case STOP -> {
				during(kind, node, node::freeze, node::thaw, lease + 500 + this.random.nextInt(1_500));
				settle();
			}
			case HANG, CUT, LATENCY, LOST_ANSWERS, SWALLOW, DROP -> harmNetwork(kind, node, lease);
			case CLIENT_KILL -> during(kind, null, () -> masters.forEach((each) -> {
				each.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
				each.call("CLIENT", "KILL", "TYPE", "pubsub");
			}), () -> {
			}, 0);
			case CLIENT_PAUSE -> {
				int millis = 200 + this.random.nextInt(2_000);
				during(kind, null, () -> master.call("CLIENT", "PAUSE", Integer.toString(millis)), () -> {
				}, millis);
			}
			case OUTAGE -> {
				int millis = lease + 500 + this.random.nextInt(1_500);
				during(kind, null,
						() -> masters.forEach((each) -> each.call("CLIENT", "PAUSE", Integer.toString(millis))), () -> {
						}, millis);
			}
			case RESTART -> during(kind, null, master::kill, master::restart, this.random.nextInt(1_500));
			case SCRIPT_FLUSH ->
				during(kind, null, () -> masters.forEach((each) -> each.call("SCRIPT", "FLUSH")), () -> {
				}, 0);
			case FULL -> during(kind, null, () -> master.call("CONFIG", "SET", "maxmemory", "1"),
					() -> master.call("CONFIG", "SET", "maxmemory", "0"), 500 + this.random.nextInt(3_000));
			case CLOCK -> during(kind, null, () -> servers.jump(this.random), () -> {
			}, 0);
			case BACKLOG -> {
				this.fleet.startBacklog();
				during(kind, null, servers::goBack, () -> {
				}, 0);
				pause(UNDISTURBED);
			}
			case FAILOVER -> {
				during(kind, null, () -> servers.failOver(this.random), () -> {
				}, 0);
				settle();
			}
			case MOVE -> during(kind, null, () -> servers.move(this.random), () -> {
			}, 0);
			default -> throw new IllegalStateException(kind + " can't be done");
		}
	}

	private void harmNetwork(FaultKind kind, ProgramProcess node, int lease) {
		TcpProxy proxy = this.fleet.servers().proxy(node.name());
		if (proxy == null) {
			throw new IllegalStateException(kind + " needs a proxy");
		}
		switch (kind) {
			case HANG -> during(kind, node, proxy::hang, proxy::heal, 300 + this.random.nextInt(lease + 1_000));
			case CUT -> during(kind, node, proxy::cut, proxy::heal, 100 + this.random.nextInt(lease + 1_000));
			case LATENCY -> during(kind, node, () -> proxy.delay(20 + this.random.nextInt(60)), proxy::heal,
					500 + this.random.nextInt(1_500));
			case SWALLOW, DROP -> {
				int before = proxy.accepted();
				Runnable begin = (kind == FaultKind.DROP) ? () -> this.fleet.servers().drop(proxy) : proxy::swallow;
				during(kind, node, begin, () -> awaitConnection(proxy, before), 0);
			}
			default -> during(kind, node, proxy::loseAnswers, proxy::heal, 20 + this.random.nextInt(1_000));
		}
	}

	/** Until the node has given up its dead connection, for a new one. */
	private static void awaitConnection(TcpProxy proxy, int before) {
		Awaitility.await()
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(50))
			.atMost(RECONNECT)
			.until(() -> proxy.accepted() > before);
		pause(CHECK);
	}

	private void during(FaultKind kind, @Nullable ProgramProcess node, Runnable begin, Runnable end, int millis) {
		long fault = this.fleet.begin(kind, (node != null) ? node.name() : "*");
		begin.run();
		pause(millis);
		end.run();
		this.fleet.over(fault);
	}

	/** Starts a node for one that goes; now and then the number of nodes changes. */
	private void replace(boolean one) {
		int nodes = this.fleet.nodes().size();
		if (nodes <= 2 || (one && nodes < MAX_NODES)) {
			startNodes(1);
		}
	}

	private void settle() {
		if (this.random.nextBoolean()) {
			pause((int) this.fleet.lease().toMillis() + 700);
		}
	}

	private static void pause(int millis) {
		long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
		for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
