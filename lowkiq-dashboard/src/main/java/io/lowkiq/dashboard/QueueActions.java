package io.lowkiq.dashboard;

import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LogText;
import io.lowkiq.dashboard.ActionStatus.State;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardActions.Step;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.StoreException;

/**
 * Does to whole queues what people ask for: shard by shard, in steps, one run of an
 * action and queue at a time over all nodes. Thread-safe.
 */
final class QueueActions {

	/** The most jobs that one step changes. */
	static final int STEP = 1_000;

	private static final Logger logger = LoggerFactory.getLogger(QueueActions.class);

	private final ShardActions actions;

	private final ShardInspection inspection;

	private final ActionBoard board;

	private final Executor executor;

	private final InstantSource clock;

	private final Runnable afterwards;

	QueueActions(ShardActions actions, ShardInspection inspection, ActionBoard board, Executor executor,
			InstantSource clock, Runnable afterwards) {
		this.actions = actions;
		this.inspection = inspection;
		this.board = board;
		this.executor = executor;
		this.clock = clock;
		this.afterwards = afterwards;
	}

	/**
	 * Starts an action, or finds the same one running.
	 * @param queue the queue
	 * @param action what to do
	 * @param ids the jobs, if the action is a named one
	 * @param user who asks
	 * @param patience how many milliseconds to wait for a short action to end
	 * @return how far it is
	 */
	ActionStatus start(QueueLayout queue, QueueAction action, Collection<String> ids, String user, long patience) {
		String run = UUID.randomUUID().toString();
		ActionStatus fresh = new ActionStatus(run, queue.name(), action.label(), user, State.RUNNING,
				this.clock.millis(), 0, 0, ids.size(), null);
		// Named actions are short and concern different jobs: they don't exclude each
		// other
		if (action.isNamed()) {
			this.board.update(fresh);
		}
		else {
			ActionStatus begun = this.board.begin(fresh);
			if (!begun.run().equals(run)) {
				return begun;
			}
		}
		CompletableFuture<ActionStatus> end = CompletableFuture
			.supplyAsync(() -> new Run(queue, action, List.copyOf(ids), fresh).perform(), this.executor);
		try {
			return end.get(patience, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			return this.board.find(run).orElse(fresh);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return fresh;
		}
	}

	Optional<ActionStatus> find(String run) {
		return this.board.find(run);
	}

	void cancel(String run) {
		this.board.cancel(run);
	}

	/**
	 * One run of an action, used by one thread.
	 */
	private final class Run {

		private final QueueLayout queue;

		private final QueueAction action;

		private final List<String> ids;

		private ActionStatus status;

		private boolean cancelled;

		Run(QueueLayout queue, QueueAction action, List<String> ids, ActionStatus status) {
			this.queue = queue;
			this.action = action;
			this.ids = ids;
			this.status = status;
		}

		ActionStatus perform() {
			ActionStatus end;
			try {
				if (this.action.isNamed()) {
					named();
				}
				else {
					wholeQueue();
				}
				String summary = this.action.summary(this.queue.name(), this.status.changed());
				end = ended(this.cancelled ? State.CANCELLED : State.DONE,
						this.cancelled ? "Stopped. " + summary : summary);
			}
			catch (StoreException ex) {
				logger.warn("Action {} on queue '{}' failed", this.action.label(), this.queue.name(), ex);
				end = ended(State.FAILED, "The store could not be reached after "
						+ this.action.summary(this.queue.name(), this.status.changed()) + " Run it again to continue.");
			}
			catch (RuntimeException ex) {
				logger.error("Action {} on queue '{}' failed", this.action.label(), this.queue.name(), ex);
				end = ended(State.FAILED, "It failed; see the log of the application.");
			}
			logger.info("User '{}' did {} on queue '{}'{}: {}", LogText.of(this.status.user()), this.action.label(),
					this.queue.name(), this.ids.isEmpty() ? "" : ", ids " + LogText.of(this.ids), end.message());
			QueueActions.this.afterwards.run();
			QueueActions.this.board.end(end);
			return end;
		}

		private ActionStatus ended(State state, String message) {
			return this.status.ended(state, QueueActions.this.clock.millis(), message);
		}

		private void named() {
			Map<Shard, List<String>> byShard = this.ids.stream()
				.collect(Collectors.groupingBy(this.queue::shardOf, LinkedHashMap::new, Collectors.toList()));
			byShard.forEach((shard, some) -> changed(step(shard, some).changed()));
		}

		private Step step(Shard shard, List<String> some) {
			ShardActions shards = QueueActions.this.actions;
			return switch (this.action) {
				case PERFORM_NOW -> shards.performNow(shard, some);
				case RELEASE -> shards.release(shard, some);
				case KILL -> shards.kill(shard, some);
				case DELETE -> shards.delete(shard, some);
				case RE_ENQUEUE -> shards.reEnqueue(shard, some);
				case DELETE_DEAD -> shards.deleteDead(shard, some);
				default -> throw new IllegalStateException(this.action + " has no ids");
			};
		}

		private void wholeQueue() {
			if (this.action.isSwitch()) {
				this.status = this.status.sized(this.queue.shards());
				for (Shard shard : this.queue.allShards()) {
					QueueActions.this.actions.pause(shard, this.action == QueueAction.PAUSE);
					changed(1);
				}
				return;
			}
			List<ShardCounts> counts = QueueActions.this.inspection.counts(this.queue.allShards());
			this.status = this.status.sized(counts.stream().mapToLong(this::most).sum());
			for (ShardCounts shard : counts) {
				if (most(shard) > 0 && !this.cancelled) {
					wholeShard(shard);
				}
			}
		}

		/**
		 * Works on what was there at the start, and doesn't chase what comes meanwhile.
		 */
		private void wholeShard(ShardCounts counts) {
			long rest = most(counts);
			Step step;
			do {
				step = step(counts, (int) Math.min(rest, STEP));
				rest -= step.changed();
				changed(step.changed());
			}
			while (step.more() && rest > 0 && !this.cancelled);
		}

		private Step step(ShardCounts counts, int limit) {
			ShardActions shards = QueueActions.this.actions;
			return switch (this.action) {
				case PERFORM_ALL_NOW -> shards.performAllNow(counts.shard(), limit);
				case RELEASE_ALL -> shards.releaseAll(counts.shard(), limit);
				case KILL_ALL_FAILED -> shards.killAllFailed(counts.shard(), limit);
				case DELETE_ALL_FAILED -> shards.deleteAllFailed(counts.shard(), limit);
				case RE_ENQUEUE_ALL_DEAD -> shards.reEnqueueAll(counts.shard(), limit, counts.now() + 1);
				case DELETE_ALL_DEAD -> shards.deleteAllDead(counts.shard(), limit, counts.now() + 1);
				default -> throw new IllegalStateException(this.action + " has no steps");
			};
		}

		private long most(ShardCounts counts) {
			return switch (this.action) {
				case PERFORM_ALL_NOW -> counts.queued();
				case RELEASE_ALL -> counts.held();
				case KILL_ALL_FAILED, DELETE_ALL_FAILED -> counts.retry();
				default -> counts.dead();
			};
		}

		private void changed(int more) {
			this.status = this.status.progressed(this.status.changed() + more);
			if (!this.action.isNamed()) {
				this.cancelled = !QueueActions.this.board.update(this.status);
			}
		}

	}

}
