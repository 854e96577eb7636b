package io.lowkiq.autoconfigure.endpoint;

import java.util.List;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardActions.Step;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * What an operator may do to a queue by the endpoint {@code lowkiq}. Thread-safe.
 */
final class EndpointActions {

	/** As many jobs as one call of the store changes. */
	private static final int STEP = 1_000;

	/** As many jobs as one request changes, so that it ends within seconds. */
	private static final int MOST = 20_000;

	private final InspectableStore store;

	EndpointActions(InspectableStore store) {
		this.store = store;
	}

	/**
	 * Acts on all jobs of a queue.
	 * @param queue the queue
	 * @param action what to do
	 * @return what was done
	 */
	ActionDescriptor onAll(QueueLayout queue, LowkiqEndpoint.Action action) {
		int changed = 0;
		for (ShardCounts counts : this.store.inspection().counts(queue.allShards())) {
			Step step;
			do {
				step = onShard(counts, action);
				changed += step.changed();
				if (step.more() && changed >= MOST) {
					return new ActionDescriptor(changed, true);
				}
			}
			while (step.more());
		}
		return new ActionDescriptor(changed, false);
	}

	private Step onShard(ShardCounts counts, LowkiqEndpoint.Action action) {
		ShardActions actions = this.store.actions();
		return switch (action) {
			case PAUSE, RESUME -> {
				actions.pause(counts.shard(), action == LowkiqEndpoint.Action.PAUSE);
				yield new Step(1, false);
			}
			case PERFORM_NOW -> actions.performAllNow(counts.shard(), STEP);
			// Nothing that dies after this request has begun
			case RE_ENQUEUE -> actions.reEnqueueAll(counts.shard(), STEP, counts.now() + 1);
		};
	}

	/**
	 * Acts on one job.
	 * @param queue the queue
	 * @param id the job's id
	 * @param action what to do
	 * @return what was done
	 * @throws InvalidEndpointRequestException if it can only be done to a queue
	 */
	ActionDescriptor onJob(QueueLayout queue, String id, LowkiqEndpoint.Action action) {
		Shard shard = queue.shard(queue.shardIndexOf(id));
		Step step = switch (action) {
			case PERFORM_NOW -> this.store.actions().performNow(shard, List.of(id));
			case RE_ENQUEUE -> this.store.actions().reEnqueue(shard, List.of(id));
			case PAUSE, RESUME -> throw new InvalidEndpointRequestException(
					"Only a queue can be paused or resumed, not the job '%s'".formatted(id), "Leave out the id");
		};
		return new ActionDescriptor(step.changed(), step.more());
	}

}
