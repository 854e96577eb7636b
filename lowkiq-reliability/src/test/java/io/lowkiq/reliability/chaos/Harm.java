package io.lowkiq.reliability.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.lowkiq.reliability.history.FaultKind;
import org.jspecify.annotations.Nullable;

/**
 * Does a fleet harm, one fault after the other, as a seed says. Between two faults it
 * sometimes waits long enough for the recovery to be measured. Not thread-safe.
 */
final class Harm {

	private static final int MOST_NODES = 6;

	/** After how many rounds of faults the number of nodes goes up and down. */
	private static final int ROUNDS = 3;

	private static final List<FaultKind> KINDS = List.of(FaultKind.KILL, FaultKind.KILL, FaultKind.STOP,
			FaultKind.TERMINATE, FaultKind.TERMINATE, FaultKind.HANG, FaultKind.CUT, FaultKind.LATENCY,
			FaultKind.CLIENT_KILL, FaultKind.CLIENT_PAUSE, FaultKind.RESTART, FaultKind.SCRIPT_FLUSH);

	private final Fleet fleet;

	private final Random random;

	private int next;

	private int rounds;

	private List<FaultKind> round = List.of();

	Harm(Fleet fleet, long seed) {
		this.fleet = fleet;
		this.random = new Random(seed);
	}

	/** Does harm until a time, and keeps at least two nodes. */
	void until(long deadline) {
		while (System.nanoTime() < deadline) {
			doHarm(nextKind());
			this.fleet.reap();
			keepTwoNodes();
			pause(200 + this.random.nextInt(600));
		}
	}

	private void keepTwoNodes() {
		while (this.fleet.nodes().size() < 2) {
			this.fleet.startNodes(1);
		}
	}

	/** All kinds in turn, each round in another order, so that a short run has all. */
	private FaultKind nextKind() {
		if (this.next == this.round.size()) {
			if (++this.rounds % ROUNDS == 0) {
				scale();
			}
			this.round = new ArrayList<>(KINDS);
			Collections.shuffle(this.round, this.random);
			this.next = 0;
		}
		return this.round.get(this.next++);
	}

	/** To the most nodes, to one, and back to two. */
	private void scale() {
		this.fleet.startNodes(MOST_NODES - this.fleet.nodes().size());
		while (this.fleet.nodes().size() > 1) {
			this.fleet.terminate(this.fleet.nodes().get(0));
		}
		keepTwoNodes();
	}

	private void doHarm(FaultKind kind) {
		List<ProgramProcess> nodes = this.fleet.nodes();
		ProgramProcess node = nodes.get(this.random.nextInt(nodes.size()));
		int lease = (int) Fleet.LEASE.toMillis();
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
			case HANG -> during(kind, node, this.fleet.proxy(node)::hang, this.fleet.proxy(node)::heal,
					300 + this.random.nextInt(lease + 1_000));
			case CUT -> during(kind, node, this.fleet.proxy(node)::cut, this.fleet.proxy(node)::heal,
					100 + this.random.nextInt(lease + 1_000));
			case LATENCY -> during(kind, node, () -> this.fleet.proxy(node).delay(20 + this.random.nextInt(60)),
					this.fleet.proxy(node)::heal, 500 + this.random.nextInt(1_500));
			case CLIENT_KILL -> during(kind, null, () -> {
				this.fleet.redis().call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
				this.fleet.redis().call("CLIENT", "KILL", "TYPE", "pubsub");
			}, () -> {
			}, 0);
			case CLIENT_PAUSE -> {
				int millis = 200 + this.random.nextInt(2_000);
				during(kind, null, () -> this.fleet.redis().call("CLIENT", "PAUSE", Integer.toString(millis)), () -> {
				}, millis);
			}
			case RESTART ->
				during(kind, null, this.fleet.redis()::kill, this.fleet.redis()::restart, this.random.nextInt(1_500));
			default -> during(kind, null, () -> this.fleet.redis().call("SCRIPT", "FLUSH"), () -> {
			}, 0);
		}
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
		if (nodes <= 2 || (one && nodes < MOST_NODES)) {
			this.fleet.startNodes(1);
		}
	}

	private void settle() {
		if (this.random.nextBoolean()) {
			pause((int) Fleet.LEASE.toMillis() + 700);
		}
	}

	private static void pause(int millis) {
		long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
		for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
