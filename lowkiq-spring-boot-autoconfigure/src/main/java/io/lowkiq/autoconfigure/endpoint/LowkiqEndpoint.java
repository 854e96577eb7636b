package io.lowkiq.autoconfigure.endpoint;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics;

/**
 * The Actuator endpoint {@code lowkiq}: what this node does, which nodes there are, and
 * what is in the queues. It answers what it can when the store is out of reach. With
 * {@code management.endpoint.lowkiq.access=unrestricted}, it also acts on queues and
 * jobs. Thread-safe.
 */
@Endpoint(id = "lowkiq", defaultAccess = Access.READ_ONLY)
public class LowkiqEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(LowkiqEndpoint.class);

	private final Supplier<ServerStatus> status;

	private final QueueStatistics statistics;

	private final InspectableStore store;

	private final EndpointActions actions;

	/**
	 * What an operator may do to a queue or a job.
	 */
	public enum Action {

		/** No job of the queue begins until it is resumed; what is busy is finished. */
		PAUSE,

		/** Jobs of the queue begin again. */
		RESUME,

		/** Delayed jobs become due; so do jobs that wait for a retry. */
		PERFORM_NOW,

		/** Dead jobs are enqueued again. */
		RE_ENQUEUE

	}

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
		this.actions = new EndpointActions(store);
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

	/**
	 * Acts on a queue or on one of its jobs. One request changes 20,000 jobs or a few
	 * more at the most, and can be repeated.
	 * @param queue the queue's name
	 * @param action what to do
	 * @param id the id of the job; null for all jobs of the queue
	 * @return what was done
	 * @throws InvalidEndpointRequestException if the queue is not recorded, or the action
	 * can only be done to a queue
	 */
	@WriteOperation
	public ActionDescriptor act(@Selector String queue, Action action, @Nullable String id) {
		QueueLayout layout = this.store.queues()
			.find(queue)
			.orElseThrow(() -> new InvalidEndpointRequestException("There is no queue '%s'".formatted(queue),
					"There is no such queue"));
		ActionDescriptor done = (id != null) ? this.actions.onJob(layout, id, action)
				: this.actions.onAll(layout, action);
		logger.info("Action {} of the endpoint on {} of queue '{}': {} changed", action,
				(id != null) ? "a job" : "all jobs", layout.name(), done.changed());
		return done;
	}

}
