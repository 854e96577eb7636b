package io.lowkiq.admin.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.Outbox;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.redis.ShardActions.Repair;
import io.lowkiq.redis.ShardActions.Step;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of an action, shard by shard, in steps. Used by one thread. */
final class ActionRun {

	static final int STEP = 1_000;

	private static final int REPAIR_STEP = 250;

	private static final Logger logger = LoggerFactory.getLogger(ActionRun.class);

	private final RedisStore store;

	private final Outbox outbox;

	private final ShardActions actions;

	private final QueueLayout queue;

	private final AdminAction action;

	private final List<String> ids;

	private final ActionProgress progress;

	private long changed;

	/** Number of jobs that a repair has read. */
	private long looked;

	private long total;

	private boolean stopped;

	private final NewerShards newer = new NewerShards();

	ActionRun(RedisStore store, Outbox outbox, QueueLayout queue, AdminAction action, List<String> ids,
			ActionProgress progress) {
		this.store = store;
		this.outbox = outbox;
		this.actions = store.actions();
		this.queue = queue;
		this.action = action;
		this.ids = ids;
		this.progress = progress;
	}

	ActionResult run() {
		if (this.action.isNamed()) {
			named();
		}
		else if (this.action == AdminAction.PAUSE || this.action == AdminAction.RESUME) {
			flip();
		}
		else if (this.action == AdminAction.REPAIR) {
			repair();
		}
		else {
			wholeQueue();
		}
		this.newer.rethrow();
		return new ActionResult(this.changed, !this.stopped);
	}

	private void named() {
		Map<Shard, List<String>> byShard = this.ids.stream()
			.collect(Collectors.groupingBy(this.queue::shardOf, LinkedHashMap::new, Collectors.toList()));
		byShard.forEach((shard, some) -> this.newer
			.run(() -> this.changed += actOn(this.action, this.actions, this.outbox, shard, some)));
	}

	/** Pauses or resumes; never half of the shards only. */
	private void flip() {
		this.total = this.queue.shards();
		for (Shard shard : this.queue.allShards()) {
			this.newer.run(() -> this.actions.pause(shard, this.action == AdminAction.PAUSE));
			this.changed++;
			this.progress.shouldContinue(this.changed, this.total);
		}
	}

	/** Looks at the queued jobs of all shards; the progress is that of looking. */
	private void repair() {
		List<ShardCounts> counts = this.store.inspection().counts(this.queue.allShards());
		this.total = counts.stream().mapToLong(ShardCounts::queued).sum();
		this.stopped = !this.progress.shouldContinue(0, this.total);
		for (Shard shard : this.queue.allShards()) {
			this.newer.run(() -> repair(shard));
		}
	}

	private void repair(Shard shard) {
		int unknown = 0;
		Repair step = new Repair(Repair.START, 0, 0, 0, 0, 0, 0);
		do {
			if (this.stopped) {
				return;
			}
			step = this.actions.repair(shard, step.next(), REPAIR_STEP);
			report(shard, step);
			unknown += step.unknown();
			this.looked += step.looked();
			this.changed += step.repaired();
			this.stopped = !this.progress.shouldContinue(this.looked, this.total);
		}
		while (step.more());
		if (unknown > 0) {
			logger.warn(
					"{} ready jobs of shard {} were not checked, because more than 10,000 wait; repair it again later",
					unknown, shard);
		}
	}

	private static void report(Shard shard, Repair step) {
		if (step.repaired() > 0) {
			logger.warn(
					"Shard {} had jobs that nobody would have found; they were repaired: {} delayed, {} suspects, {} behind an id that was not busy, {} ready",
					shard, step.delayed(), step.suspects(), step.blocked(), step.ready());
		}
	}

	private void wholeQueue() {
		List<ShardCounts> counts = this.store.inspection().counts(this.queue.allShards());
		this.total = counts.stream().mapToLong(this::most).sum();
		this.stopped = !this.progress.shouldContinue(0, this.total);
		for (ShardCounts shard : counts) {
			if (most(shard) > 0 && !this.stopped) {
				this.newer.run(() -> wholeShard(shard));
			}
		}
	}

	/** Changes the jobs that were there when it began, and doesn't chase new ones. */
	private void wholeShard(ShardCounts counts) {
		long rest = most(counts);
		Step step;
		do {
			step = step(counts, (int) Math.min(rest, STEP));
			rest -= step.changed();
			this.changed += step.changed();
			this.stopped = !this.progress.shouldContinue(this.changed, this.total);
		}
		while (step.more() && rest > 0 && !this.stopped);
	}

	private Step step(ShardCounts counts, int limit) {
		return switch (this.action) {
			case PERFORM_ALL_NOW -> this.actions.performAllNow(counts.shard(), limit);
			case RELEASE_ALL -> this.actions.releaseAll(counts.shard(), limit);
			case KILL_ALL_FAILED -> this.actions.killAllFailed(counts.shard(), limit);
			case DELETE_ALL_FAILED -> this.actions.deleteAllFailed(counts.shard(), limit);
			case RE_ENQUEUE_ALL_DEAD -> this.actions.reEnqueueAll(counts.shard(), limit, counts.now() + 1);
			case DELETE_ALL_DEAD -> this.actions.deleteAllDead(counts.shard(), limit, counts.now() + 1);
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

	/**
	 * Does an action to named jobs of a shard, in one step. The outbox comes first: what
	 * it keeps later is of newer jobs.
	 */
	static long actOn(AdminAction action, ShardActions actions, Outbox outbox, Shard shard, List<String> ids) {
		if (action == AdminAction.KILL || action == AdminAction.DELETE || action == AdminAction.DELETE_DEAD) {
			outbox.dropKept(shard, ids);
		}
		return switch (action) {
			case PERFORM_NOW -> actions.performNow(shard, ids).changed();
			case HOLD -> actions.hold(shard, ids).changed();
			case RELEASE -> actions.release(shard, ids).changed();
			case KILL -> actions.kill(shard, ids).changed();
			case DELETE -> actions.delete(shard, ids).changed();
			case RE_ENQUEUE -> actions.reEnqueue(shard, ids).changed();
			case DELETE_DEAD -> actions.deleteDead(shard, ids).changed();
			case ERASE -> ids.stream().filter((id) -> erase(actions, outbox, shard, id)).count();
			default -> throw new IllegalStateException(action + " has no ids");
		};
	}

	private static boolean erase(ShardActions actions, Outbox outbox, Shard shard, String id) {
		boolean hasRows = !outbox.erase(shard.queue(), id).isEmpty();
		return actions.erase(shard, id).isAny() || hasRows;
	}

}
