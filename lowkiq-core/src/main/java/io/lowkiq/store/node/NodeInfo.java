package io.lowkiq.store.node;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A node's description of itself.
 *
 * @param startedAt milliseconds since 1970 by the node's clock, for people
 * @param queues whose shards it shares with other nodes; empty while it stops, or if its
 * shards are fixed
 * @param stopping whether the node stops in an orderly way: if its session ends before it
 * has left, that is no crash
 * @param application empty if it has none, or is of an older version
 * @param payloadTypes of the queues that it has workers for; empty while it stops, or if
 * it is of an older version
 */
public record NodeInfo(String node, long startedAt, Duration leaseDuration, Set<String> queues, boolean stopping,
		String application, Map<String, String> payloadTypes, Build build, Set<String> foreignQueues,
		Set<String> sharedQueues) {

	public NodeInfo {
		queues = Set.copyOf(queues);
		payloadTypes = Map.copyOf(payloadTypes);
		foreignQueues = Set.copyOf(foreignQueues);
		sharedQueues = Set.copyOf(sharedQueues);
	}

	/** Creates the description of a node that tells nothing of its application. */
	public NodeInfo(String node, long startedAt, Duration leaseDuration, Set<String> queues, boolean stopping) {
		this(node, startedAt, leaseDuration, queues, stopping, "", Map.of());
	}

	/** Creates the description of a node that doesn't say which version it is. */
	public NodeInfo(String node, long startedAt, Duration leaseDuration, Set<String> queues, boolean stopping,
			String application, Map<String, String> payloadTypes) {
		this(node, startedAt, leaseDuration, queues, stopping, application, payloadTypes, Build.UNKNOWN, Set.of(),
				Set.of());
	}

	/** The use that the node's application makes of a queue. */
	public Optional<QueueUse> use(String queue) {
		return Optional.ofNullable(this.payloadTypes.get(queue)).map((type) -> new QueueUse(this.application, type));
	}

	/** Whether another session says this of the same run of the same node. */
	public boolean isSameProcess(NodeInfo other) {
		return !this.node.isEmpty() && this.node.equals(other.node) && this.startedAt == other.startedAt;
	}

}
