package io.lowkiq.autoconfigure.endpoint;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.LogText;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.store.inspection.ShardActions;

/**
 * The Actuator endpoint {@code lowkiq}: what this node does, which nodes there are, and
 * what is in the queues. It answers what it can when the store can't be reached. With
 * unrestricted access it changes queues, too.
 */
@Endpoint(id = "lowkiq", defaultAccess = Access.READ_ONLY)
public class LowkiqEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(LowkiqEndpoint.class);

	/** The most jobs that one step changes. */
	private static final int STEP = 1_000;

	/** No step begins after that. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

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

	/**
	 * Changes a queue. What takes long ends after some seconds, and can be asked for
	 * again.
	 * @param queue the queue's name
	 * @param action what to do
	 * @param ids the jobs of the queue that are concerned; by default all. Not for
	 * pausing and resuming
	 * @return what was done
	 * @throws InvalidEndpointRequestException if the queue is not recorded, or the action
	 * is only for whole queues
	 */
	@WriteOperation
	public QueueActionDescriptor act(@Selector String queue, QueueAction action, @Nullable List<String> ids) {
		if (ids != null && (action == QueueAction.PAUSE || action == QueueAction.RESUME)) {
			throw new InvalidEndpointRequestException("Only entire queues can be paused",
					"The action %s takes no ids".formatted(action));
		}
		QueueLayout layout = this.store.queues()
			.find(queue)
			.orElseThrow(() -> new InvalidEndpointRequestException("Unknown queue", "Unknown queue"));
		QueueActionDescriptor done = switch (action) {
			case PAUSE -> pause(layout, action, true);
			case RESUME -> pause(layout, action, false);
			case PERFORM_NOW, RE_ENQUEUE -> (ids != null) ? act(layout, action, ids) : actOnAll(layout, action);
		};
		logger.info("Actuator endpoint: {} of queue '{}'{} changed {}{}", action, layout.name(),
				(ids != null) ? ", ids " + LogText.of(ids) : "", done.changed(), done.more() ? ", and more to do" : "");
		return done;
	}

	private QueueActionDescriptor pause(QueueLayout queue, QueueAction action, boolean paused) {
		queue.allShards().forEach((shard) -> this.store.actions().pause(shard, paused));
		return new QueueActionDescriptor(queue.name(), action, queue.shards(), false);
	}

	private QueueActionDescriptor act(QueueLayout queue, QueueAction action, List<String> ids) {
		Map<Shard, List<String>> byShard = new LinkedHashMap<>();
		for (String id : ids) {
			byShard.computeIfAbsent(queue.shard(queue.shardIndexOf(checked(id))), (shard) -> new ArrayList<>()).add(id);
		}
		long changed = 0;
		for (Map.Entry<Shard, List<String>> some : byShard.entrySet()) {
			ShardActions.Step step = (action == QueueAction.PERFORM_NOW)
					? this.store.actions().performNow(some.getKey(), some.getValue())
					: this.store.actions().reEnqueue(some.getKey(), some.getValue());
			changed += step.changed();
		}
		return new QueueActionDescriptor(queue.name(), action, changed, false);
	}

	private static String checked(String id) {
		try {
			return Ids.check(id);
		}
		catch (InvalidJobException ex) {
			throw new InvalidEndpointRequestException("Invalid job id", ex.getMessage());
		}
	}

	private QueueActionDescriptor actOnAll(QueueLayout queue, QueueAction action) {
		long begin = System.nanoTime();
		long changed = 0;
		for (Shard shard : queue.allShards()) {
			// What dies meanwhile is not chased
			long before = this.store.inspection().counts(shard).now() + 1;
			ShardActions.Step step;
			do {
				if (System.nanoTime() - begin > PATIENCE.toNanos()) {
					return new QueueActionDescriptor(queue.name(), action, changed, true);
				}
				step = (action == QueueAction.PERFORM_NOW) ? this.store.actions().performAllNow(shard, STEP)
						: this.store.actions().reEnqueueAll(shard, STEP, before);
				changed += step.changed();
			}
			while (step.more());
		}
		return new QueueActionDescriptor(queue.name(), action, changed, false);
	}

}
