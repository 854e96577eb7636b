package io.lowkiq.autoconfigure.endpoint;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.StoreException;

/**
 * The Actuator endpoint {@code lowkiq}: what this node does, which nodes there are, and
 * what lies in the queues. It answers what it can when the store is out of reach.
 */
@Endpoint(id = "lowkiq")
public class LowkiqEndpoint {

	private final Supplier<ServerStatus> status;

	private final QueueStatistics statistics;

	private final NodeRegistry nodes;

	private final QueueRegistry queues;

	private final ShardInspection inspection;

	/**
	 * An endpoint.
	 * @param status what the server of this application does
	 * @param statistics the counts of the queues
	 * @param nodes the sessions of the nodes
	 * @param queues the recorded queues
	 * @param inspection counts what lies in a shard
	 */
	public LowkiqEndpoint(Supplier<ServerStatus> status, QueueStatistics statistics, NodeRegistry nodes,
			QueueRegistry queues, ShardInspection inspection) {
		this.status = status;
		this.statistics = statistics;
		this.nodes = nodes;
		this.queues = queues;
		this.inspection = inspection;
	}

	/**
	 * This node, all nodes, and all queues.
	 * @return the description
	 */
	@ReadOperation
	public LowkiqDescriptor lowkiq() {
		LowkiqDescriptor.Node node = LowkiqDescriptor.Node.of(this.status.get());
		try {
			return new LowkiqDescriptor(node,
					this.nodes.members().members().stream().map(LowkiqDescriptor.Member::of).toList(),
					this.statistics.snapshot().queues().stream().map(LowkiqDescriptor.Queue::of).toList(), null);
		}
		catch (StoreException ex) {
			return new LowkiqDescriptor(node, null, null, ex.getMessage());
		}
	}

	/**
	 * One queue with its shards. Reads the store once per shard.
	 * @param queue the queue's name
	 * @return the description; null if the queue is not recorded
	 */
	@ReadOperation
	public @Nullable QueueDescriptor queue(@Selector String queue) {
		return this.queues.find(queue)
			.map((layout) -> new QueueDescriptor(layout.name(), layout.generation(),
					this.inspection.counts(layout.allShards()).stream().map(QueueDescriptor.Shard::of).toList()))
			.orElse(null);
	}

}
