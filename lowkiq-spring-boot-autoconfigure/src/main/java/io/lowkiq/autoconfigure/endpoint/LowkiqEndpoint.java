package io.lowkiq.autoconfigure.endpoint;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics;

/**
 * The Actuator endpoint {@code lowkiq}: what this node does, which nodes there are, and
 * what is in the queues. It answers what it can when the store is out of reach.
 */
@Endpoint(id = "lowkiq")
public class LowkiqEndpoint {

	private final Supplier<ServerStatus> status;

	private final QueueStatistics statistics;

	private final InspectableStore store;

	/**
	 * An endpoint.
	 * @param status what the server of this application does
	 * @param statistics the counts of the queues
	 * @param store where the jobs are
	 */
	public LowkiqEndpoint(Supplier<ServerStatus> status, QueueStatistics statistics, InspectableStore store) {
		this.status = status;
		this.statistics = statistics;
		this.store = store;
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
					this.store.nodes().members().members().stream().map(LowkiqDescriptor.Member::of).toList(),
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
		return this.store.queues()
			.find(queue)
			.map((layout) -> new QueueDescriptor(layout.name(), layout.generation(),
					this.store.inspection()
						.counts(layout.allShards())
						.stream()
						.map(QueueDescriptor.Shard::of)
						.toList()))
			.orElse(null);
	}

}
