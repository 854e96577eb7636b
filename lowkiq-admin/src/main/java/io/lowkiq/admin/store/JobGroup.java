package io.lowkiq.admin.store;

import java.util.List;
import java.util.Locale;

import io.lowkiq.GroupPolicy;
import io.lowkiq.RateLimit;
import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.admin.JobStatus.Reason;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.admin.NodeActivity.ThreadActivity;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardGroup;
import org.jspecify.annotations.Nullable;

/**
 * The group of a waiting job, and what keeps it from its begin. Without a name, the job
 * has none.
 *
 * @param parked whether the owner has said that none of its jobs may begin
 */
record JobGroup(String queue, String name, GroupPolicy ids, NodeActivity.Groups settings, GroupOverride override,
		boolean parked) {

	private static final int MAX_NAMED = 3;

	static JobGroup of(JobView job, NodeActivity.Groups settings, RedisStore store, QueueLayout layout) {
		GroupPolicy ids = new GroupPolicy(settings.separator());
		String name = ids.groupOf(job.id());
		if (name.isEmpty()) {
			return new JobGroup(layout.name(), name, ids, settings, GroupOverride.NONE, false);
		}
		return new JobGroup(layout.name(), name, ids, settings,
				store.queues().overrides(layout).groups().getOrDefault(name, GroupOverride.NONE),
				store.inspection()
					.group(List.of(job.shard()), ids.separator(), name)
					.stream()
					.anyMatch(ShardGroup::parked));
	}

	/** Says that no job of the group may begin; null if one may, as far as is known. */
	@Nullable JobStatus limited(String node, List<ThreadActivity> busy, long now) {
		Change<Boolean> pause = this.override.pause();
		if (pause != null) {
			return JobStatus.of(Reason.GROUP_PAUSED,
					"Group '%s' is paused%s. The job will be performed when the group is resumed."
						.formatted(LogText.of(this.name), origin(pause, "since")));
		}
		long until = this.settings.waiting().getOrDefault(this.name, 0L);
		if (until > now) {
			return JobStatus.of(Reason.GROUP_WAITS,
					"Group '%s' begins nothing on node %s until %s (in %s), because one of its jobs has asked for it."
						.formatted(LogText.of(this.name), node, TimeText.of(until), HumanTime.lasting(until - now)));
		}
		long start = this.settings.starts().getOrDefault(this.name, 0L);
		if (start > now) {
			return JobStatus.of(Reason.GROUP_FULL, "Group '%s' may start its next job on node %s at %s (in %s).%s"
				.formatted(LogText.of(this.name), node, TimeText.of(start), HumanTime.lasting(start - now), rate()));
		}
		return this.name.isEmpty() ? null : full(node, busy, now);
	}

	private @Nullable JobStatus full(String node, List<ThreadActivity> busy, long now) {
		List<NamedJob> named = busy.stream()
			.filter((thread) -> this.queue.equals(thread.queue()))
			.flatMap((thread) -> thread.ids().stream())
			.filter((id) -> this.ids.groupOf(id).equals(this.name))
			.map((id) -> new NamedJob(this.queue, id))
			.toList();
		NodeActivity.RunningGroup reported = this.settings.running()
			.getOrDefault(this.name, new NodeActivity.RunningGroup(0, 0, 0, 0));
		int running = Math.max(reported.jobs(), named.size());
		int concurrency = concurrency();
		boolean isFull = concurrency > 0 && running >= concurrency;
		if (!isFull && !this.parked) {
			return null;
		}
		if (running == 0) {
			return JobStatus.of(Reason.GROUP_FULL, "Group '%s' may begin nothing on node %s at the moment.%s"
				.formatted(LogText.of(this.name), node, rate()));
		}
		List<NamedJob> first = named.stream().limit(MAX_NAMED).toList();
		return JobStatus.of(Reason.GROUP_FULL, String.format(Locale.ROOT,
				"Group '%s' has %,d%s running on node %s%s%s.%s%s", LogText.of(this.name), running,
				(concurrency > 0) ? String.format(Locale.ROOT, " of %,d jobs", concurrency)
						: (running == 1) ? " job" : " jobs",
				node, (reported.since() > 0) ? ", the oldest for " + HumanTime.lasting(now - reported.since()) : "",
				first.isEmpty() ? ""
						: ": " + LogText.of(first.stream().map(NamedJob::id).toList())
								+ ((running > first.size()) ? ", …" : ""),
				(!isFull && this.settings.maxShare() < 100)
						? " One group may have %s %% of its threads.".formatted(this.settings.maxShare()) : "",
				rate()), first);
	}

	private int concurrency() {
		Change<Integer> change = this.override.concurrency();
		return (change != null) ? change.value() : this.settings.concurrency();
	}

	/** Says how many runs of the group may begin in a time; empty if any number may. */
	String rate() {
		Change<RateLimit> change = this.override.rate();
		String rate = (change != null) ? change.value().toString() : this.settings.rate();
		return (rate.isEmpty() || this.name.isEmpty()) ? "" : " Group '%s' may start %s%s."
			.formatted(LogText.of(this.name), rate, (change != null) ? ", set" + origin(change, "at") : "");
	}

	private static String origin(Change<?> change, String when) {
		return (change.at() == 0) ? ""
				: " by %s %s %s".formatted(LogText.of(change.by()), when, TimeText.of(change.at()));
	}

}
