package io.lowkiq.dashboard.actions;

import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.LowkiqException;
import io.lowkiq.StoreException;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.PrefixContents;
import io.lowkiq.dashboard.actions.ActionStatus.State;
import io.lowkiq.dashboard.cluster.RedisTrouble;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.internal.LogText;
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

	/** Creates the actions. */
	public QueueActions(LowkiqAdmin admin, ActionBoard board, Executor executor, InstantSource clock,
			Runnable afterwards) {
		this.admin = admin;
		this.board = board;
		this.executor = executor;
		this.clock = clock;
		this.afterwards = afterwards;
	}

	/** Starts an action, or finds the same one running. */
	public ActionStatus start(String queue, AdminAction action, Collection<String> ids, String user, long patience) {
		ActionStatus fresh = fresh(queue, action.label(), user, ids.size(), null);
		List<String> named = List.copyOf(ids);
		Work work = work(queue, action, (admin, progress) -> admin.act(queue, action, named, progress));
		// Named actions are short and concern different jobs: they don't exclude each
		// other
		if (action.isNamed()) {
			this.board.update(fresh);
			return run(fresh, work, patience);
		}
		return begin(fresh, work, patience);
	}

	/**
	 * Starts a named action on all jobs of a selection, or finds the same one running.
	 */
	public ActionStatus start(String queue, AdminAction action, JobSelection selection, String user, long patience) {
		return begin(fresh(queue, action.label(), user, 0, JobDocuments.Selection.of(selection)),
				work(queue, action, (admin, progress) -> admin.act(queue, action, selection, progress)), patience);
	}

	private static Work work(String queue, AdminAction action,
			BiFunction<LowkiqAdmin, ActionProgress, ActionResult> call) {
		return (admin, progress) -> {
			ActionResult result = call.apply(admin, progress);
			return new Done(result, action.summary(queue, result.changed()));
		};
	}

	/**
	 * Starts counting what all queues keep of the ids that begin with a prefix, or finds
	 * the same run.
	 */
	public ActionStatus findPrefix(String prefix, String user, long patience) {
		return startPrefix("find-prefix", prefix, user, patience, (admin, progress) -> {
			Map<String, PrefixContents> found = admin.findPrefix(prefix, progress);
			String text = found.entrySet()
				.stream()
				.map((queue) -> queue.getKey() + ": " + text(queue.getValue()))
				.collect(Collectors.joining("; "));
			return new Found(0,
					(text.isEmpty() ? "Nothing is kept of ids that begin with '" + LogText.of(prefix) + "'" : text)
							+ ".");
		});
	}

	/**
	 * Starts erasing all that all queues keep of the ids that begin with a prefix, or
	 * finds the same run.
	 */
	public ActionStatus erasePrefix(String prefix, String user, long patience) {
		return startPrefix("erase-prefix", prefix, user, patience, (admin, progress) -> {
			long changed = admin.erasePrefix(prefix, progress).values().stream().mapToLong(Long::longValue).sum();
			return new Found(changed,
					String.format(Locale.ROOT, "%,d jobs and settings of groups were erased.", changed));
		});
	}

	private ActionStatus startPrefix(String action, String prefix, String user, long patience,
			BiFunction<LowkiqAdmin, ActionProgress, Found> call) {
		ActionStatus fresh = fresh(AdminEvent.ALL_QUEUES, action, user, 0,
				new JobDocuments.Selection(null, prefix, null, null, null, null));
		return begin(fresh, (admin, progress) -> {
			AtomicBoolean complete = new AtomicBoolean(true);
			Found found = call.apply(admin, (count, total) -> {
				complete.compareAndSet(true, progress.shouldContinue(count, total));
				return complete.get();
			});
			return new Done(new ActionResult(found.changed(), complete.get()), found.summary());
		}, patience);
	}

	/** The result in all queues, and the same for people. */
	private record Found(long changed, String summary) {
	}

	private static String text(PrefixContents contents) {
		return Stream
			.of(count(contents.queued(), "queued"), count(contents.busy(), "running"), count(contents.dead(), "dead"),
					count(contents.waiting(), "on their way"),
					contents.groups().isEmpty() ? "" : "settings of " + LogText.of(contents.groups()))
			.filter((part) -> !part.isEmpty())
			.collect(Collectors.joining(", "));
	}

	private static String count(long count, String what) {
		return (count == 0) ? "" : String.format(Locale.ROOT, "%,d %s", count, what);
	}

	private ActionStatus fresh(String queue, String action, String user, int total,
			JobDocuments.@Nullable Selection selection) {
		return new ActionStatus(UUID.randomUUID().toString(), queue, action, user, State.RUNNING, this.clock.millis(),
				0, total, null, selection);
	}

	private ActionStatus begin(ActionStatus fresh, Work work, long patience) {
		ActionStatus begun = this.board.begin(fresh);
		return begun.run().equals(fresh.run()) ? run(fresh, work, patience) : begun;
	}

	private ActionStatus run(ActionStatus fresh, Work work, long patience) {
		CompletableFuture<ActionStatus> end = CompletableFuture.supplyAsync(() -> new Run(work, fresh).perform(),
				this.executor);
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
	 * @return how far it is; empty if it ended more than an hour ago
	 */
	public Optional<ActionStatus> find(String run) {
		return this.board.find(run);
	}

	/** The actions in progress, on any node. */
	public List<ActionStatus> running() {
		return this.board.running();
	}

	/** Asks a run to stop after its present step. */
	public void cancel(String run) {
		this.board.cancel(run);
	}

	/** The work of a run. */
	@FunctionalInterface
	private interface Work {

		Done perform(LowkiqAdmin admin, ActionProgress progress);

	}

	/** The end of a run, in a summary for people. */
	private record Done(ActionResult result, String summary) {
	}

	/** One run of an action, used by one thread. */
	private final class Run {

		private final Work work;

		private ActionStatus status;

		Run(Work work, ActionStatus status) {
			this.work = work;
			this.status = status;
		}

		ActionStatus perform() {
			ActionStatus end;
			try {
				Done done = this.work.perform(QueueActions.this.admin.as(this.status.user()), this::progressed);
				this.status = this.status.progressed(done.result().changed());
				end = done.result().complete() ? this.status.ended(State.DONE, done.summary())
						: this.status.ended(State.CANCELLED, "Stopped. " + done.summary());
			}
			catch (StoreException ex) {
				logger.warn("Action {} on queue '{}' failed", this.status.action(), this.status.queue(), ex);
				end = this.status.ended(State.FAILED, "%s Until then: %s Run it again to continue."
					.formatted(RedisTrouble.sentence(ex), untilThen()));
			}
			catch (LowkiqException ex) {
				end = this.status.ended(State.FAILED, String.valueOf(ex.getMessage()));
			}
			catch (RuntimeException ex) {
				logger.error("Action {} on queue '{}' failed", this.status.action(), this.status.queue(), ex);
				end = this.status.ended(State.FAILED, "It failed; see the log of the application.");
			}
			QueueActions.this.afterwards.run();
			QueueActions.this.board.end(end);
			return end;
		}

		private String untilThen() {
			long changed = this.status.changed();
			return AdminAction.of(this.status.action())
				.map((action) -> action.summary(this.status.queue(), changed))
				.orElse(String.format(Locale.ROOT, "%,d jobs.", changed));
		}

		private boolean progressed(long changed, long total) {
			this.status = this.status.sized(total).progressed(changed);
			return QueueActions.this.board.update(this.status);
		}

	}

}
