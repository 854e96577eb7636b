package io.lowkiq.admin.store;

import java.util.List;

import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.Outbox;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

/**
 * One run of a named action on the jobs of a selection, shard by shard, in steps: reads
 * some jobs, and names them. Used by one thread.
 */
final class SelectionRun {

	/** In each step, an outbox looks through all rows that it keeps of a shard. */
	static final int STEP = 500;

	private final RedisStore store;

	private final Outbox outbox;

	private final QueueLayout queue;

	private final AdminAction action;

	private final JobSelection selection;

	private final ActionProgress progress;

	private final NewerShards newer = new NewerShards();

	private long changed;

	/** How many jobs of the lists were not read yet, at most. */
	private long unread;

	private boolean stopped;

	SelectionRun(RedisStore store, Outbox outbox, QueueLayout queue, AdminAction action, JobSelection selection,
			ActionProgress progress) {
		this.store = store;
		this.outbox = outbox;
		this.queue = queue;
		this.action = action;
		this.selection = selection;
		this.progress = progress;
	}

	ActionResult run() {
		List<ShardCounts> counts = this.store.inspection().counts(this.queue.allShards());
		this.unread = counts.stream().mapToLong(this.selection::most).sum();
		progressed();
		for (ShardCounts shard : counts) {
			if (this.selection.most(shard) > 0 && !this.stopped) {
				this.newer.run(() -> shard(shard));
			}
		}
		this.newer.rethrow();
		return new ActionResult(this.changed, !this.stopped);
	}

	/**
	 * Changes the jobs that were there when it began, and doesn't chase new ones. What is
	 * in no order needs no limit, because a walk through it ends.
	 */
	private void shard(ShardCounts counts) {
		boolean ordered = this.selection.list() != JobList.QUEUED;
		long unreadAfterwards = this.unread - this.selection.most(counts);
		SelectionWalk walk = new SelectionWalk(this.store.inspection(), List.of(counts.shard()), this.selection, false,
				0, 0);
		SelectionWalk.@Nullable Place place = walk.start();
		while (place != null && !this.stopped && (!ordered || this.unread > unreadAfterwards)) {
			SelectionWalk.Step step = walk.step(place, STEP);
			List<String> ids = step.jobs().stream().filter((job) -> wasThere(job, counts)).map(JobView::id).toList();
			if (!ids.isEmpty()) {
				this.changed += ActionRun.actOn(this.action, this.store.actions(), this.outbox, counts.shard(), ids);
			}
			place = step.next();
			this.unread = (place != null) ? Math.max(this.unread - step.read(), unreadAfterwards) : unreadAfterwards;
			progressed();
		}
	}

	private boolean wasThere(JobView job, ShardCounts counts) {
		return job.state() != JobView.State.DEAD || job.performAt() <= counts.now();
	}

	private void progressed() {
		this.stopped = !this.progress.shouldContinue(this.changed, this.changed + this.unread);
	}

}
