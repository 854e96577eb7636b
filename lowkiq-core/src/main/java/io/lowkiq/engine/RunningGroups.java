package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.GroupStarts;
import io.lowkiq.engine.schedule.GroupUsage;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;

/**
 * The running jobs of each group, over all shards of a queue on this node, and their
 * effect on fetches. Guarded by the {@link StateLock}.
 */
final class RunningGroups {

	private final StateLock lock;

	private final Supplier<Collection<ServedShard>> shards;

	private final int threads;

	private final LongSupplier nanoTime;

	/**
	 * Groups on a node.
	 * @param shards all shards that were ever served
	 * @param threads the number of threads of the node
	 */
	RunningGroups(StateLock lock, Supplier<Collection<ServedShard>> shards, int threads, LongSupplier nanoTime) {
		this.lock = lock;
		this.shards = shards;
		this.threads = threads;
		this.nanoTime = nanoTime;
	}

	/** Lets groups take turns in a fetch, if there are any. */
	Fetch inTurn(HeldShard held, Fetch fetch) {
		ServedQueue queue = held.shard().queue();
		return (queue.groups().isAny() || held.groups().any()) ? fetch.with(usage(held).turns(held.groups().full()))
				: fetch;
	}

	/**
	 * Whether a shard may fetch now. If groups have a maximum share, calls under way may
	 * bring so many jobs that no other may begin: that is known only by their answers.
	 */
	boolean mayFetch(HeldShard held) {
		ServedQueue queue = held.shard().queue();
		return !hasMaxShare(queue) || usage(held).hasRoom();
	}

	/**
	 * The time until a group for which there was no room has room again, in nanoseconds;
	 * the largest number if a job must begin or end before.
	 */
	long untilRoom(HeldShard held) {
		if (held.groups().full().isEmpty()) {
			return Long.MAX_VALUE;
		}
		GroupUsage usage = usage(held);
		return held.groups().full().stream().mapToLong(usage::untilRoom).min().orElse(Long.MAX_VALUE);
	}

	/**
	 * The time until a suspect that was returned may begin by the limits of its group, in
	 * nanoseconds; 0 if none was returned, the largest number if a job must end before.
	 */
	long untilSuspectHasRoom(HeldShard held) {
		String suspect = held.returnedSuspect();
		return (suspect != null) ? usage(held).untilRoomInLimits(held.shard().queue().groups().groupOf(suspect)) : 0;
	}

	/** The time until groups may begin anything under the lease, in nanoseconds. */
	long untilStarts(HeldShard held) {
		GroupStarts starts = held.groupStarts();
		return (starts != null) ? starts.untilFirst(this.nanoTime.getAsLong()) : 0;
	}

	/**
	 * The fetched jobs that may not begin by the limits of their groups: suspects, which
	 * take no turns, and jobs of groups that were too many to name.
	 */
	List<FetchedJob> withoutRoom(HeldShard held, List<FetchedJob> jobs) {
		GroupPolicy policy = held.shard().queue().groups();
		if (policy.limits().equals(Limits.NONE)) {
			return List.of();
		}
		GroupUsage usage = usage(held);
		List<FetchedJob> without = new ArrayList<>();
		for (FetchedJob job : jobs) {
			if (usage.roomInLimits(policy.groupOf(job.id())) <= 0) {
				without.add(job);
			}
			usage.add(job.id());
			usage.addFetched(job.id());
		}
		return without;
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

	private GroupUsage usage(HeldShard shard) {
		ServedQueue queue = shard.shard().queue();
		GroupUsage usage = new GroupUsage(queue.groups(), this.threads * queue.batchSize(), shard.groupStarts(),
				this.nanoTime.getAsLong());
		shard.notBegun().forEach((job) -> usage.addFetched(job.id()));
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
