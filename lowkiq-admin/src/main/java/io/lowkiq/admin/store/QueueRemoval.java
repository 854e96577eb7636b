package io.lowkiq.admin.store;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import io.lowkiq.StoreException;
import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.QueueNotRemovableException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions.Closing;
import io.lowkiq.redis.ShardActions.Step;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import org.jspecify.annotations.Nullable;

/**
 * Removes a queue that no node serves. Used by one thread; several at a time do no harm.
 * <p>
 * First the record is marked, so that no node can begin to serve the queue: one looks at
 * the record again after it has joined the registry, so either it sees the mark, or it is
 * seen here. Then all shards are closed, so that nothing can be enqueued any more; up to
 * then, everything can be taken back. Then they are emptied, and the record is deleted
 * last. After a crash at any point it can be run again; and if it was given up, a shard
 * that it has left closed is opened for the first who needs it.
 */
final class QueueRemoval {

	private static final int MAX_NAMED = 10;

	private final RedisStore store;

	private final WaitingFollowUps followUps;

	private final QueueLayout queue;

	private final boolean ifEmpty;

	private final ActionProgress progress;

	private long total;

	private long changed;

	private boolean stopped;

	QueueRemoval(RedisStore store, WaitingFollowUps followUps, QueueLayout queue, boolean ifEmpty,
			ActionProgress progress) {
		this.store = store;
		this.followUps = followUps;
		this.queue = queue;
		this.ifEmpty = ifEmpty;
		this.progress = progress;
	}

	ActionResult run() {
		server(counts()).ifPresent((reason) -> {
			throw new QueueNotRemovableException(reason);
		});
		if (this.store.queues().beginRemoval(this.queue)) {
			String obstacle = close();
			if (obstacle != null) {
				this.store.queues().cancelRemoval(this.queue);
				throw new QueueNotRemovableException(obstacle);
			}
			empty();
			if (!this.stopped && !this.store.queues().endRemoval(this.queue)) {
				throw new StoreException(
						"The removal of queue '%s' was canceled by another caller".formatted(this.queue.name()), null);
			}
		}
		return new ActionResult(this.changed, !this.stopped);
	}

	private List<ShardCounts> counts() {
		return this.store.inspection().counts(this.queue.allShards());
	}

	/**
	 * A node that serves the queue, or may serve it, in a sentence. Members are read
	 * after the counts. A node is gone if its heartbeats have stood still for its lease;
	 * its session is ended first, unless a heartbeat comes meanwhile.
	 */
	private Optional<String> server(List<ShardCounts> counts) {
		LivingNodes.Look look = this.store.livingNodes().look();
		// While no node runs, nobody else ends them. Nobody knows whether they crashed:
		// the store may have been unreachable between two looks
		look.dead().forEach((dead) -> this.store.nodes().end(dead.session(), dead.beats(), false));
		for (Member member : look.living()) {
			NodeInfo node = member.info();
			if (node.queues().contains(this.queue.name())
					|| counts.stream().anyMatch((shard) -> member.session().equals(shard.session()))) {
				return Optional
					.of("Queue '%s' can't be removed: node %s serves it".formatted(this.queue.name(), node.node()));
			}
			if (node.queues().isEmpty() && !node.stopping()) {
				return Optional
					.of("Queue '%s' can't be removed: node %s does not say which queues it serves, because its shards are fixed. Stop it first"
						.formatted(this.queue.name(), node.node()));
			}
		}
		return Optional.empty();
	}

	/** Closes all shards. Returns what stands in the way, or null. */
	private @Nullable String close() {
		List<ShardCounts> counts = counts();
		String server = server(counts).orElse(null);
		if (server != null) {
			return server;
		}
		long from = counts.stream().mapToLong(ShardCounts::followUps).sum();
		String onTheWay = this.ifEmpty ? onTheWay(from) : null;
		if (onTheWay != null) {
			return onTheWay;
		}
		this.total = from + counts.stream().mapToLong((shard) -> shard.queued() + shard.busy() + shard.dead()).sum();
		this.changed = from;
		if (counts.stream().anyMatch(ShardCounts::newer)) {
			return "Queue '%s' can't be removed by this version: a newer one has written shards of it"
				.formatted(this.queue.name());
		}
		for (ShardCounts shard : counts) {
			Closing closing = this.store.actions().close(shard.shard(), shard.session(), this.ifEmpty);
			if (closing == Closing.OWNED) {
				return "Queue '%s' can't be removed: a node has just started to serve it".formatted(this.queue.name());
			}
			if (closing == Closing.NOT_EMPTY) {
				return "Queue '%s' can't be removed while there are jobs in it, queued or dead. Perform or delete them, or remove the queue with its jobs"
					.formatted(this.queue.name());
			}
		}
		return null;
	}

	/** Describes follow-ups on their way from or to the queue; null if there are none. */
	private @Nullable String onTheWay(long from) {
		if (from > 0) {
			Set<String> targets = new TreeSet<>();
			this.queue.allShards()
				.forEach((shard) -> this.store.inspection()
					.followUps(shard, 0, MAX_NAMED)
					.forEach((each) -> targets.add(each.followUp().queue())));
			return String.format(Locale.ROOT,
					"Queue '%s' can't be removed: %,d payloads that follow its jobs have not reached their queues yet, such as %s",
					this.queue.name(), from, targets);
		}
		List<StoredFollowUp> to = this.followUps.find(WaitingFollowUps.to(this.queue.name()), 1);
		return to.isEmpty() ? null
				: "Queue '%s' can't be removed: payloads that follow jobs of queue '%s' wait to be enqueued into it. Drop or redirect them, or remove the queue with its jobs"
					.formatted(this.queue.name(), to.get(0).origin().shard().queue());
	}

	private void empty() {
		this.stopped = !this.progress.shouldContinue(0, this.total);
		for (Shard shard : this.queue.allShards()) {
			this.followUps.letOthersForget(shard);
			Step step = new Step(0, true);
			while (step.more() && !this.stopped) {
				step = this.store.actions().empty(shard, ActionRun.STEP);
				this.changed += step.changed();
				this.stopped = !this.progress.shouldContinue(this.changed, this.total);
			}
		}
	}

}
