package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.RateLimit;
import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.schedule.GroupSettings;
import io.lowkiq.engine.schedule.GroupUsage;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The running jobs of each group, over all shards of a queue on this node, and their
 * effect on fetches. Guarded by the {@link StateLock}.
 */
final class RunningGroups {

	private static final Logger logger = LoggerFactory.getLogger(RunningGroups.class);

	private final StateLock lock;

	private final Supplier<Collection<ServedShard>> shards;

	private final int threads;

	private final LongSupplier nanoTime;

	private final LowkiqObserver observer;

	/** The queues with limits of groups in which an id has named none. */
	private final Set<ServedQueue> ungrouped = new HashSet<>();

	/**
	 * Groups on a node.
	 * @param shards all shards that were ever served
	 * @param threads the number of threads of the node
	 * @param observer notified of jobs whose ids name no group
	 */
	RunningGroups(StateLock lock, Supplier<Collection<ServedShard>> shards, int threads, LongSupplier nanoTime,
			LowkiqObserver observer) {
		this.lock = lock;
		this.shards = shards;
		this.threads = threads;
		this.nanoTime = nanoTime;
		this.observer = observer;
	}

	/** Lets groups take turns in a fetch, if there are any. */
	Fetch inTurn(HeldShard held, Fetch fetch) {
		if (!held.shard().groups().policy().isAny() && !held.groups().any()) {
			return fetch;
		}
		GroupUsage usage = usage(held);
		held.groupsWithoutRoom().removeIf((group) -> usage.roomInLimits(group) > 0);
		return fetch.with(usage.turns(held.fullGroups(), held.groupsWithoutRoom()));
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
		return held.fullGroups().isEmpty() ? Long.MAX_VALUE : usage(held).untilRoom(held.fullGroups());
	}

	/**
	 * The time until a suspect that was returned may begin by the limits of its group, in
	 * nanoseconds; 0 if none was returned, the largest number if a job must end before.
	 */
	long untilSuspectHasRoom(HeldShard held) {
		String suspect = held.returnedSuspect();
		return (suspect != null) ? usage(held).untilRoomInLimits(held.shard().groups().groupOf(suspect)) : 0;
	}

	/** The time until groups may begin anything under the lease, in nanoseconds. */
	long untilStarts(HeldShard held) {
		RateLimit rate = held.shard().groups().policy().limits().rate();
		return (rate != null) ? held.groupStarts().untilFirst(rate, this.nanoTime.getAsLong()) : 0;
	}

	/**
	 * The fetched jobs that may not begin by the limits of their groups: suspects, which
	 * take no turns, and jobs of groups that were not named. These are named by the next
	 * calls.
	 */
	List<FetchedJob> withoutRoom(HeldShard held, List<FetchedJob> jobs) {
		GroupSettings settings = held.shard().groups();
		long nanos = this.nanoTime.getAsLong();
		if (!settings.areLimited() && held.shard().queue().waitingGroups(nanos).isEmpty()) {
			return List.of();
		}
		GroupUsage usage = usage(held);
		List<FetchedJob> without = new ArrayList<>();
		for (FetchedJob job : jobs) {
			if (usage.roomInLimits(settings.groupOf(job.id())) <= 0) {
				without.add(job);
			}
			usage.add(job.id());
			usage.addFetched(job.id());
		}
		return without;
	}

	/**
	 * Whether a group of a fetched task was paused, or asked to wait, since the fetch.
	 */
	boolean mustWait(HeldShard held, Task task) {
		GroupSettings settings = held.shard().groups();
		if (!settings.policy().isAny()) {
			return false;
		}
		Set<String> waiting = held.shard().queue().waitingGroups(this.nanoTime.getAsLong()).keySet();
		return task.jobs()
			.stream()
			.map((job) -> settings.groupOf(job.id()))
			.anyMatch((group) -> settings.isPaused(group) || waiting.contains(group));
	}

	/** Counts the jobs of a task that is about to begin whose ids name no group. */
	void begins(HeldShard held, Task task) {
		GroupSettings settings = held.shard().groups();
		if (!settings.policy().isAny()) {
			return;
		}
		List<String> ids = task.jobs()
			.stream()
			.map(FetchedJob::id)
			.filter((id) -> settings.groupOf(id).isEmpty())
			.toList();
		if (ids.isEmpty()) {
			return;
		}
		ServedQueue queue = held.shard().queue();
		this.lock.afterwards(() -> this.observer.ungrouped(queue.name(), ids.size()));
		if (settings.areLimited() && this.ungrouped.add(queue)) {
			this.lock.afterwards(() -> logger.warn(
					"Id '{}' of queue '{}' names no group, because it doesn't have '{}' after a name: the limits of groups don't apply to it. The counter lowkiq.jobs.ungrouped has the number of such jobs",
					LogText.of(ids.get(0)), queue.name(), settings.policy().separator()));
		}
	}

	/** Fewer jobs of a queue may run now: looks at the shards where others wait. */
	void changed(ServedQueue queue) {
		if (hasMaxShare(queue)) {
			heldShards(queue).filter((held) -> !held.fullGroups().isEmpty())
				.forEach((held) -> this.lock.changed(held.shard()));
		}
	}

	private static boolean hasMaxShare(ServedQueue queue) {
		return queue.groups().maxShare() < 100;
	}

	private GroupUsage usage(HeldShard shard) {
		ServedQueue queue = shard.shard().queue();
		long nanos = this.nanoTime.getAsLong();
		GroupUsage usage = new GroupUsage(shard.shard().groups(), this.threads * queue.batchSize(), shard.groupStarts(),
				queue.waitingGroups(nanos), nanos);
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
