package io.lowkiq.dashboard.actions;

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
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.actions.ActionStatus.State;
import io.lowkiq.dashboard.cluster.RedisTrouble;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.JobSelection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out actions on whole queues: shard by shard, in steps, one run of an action,
 * queue and selection at a time over all nodes. Thread-safe.
 */
public final class QueueActions {

	private static final Logger logger = LoggerFactory.getLogger(QueueActions.class);

	private final LowkiqAdmin admin;

	private final ActionBoard board;

	private final Executor executor;

	private final InstantSource clock;

	private final Runnable afterwards;

	/**
	 * Creates the actions.
	 * @param admin carries them out
	 * @param board where all nodes see them
	 * @param executor runs them
	 * @param clock the clock
	 * @param afterwards called after each action
	 */
	public QueueActions(LowkiqAdmin admin, ActionBoard board, Executor executor, InstantSource clock,
			Runnable afterwards) {
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
	public ActionStatus start(String queue, AdminAction action, Collection<String> ids, String user, long patience) {
		ActionStatus fresh = fresh(queue, action, user, ids.size(), null);
		List<String> named = List.copyOf(ids);
		Work work = (admin, progress) -> admin.act(queue, action, named, progress);
		// Named actions are short and concern different jobs: they don't exclude each
		// other
		if (action.isNamed()) {
			this.board.update(fresh);
			return run(action, fresh, work, patience);
		}
		return begin(action, fresh, work, patience);
	}

	/**
	 * Starts a named action on all jobs of a selection, or finds the same one running.
	 * @param queue the queue's name
	 * @param action what to do
	 * @param selection which jobs
	 * @param user who asks
	 * @param patience how many milliseconds to wait for a short action to end
	 * @return how far it is
	 */
	public ActionStatus start(String queue, AdminAction action, JobSelection selection, String user, long patience) {
		return begin(action, fresh(queue, action, user, 0, JobDocuments.Selection.of(selection)),
				(admin, progress) -> admin.act(queue, action, selection, progress), patience);
	}

	private ActionStatus fresh(String queue, AdminAction action, String user, int total,
			JobDocuments.@Nullable Selection selection) {
		return new ActionStatus(UUID.randomUUID().toString(), queue, action.label(), user, State.RUNNING,
				this.clock.millis(), 0, 0, total, null, selection);
	}

	private ActionStatus begin(AdminAction action, ActionStatus fresh, Work work, long patience) {
		ActionStatus begun = this.board.begin(fresh);
		return begun.run().equals(fresh.run()) ? run(action, fresh, work, patience) : begun;
	}

	private ActionStatus run(AdminAction action, ActionStatus fresh, Work work, long patience) {
		CompletableFuture<ActionStatus> end = CompletableFuture
			.supplyAsync(() -> new Run(action, work, fresh).perform(), this.executor);
		try {
			return end.get(patience, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			return this.board.find(fresh.run()).orElse(fresh);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return fresh;
		}
	}

	/**
	 * Looks an action up.
	 * @param run the id of its run
	 * @return how far it is; empty if it ended more than an hour ago
	 */
	public Optional<ActionStatus> find(String run) {
		return this.board.find(run);
	}

	/**
	 * The actions in progress, on any node.
	 * @return the runs, those that began first
	 */
	public List<ActionStatus> running() {
		return this.board.running();
	}

	/**
	 * Asks a run to stop after its present step.
	 * @param run its id
	 */
	public void cancel(String run) {
		this.board.cancel(run);
	}

	/**
	 * The work of a run.
	 */
	@FunctionalInterface
	private interface Work {

		ActionResult perform(LowkiqAdmin admin, ActionProgress progress);

	}

	/**
	 * One run of an action, used by one thread.
	 */
	private final class Run {

		private final String queue;

		private final AdminAction action;

		private final Work work;

		private ActionStatus status;

		Run(AdminAction action, Work work, ActionStatus status) {
			this.queue = status.queue();
			this.action = action;
			this.work = work;
			this.status = status;
		}

		ActionStatus perform() {
			ActionStatus end;
			try {
				ActionResult result = this.work.perform(QueueActions.this.admin.as(this.status.user()),
						this::progressed);
				this.status = this.status.progressed(result.changed());
				String summary = this.action.summary(this.queue, result.changed());
				end = result.complete() ? ended(State.DONE, summary) : ended(State.CANCELLED, "Stopped. " + summary);
			}
			catch (StoreException ex) {
				logger.warn("Action {} on queue '{}' failed", this.action.label(), this.queue, ex);
				end = ended(State.FAILED, "%s Until then: %s Run it again to continue."
					.formatted(RedisTrouble.sentence(ex), this.action.summary(this.queue, this.status.changed())));
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
