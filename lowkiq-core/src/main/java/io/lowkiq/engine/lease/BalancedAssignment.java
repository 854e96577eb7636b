package io.lowkiq.engine.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;

/**
 * Shares the shards of each queue among the nodes that serve it: evenly within one, and
 * moving no more than that takes.
 */
final class BalancedAssignment {

	private final List<Node> nodes;

	private final Map<Shard, String> current;

	private final Map<String, Integer> totals = new HashMap<>();

	/** A node that takes part. */
	record Node(String session, Set<String> queues) {
	}

	private BalancedAssignment(List<Node> nodes, Map<Shard, String> current) {
		this.nodes = nodes;
		this.current = current;
	}

	static Map<Shard, String> assign(Collection<QueueLayout> queues, List<Node> nodes, Map<Shard, String> current) {
		return new BalancedAssignment(nodes, current).assign(queues);
	}

	private Map<Shard, String> assign(Collection<QueueLayout> queues) {
		List<QueueLayout> ordered = queues.stream().sorted(Comparator.comparing(QueueLayout::name)).toList();
		for (QueueLayout queue : ordered) {
			List<Node> serving = serving(queue);
			for (Node node : serving) {
				this.totals.merge(node.session(), queue.shards() / serving.size(), Integer::sum);
			}
		}
		Map<Shard, String> result = new LinkedHashMap<>();
		for (QueueLayout queue : ordered) {
			List<Node> serving = serving(queue);
			if (!serving.isEmpty()) {
				deal(queue, quotas(queue, serving), result);
			}
		}
		return result;
	}

	private List<Node> serving(QueueLayout queue) {
		return this.nodes.stream().filter((node) -> node.queues().contains(queue.name())).toList();
	}

	private Map<String, Integer> quotas(QueueLayout queue, List<Node> serving) {
		int even = queue.shards() / serving.size();
		int odd = queue.shards() % serving.size();
		Map<String, Integer> held = new HashMap<>();
		for (Shard shard : queue.allShards()) {
			String owner = this.current.get(shard);
			if (owner != null) {
				held.merge(owner, 1, Integer::sum);
			}
		}
		int fewest = serving.stream().mapToInt((node) -> total(node.session())).min().orElse(0);
		List<String> order = new ArrayList<>(serving.stream().map(Node::session).toList());
		order.sort(Comparator
			.comparingInt(
					(String session) -> (held.getOrDefault(session, 0) > even && total(session) <= fewest + 1) ? 0 : 1)
			.thenComparingInt(this::total));
		Map<String, Integer> quotas = new LinkedHashMap<>();
		serving.forEach((node) -> quotas.put(node.session(), even));
		for (String session : order.subList(0, odd)) {
			quotas.put(session, even + 1);
			this.totals.merge(session, 1, Integer::sum);
		}
		return quotas;
	}

	private int total(String session) {
		return this.totals.getOrDefault(session, 0);
	}

	/** Lets every node keep what it has up to its quota, and deals out the rest. */
	private void deal(QueueLayout queue, Map<String, Integer> quotas, Map<Shard, String> result) {
		Deque<Shard> open = new ArrayDeque<>();
		for (Shard shard : queue.allShards()) {
			String owner = this.current.get(shard);
			int left = (owner != null) ? quotas.getOrDefault(owner, 0) : 0;
			if (owner != null && left > 0) {
				quotas.put(owner, left - 1);
				result.put(shard, owner);
			}
			else {
				open.add(shard);
			}
		}
		quotas.forEach((session, left) -> {
			for (int i = 0; i < left; i++) {
				result.put(open.remove(), session);
			}
		});
	}

}
