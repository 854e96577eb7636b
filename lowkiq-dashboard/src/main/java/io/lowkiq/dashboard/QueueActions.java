package io.lowkiq.dashboard;

import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lowkiq.LowkiqException;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.ActionStatus.State;
import io.lowkiq.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does to whole queues what people ask for: shard by shard, in steps, one run of an
 * action and queue at a time over all nodes. Thread-safe.
 */
final class QueueActions {

	private static final Logger logger = LoggerFactory.getLogger(QueueActions.class);

	private final LowkiqAdmin admin;

	private final ActionBoard board;

	private final Executor executor;

	private final InstantSource clock;

	private final Runnable afterwards;

	QueueActions(LowkiqAdmin admin, ActionBoard board, Executor executor, InstantSource clock, Runnable afterwards) {
		this.admin = admin;
		this.board = board;
		this.executor = executor;
		this.clock = clock;
		this.afterwards = afterwards;
	}

	/**
	 * Starts an action, or finds the same one running.
	 * @param queue the queue's name
	 * @param action what to do
	 * @param ids the jobs, if the action is a named one
	 * @param user who asks
	 * @param patience how many milliseconds to wait for a short action to end
	 * @return how far it is
	 */
	ActionStatus start(String queue, AdminAction action, Collection<String> ids, String user, long patience) {
		String run = UUID.randomUUID().toString();
		ActionStatus fresh = new ActionStatus(run, queue, action.label(), user, State.RUNNING, this.clock.millis(), 0,
				0, ids.size(), null);
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

		private final String queue;

		private final AdminAction action;

		private final List<String> ids;

		private ActionStatus status;

		Run(String queue, AdminAction action, List<String> ids, ActionStatus status) {
			this.queue = queue;
			this.action = action;
			this.ids = ids;
			this.status = status;
		}

		ActionStatus perform() {
			ActionStatus end;
			try {
				ActionResult result = QueueActions.this.admin.as(this.status.user())
					.act(this.queue, this.action, this.ids, this::progressed);
				this.status = this.status.progressed(result.changed());
				String summary = this.action.summary(this.queue, result.changed());
				end = result.complete() ? ended(State.DONE, summary) : ended(State.CANCELLED, "Stopped. " + summary);
			}
			catch (StoreException ex) {
				logger.warn("Action {} on queue '{}' failed", this.action.label(), this.queue, ex);
				end = ended(State.FAILED, "The store could not be reached after "
						+ this.action.summary(this.queue, this.status.changed()) + " Run it again to continue.");
			}
			catch (LowkiqException ex) {
				end = ended(State.FAILED, String.valueOf(ex.getMessage()));
			}
			catch (RuntimeException ex) {
				logger.error("Action {} on queue '{}' failed", this.action.label(), this.queue, ex);
				end = ended(State.FAILED, "It failed; see the log of the application.");
			}
			QueueActions.this.afterwards.run();
			QueueActions.this.board.end(end);
			return end;
		}

		private ActionStatus ended(State state, String message) {
			return this.status.ended(state, QueueActions.this.clock.millis(), message);
		}

		private boolean progressed(long changed, long total) {
			this.status = this.status.sized(total).progressed(changed);
			return QueueActions.this.board.update(this.status);
		}

	}

}
