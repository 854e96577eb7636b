package io.lowkiq.admin.store;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.PrefixContents;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.StoredFollowUp;
import org.jspecify.annotations.Nullable;

/** Counts or erases all that a queue keeps of ids with a prefix. Used by one thread. */
final class QueuePrefix {

	/** An id leaves the lists in this order, unless it fails. */
	private static final List<JobList> LISTS = List.of(JobList.QUEUED, JobList.BUSY, JobList.DEAD);

	private static final int STEP = 1_000;

	private final RedisStore store;

	private final WaitingFollowUps followUps;

	private final String queue;

	/** Null if the queue is not recorded: only follow-ups can be there. */
	private final @Nullable QueueLayout layout;

	private final String prefix;

	private final Collection<String> separators;

	QueuePrefix(RedisStore store, WaitingFollowUps followUps, String queue, @Nullable QueueLayout layout, String prefix,
			Collection<String> separators) {
		this.store = store;
		this.followUps = followUps;
		this.queue = queue;
		this.layout = layout;
		this.prefix = prefix;
		this.separators = separators;
	}

	private Predicate<StoredFollowUp> waiting() {
		return WaitingFollowUps.to(this.queue).and((each) -> each.followUp().payload().id().startsWith(this.prefix));
	}

	/** The groups whose ids all begin with the prefix. */
	private List<String> groups(QueueLayout known) {
		return this.store.queues()
			.overrides(known)
			.groups()
			.keySet()
			.stream()
			.filter((group) -> this.separators.stream()
				.anyMatch((separator) -> (group + separator).startsWith(this.prefix)))
			.sorted()
			.toList();
	}

	PrefixContents find(ActionProgress progress) {
		int waiting = this.followUps.find(waiting(), Integer.MAX_VALUE).size();
		QueueLayout known = this.layout;
		if (known == null) {
			return new PrefixContents(0, 0, 0, waiting, List.of());
		}
		List<ShardCounts> counts = this.store.inspection().counts(known.allShards());
		return new PrefixContents(count(counts, JobList.QUEUED, progress), count(counts, JobList.BUSY, progress),
				count(counts, JobList.DEAD, progress), waiting, groups(known));
	}

	private long count(List<ShardCounts> counts, JobList list, ActionProgress progress) {
		JobSelection selection = new JobSelection(list, this.prefix, null, null);
		List<Shard> shards = counts.stream()
			.filter((shard) -> selection.most(shard) > 0)
			.map(ShardCounts::shard)
			.toList();
		SelectionWalk walk = new SelectionWalk(this.store.inspection(), shards, selection, false, 0, 0);
		long count = 0;
		SelectionWalk.@Nullable Place place = walk.start();
		while (place != null && progress.shouldContinue(count, count)) {
			SelectionWalk.Step step = walk.step(place, STEP);
			count += step.jobs().size();
			place = step.next();
		}
		return count;
	}

	/**
	 * Erases what was there when it began, but for rows of the outbox; first what is on
	 * its way.
	 */
	ActionResult erase(ActionProgress progress) {
		NewerShards newer = new NewerShards();
		long dropped = this.followUps.drop(waiting(), newer);
		QueueLayout known = this.layout;
		ActionResult result = (known != null) ? erase(known, dropped, progress) : new ActionResult(dropped, true);
		newer.rethrow();
		return result;
	}

	private ActionResult erase(QueueLayout known, long dropped, ActionProgress progress) {
		long changed = dropped;
		for (JobList list : LISTS) {
			long before = changed;
			ActionResult result = new SelectionRun(this.store, Outbox.NONE, known, AdminAction.ERASE,
					new JobSelection(list, this.prefix, null, null),
					(count, total) -> progress.shouldContinue(before + count, before + total))
				.run();
			changed += result.changed();
			if (!result.complete()) {
				return new ActionResult(changed, false);
			}
		}
		Map<String, GroupOverride> none = groups(known).stream()
			.collect(Collectors.toMap((group) -> group, (group) -> GroupOverride.NONE));
		return new ActionResult(
				changed + this.store.queues().override(known, none, EnumSet.allOf(GroupOverride.Part.class)), true);
	}

}
