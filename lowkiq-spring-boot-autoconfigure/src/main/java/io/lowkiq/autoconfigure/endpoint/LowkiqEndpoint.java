package io.lowkiq.autoconfigure.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueStatistics;

/**
 * The Actuator endpoint {@code lowkiq}: what this node does, which nodes there are, and
 * what is in the queues. It answers what it can when the store can't be reached. With
 * unrestricted access it changes queues, too.
 */
@Endpoint(id = "lowkiq", defaultAccess = Access.READ_ONLY)
public class LowkiqEndpoint {

	/** No step begins after that. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Supplier<ServerStatus> status;

	private final QueueSwitch queues;

	private final QueueStatistics statistics;

	private final InspectableStore store;

	private final LowkiqAdmin admin;

	/**
	 * Stops and starts queues of this node.
	 */
	@FunctionalInterface
	public interface QueueSwitch {

		/**
		 * Stops a queue, or starts it again.
		 * @throws UnknownQueueException if this node has no worker for the queue
		 */
		boolean stop(String queue, boolean stop, String user);

	}

	/** An endpoint. */
	public LowkiqEndpoint(Supplier<ServerStatus> status, QueueSwitch queues, QueueStatistics statistics,
			InspectableStore store, LowkiqAdmin admin) {
		this.status = status;
		this.queues = queues;
		this.statistics = statistics;
		this.store = store;
		this.admin = admin;
	}

	/** This node, all nodes, and all queues. */
	@ReadOperation
	public LowkiqDescriptor lowkiq() {
		LowkiqDescriptor.Node node = LowkiqDescriptor.Node.of(this.status.get());
		try {
			return new LowkiqDescriptor(node,
					this.store.nodes().members().members().stream().map(LowkiqDescriptor.Member::of).toList(),
					this.statistics.snapshot().queues().stream().map(LowkiqDescriptor.Queue::of).toList(),
					this.admin.schedules(), this.admin.sources(), null);
		}
		catch (StoreException ex) {
			return new LowkiqDescriptor(node, null, null, null, this.admin.sources(), ex.getMessage());
		}
	}

	/**
	 * One queue with its shards. Reads the store once per shard.
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
	 * Changes a queue, or stops and starts it on this node. What takes long ends after
	 * some seconds, and can be asked for again.
	 * @param ids the jobs of the queue that are concerned; by default all. Not for
	 * pausing, resuming, stopping and starting. For actions on schedules, the ids of the
	 * schedules
	 * @throws InvalidEndpointRequestException if the queue is not recorded, or the action
	 * is only for whole queues
	 */
	@WriteOperation
	public QueueActionDescriptor act(SecurityContext caller, @Selector String queue, QueueAction action,
			@Nullable List<String> ids) {
		if (ids != null && (action == QueueAction.PAUSE || action == QueueAction.RESUME || action.isOfNode())) {
			throw new InvalidEndpointRequestException("Only for entire queues",
					"The action %s takes no ids".formatted(action));
		}
		if (action.isOfSchedules() && ids == null) {
			throw new InvalidEndpointRequestException("No schedule is named",
					"The action %s takes the ids of schedules".formatted(action));
		}
		if (ids != null && ids.isEmpty()) {
			return new QueueActionDescriptor(queue, action, 0, false);
		}
		Principal principal = caller.getPrincipal();
		String user = (principal != null) ? principal.getName() : "unknown";
		if (ids != null && action.isOfSchedules()) {
			return act(this.admin.as(user), queue, action, ids);
		}
		if (action.isOfNode()) {
			return stop(queue, action, user);
		}
		long begin = System.nanoTime();
		try {
			ActionResult done = this.admin.as(user)
				.act(queue, action.of(ids == null), (ids != null) ? ids : List.of(),
						(changed, total) -> System.nanoTime() - begin < PATIENCE.toNanos());
			return new QueueActionDescriptor(queue, action, done.changed(), !done.complete());
		}
		catch (UnknownQueueException | InvalidQueueException ex) {
			throw new InvalidEndpointRequestException("Unknown queue",
					"Unknown queue '%s'. It is recorded when its first node starts, or with its first job"
						.formatted(queue));
		}
		catch (InvalidJobException ex) {
			throw new InvalidEndpointRequestException("Invalid job id", ex.getMessage());
		}
	}

	private QueueActionDescriptor stop(String queue, QueueAction action, String user) {
		try {
			boolean changed = this.queues.stop(queue, action == QueueAction.STOP, user);
			return new QueueActionDescriptor(queue, action, changed ? 1 : 0, false);
		}
		catch (UnknownQueueException ex) {
			throw new InvalidEndpointRequestException("Unknown queue", ex.getMessage());
		}
	}

	private static QueueActionDescriptor act(LowkiqAdmin admin, String queue, QueueAction action,
			List<String> schedules) {
		try {
			for (String schedule : schedules) {
				switch (action) {
					case RUN_SCHEDULE -> admin.runSchedule(queue, schedule);
					case PAUSE_SCHEDULE -> admin.pauseSchedule(queue, schedule);
					default -> admin.resumeSchedule(queue, schedule);
				}
			}
			return new QueueActionDescriptor(queue, action, schedules.size(), false);
		}
		catch (IllegalArgumentException | IllegalStateException | InvalidJobException | InvalidQueueException ex) {
			throw new InvalidEndpointRequestException("Invalid schedule", ex.getMessage());
		}
	}

}
