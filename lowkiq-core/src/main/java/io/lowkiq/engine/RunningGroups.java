package io.lowkiq.engine;

import java.util.Collection;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.GroupUsage;
import io.lowkiq.store.Fetch;

/**
 * The running jobs of each group, over all shards of a queue on this node, and their
 * effect on fetches. Guarded by the {@link StateLock}.
 */
final class RunningGroups {

	private final StateLock lock;

	private final Supplier<Collection<ServedShard>> shards;

	private final int threads;

	/**
	 * Groups on a node.
	 * @param shards all shards that were ever served
	 * @param threads the number of threads of the node
	 */
	RunningGroups(StateLock lock, Supplier<Collection<ServedShard>> shards, int threads) {
		this.lock = lock;
		this.shards = shards;
		this.threads = threads;
	}

	/** Lets groups take turns in a fetch, if there are any. */
	Fetch inTurn(HeldShard held, Fetch fetch) {
		ServedQueue queue = held.shard().queue();
		return (queue.groups().isAny() || held.groups().any()) ? fetch.with(usage(queue).turns()) : fetch;
	}

	/**
	 * Whether a shard may fetch now. If groups have a maximum share, calls under way may
	 * bring so many jobs that no other may begin: that is known only by their answers.
	 */
	boolean mayFetch(HeldShard held) {
		ServedQueue queue = held.shard().queue();
		return !hasMaxShare(queue) || usage(queue).hasRoom();
	}

	/** Whether a group for which there was no room has room again. */
	boolean hasRoomAgain(HeldShard held) {
		if (held.groups().full().isEmpty()) {
			return false;
		}
		GroupUsage usage = usage(held.shard().queue());
		return held.groups().full().stream().anyMatch((group) -> !usage.isFull(group));
	}

	/** Fewer jobs of a queue may run now: looks at the shards where others wait. */
	void changed(ServedQueue queue) {
		if (hasMaxShare(queue)) {
			heldShards(queue).filter((held) -> !held.groups().full().isEmpty())
				.forEach((held) -> this.lock.changed(held.shard()));
		}
	}

	private static boolean hasMaxShare(ServedQueue queue) {
		return queue.groups().maxShare() < 100;
	}

	private GroupUsage usage(ServedQueue queue) {
		GroupUsage usage = new GroupUsage(queue.groups(), this.threads * queue.batchSize());
		heldShards(queue).flatMap(HeldShard::jobs).forEach((job) -> usage.add(job.id()));
		heldShards(queue).filter(HeldShard::isFetching).forEach((held) -> usage.reserve(held.lastFetch()));
		return usage;
	}

	private Stream<HeldShard> heldShards(ServedQueue queue) {
		return this.shards.get()
			.stream()
			.filter((shard) -> shard.queue() == queue)
			.flatMap((shard) -> Stream.ofNullable(shard.held()));
	}

}
