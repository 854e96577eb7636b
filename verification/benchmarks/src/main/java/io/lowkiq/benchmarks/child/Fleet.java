package io.lowkiq.benchmarks.child;

import java.util.HashSet;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.job.Shard;

/**
 * Many nodes that share many shards: how long it takes until all shards are held, by all
 * nodes evenly, after they have started and after one of them has died, and what the
 * nodes cost Redis while there is nothing to do. The one that dies is the one that lives
 * longest, on which the others rely most.
 */
final class Fleet implements Mode {

	/** Every look goes through all shards of all nodes, and must not cost much itself. */
	private static final long POLL_MILLIS = 500;

	/** How many leases to wait for an even distribution. */
	private static final int PATIENCE = 4;

	@Override
	public void run(Parameters parameters, Output output) {
		int shards = parameters.number("shards", 5_000) * parameters.number("queues", 1);
		Application application = new Application(parameters, (id, payloads) -> {
		});
		long patience = PATIENCE * application.leaseDuration().toNanos();
		long start = System.nanoTime();
		application.start();
		List<LowkiqServer> nodes = application.nodes();
		awaitEven(nodes, shards, start + patience);
		output.seconds("even_after_start_s", start);

		Pause.millis(application.leaseDuration().toMillis() / 3);
		output.mark("silence");
		Pause.millis(parameters.number("seconds", 20) * 1_000L);
		output.mark("silent");

		start = System.nanoTime();
		application.crash(0);
		awaitEven(nodes.subList(1, nodes.size()), shards, start + patience);
		output.seconds("even_after_death_s", start);
	}

	/** A time that exceeds the patience is reported like any other. */
	private static void awaitEven(List<LowkiqServer> nodes, int shards, long deadline) {
		for (List<Set<Shard>> held = held(nodes); !isEven(held, shards); held = held(nodes)) {
			if (System.nanoTime() > deadline) {
				IntSummaryStatistics counts = held.stream().mapToInt(Set::size).summaryStatistics();
				System.out.printf(Locale.ROOT,
						"not distributed evenly in time: %d of %d shards are held, %d to %d by a node%n",
						counts.getSum(), shards, counts.getMin(), counts.getMax());
				return;
			}
			Pause.millis(POLL_MILLIS);
		}
	}

	private static List<Set<Shard>> held(List<LowkiqServer> nodes) {
		return nodes.stream().map(Fleet::held).toList();
	}

	private static Set<Shard> held(LowkiqServer node) {
		return node.status()
			.shards()
			.stream()
			.filter(ServerStatus.ShardStatus::held)
			.map(ServerStatus.ShardStatus::shard)
			.collect(Collectors.toSet());
	}

	/**
	 * Whether each shard is held by one node, and the nodes differ by at most one shard.
	 */
	static boolean isEven(List<Set<Shard>> heldByNode, int shards) {
		int least = shards / heldByNode.size();
		int most = (shards + heldByNode.size() - 1) / heldByNode.size();
		Set<Shard> all = new HashSet<>();
		for (Set<Shard> held : heldByNode) {
			if (held.size() < least || held.size() > most || !held.stream().allMatch(all::add)) {
				return false;
			}
		}
		return all.size() == shards;
	}

}
