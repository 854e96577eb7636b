package io.lowkiq.admin;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;

/**
 * Finds queues that are recorded, but that no node serves: their shards have no owner,
 * and their jobs wait. Thread-safe.
 */
public final class UnservedQueues {

	private final RedisStore store;

	/**
	 * Looks into a store.
	 * @param store the store
	 */
	public UnservedQueues(RedisStore store) {
		this.store = store;
	}

	/**
	 * Looks which queues no node serves. While no node runs, or one is stopping or
	 * doesn't say what it serves because its shards are fixed, nothing is certain.
	 * @return the names of the queues; empty if it isn't certain
	 * @throws io.lowkiq.StoreException if the store can't be reached
	 */
	public List<String> find() {
		List<NodeInfo> nodes = this.store.livingNodes().look().living().stream().map(Member::info).toList();
		if (nodes.isEmpty() || nodes.stream().anyMatch((node) -> node.queues().isEmpty())) {
			return List.of();
		}
		Set<String> served = nodes.stream().flatMap((node) -> node.queues().stream()).collect(Collectors.toSet());
		return this.store.queues()
			.all()
			.stream()
			.map(QueueLayout::name)
			.filter((queue) -> !served.contains(queue))
			.toList();
	}

}
