package io.lowkiq.admin;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.admin.JobStatus.Reason;
import io.lowkiq.admin.NodeActivity.ThreadActivity;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Member;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.Forgotten;
import io.lowkiq.store.Forgotten.Degree;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Says in a sentence or two why a job is not being performed right now, or that it is.
 */
final class JobDiagnosis {

	private static final int MAX_BEFORE = 1_000;

	/** A node that reports less often may be in trouble. */
	private static final long MAX_SILENCE = 10_000;

	/** The maximum number of other jobs that are named. */
	private static final int MAX_NAMED = 3;

	/** The maximum number of characters of an error in a sentence. */
	private static final int MAX_REASON = 200;

	private final RedisStore store;

	JobDiagnosis(RedisStore store) {
		this.store = store;
	}

	/**
	 * Why a job is not being performed.
	 * @param id the id
	 * @param jobs the jobs of the id: queued, busy, dead
	 * @param counts the counts of its shard
	 * @param layout its queue
	 * @param members the living sessions
	 * @param past the sessions that ended last
	 * @param reports what the nodes do, by session
	 * @return the answer
	 */
	JobStatus explain(String id, List<JobView> jobs, ShardCounts counts, QueueLayout layout, List<Member> members,
			List<EndedNode> past, Map<String, String> reports) {
		Owner owner = owner(counts.session(), members, reports);
		Owner former = (owner == null) ? owner(successor(counts.session(), members, past), members, reports) : null;
		Optional<JobView> busy = in(jobs, State.BUSY);
		Optional<JobView> queued = in(jobs, State.QUEUED);
		if (counts.newer() && (busy.isPresent() || queued.isPresent())) {
			return JobStatus.of(Reason.NEWER_SHARD,
					"Shard %s was written by a newer version of Lowkiq. Only nodes of that version perform its jobs."
						.formatted(counts.shard().index()));
		}
		if (busy.isPresent()) {
			return performed(busy.get(), queued.isPresent(), counts, (owner != null) ? owner : former, owner == null);
		}
		if (queued.isPresent()) {
			return waiting(queued.get(), counts, layout, owner, leaseLostAt(counts, members, past));
		}
		return in(jobs, State.DEAD)
			.map((dead) -> JobStatus.of(Reason.DEAD,
					"Dead since %s%s. It does not run again unless it is enqueued again."
						.formatted(TimeText.of(dead.performAt()), reason(dead))))
			.or(() -> runsOn(id, counts, members, reports))
			.orElseGet(() -> JobStatus.of(Reason.UNKNOWN, "No job with this id is queued, being performed, or dead."));
	}

	/**
	 * A run of a job that the store doesn't have any more. It began before the present
	 * lease, and was reported since: one under the present lease may have ended since the
	 * report. If nobody has noticed that the store forgot the job, the run may have lost
	 * its lease, and another one completed the job. Nobody gives a lease back before its
	 * runs have ended, so a free shard has lost one only if it knows of no lease at all.
	 */
	private Optional<JobStatus> runsOn(String id, ShardCounts counts, List<Member> members,
			Map<String, String> reports) {
		for (Member member : members) {
			Owner node = owner(member, reports);
			for (ThreadActivity thread : node.activity().busy()) {
				if (thread.performs(counts.shard(), id) && node.activity().reportedAt() > counts.since()
						&& (counts.epoch() == 0 || isEarlier(thread, counts))) {
					boolean isForgotten = counts.epoch() == 0 || hasForgotten(thread);
					String sentence = isForgotten
							? "It runs on thread %s of node %s, but Redis no longer has it: its follow-ups, its retry and its failure will be lost.%s"
								.formatted(thread.name(), node.node(), silence(node, counts.now()))
							: "It runs on thread %s of node %s, which has lost its lease of shard %s. Another node may have performed it since. The result of this run is ignored.%s"
								.formatted(thread.name(), node.node(), counts.shard().index(),
										silence(node, counts.now()));
					return Optional.of(new JobStatus(isForgotten ? Reason.FORGOTTEN : Reason.EARLIER_RUN, sentence,
							node.node(), thread.name(), thread.since(), List.of()));
				}
			}
		}
		return Optional.empty();
	}

	/** Whether the store has forgotten everything since a run began. */
	private boolean hasForgotten(ThreadActivity run) {
		return Forgotten.recent(this.store.nodes())
			.stream()
			.anyMatch((loss) -> loss.degree() == Degree.EVERYTHING && loss.noticedAt() > run.since());
	}

	private static Optional<JobView> in(List<JobView> jobs, State state) {
		return jobs.stream().filter((job) -> job.state() == state).findFirst();
	}

	private static JobStatus performed(JobView job, boolean queued, ShardCounts counts, @Nullable Owner owner,
			boolean leaseLost) {
		boolean isErased = job.payloadCount() == 0;
		if (job.unreadableSince() > 0 && owner != null && !leaseLost && !owner.hasProbablyDied(counts.now())) {
			return unreadable(job, counts, owner);
		}
		String behind = (isErased ? " It was erased meanwhile and does not come back."
				: isHeld(job) ? " If it comes back, it waits until someone releases it." : "")
				+ (queued ? " Payloads enqueued meanwhile wait until it ends." : "");
		if (owner == null) {
			return JobStatus.of(Reason.NODE_GONE, "The node that was performing it is gone. " + after(job, behind));
		}
		if (owner.hasProbablyDied(counts.now())) {
			return JobStatus.of(Reason.NODE_GONE,
					"%s It had fetched the job. %s".formatted(owner.death(counts.now()), after(job, behind)));
		}
		String node = owner.node();
		String lost = leaseLost
				? " The node has lost its lease on shard %s: unless it gets it back, another node performs the job again."
					.formatted(job.shard().index())
				: "";
		for (ThreadActivity thread : owner.activity().threads()) {
			if (thread.performs(job.shard(), job.id())) {
				return new JobStatus(Reason.PERFORMED,
						"It has been running%s on thread %s of node %s.%s%s%s".formatted(lasting(thread, counts.now()),
								thread.name(), node, silence(owner, counts.now()), lost, behind),
						node, thread.name(), thread.since(), List.of());
			}
		}
		if (leaseLost) {
			return new JobStatus(Reason.NODE_GONE,
					"Node %s was performing it and lost its lease on shard %s. It will be performed again as soon as a node owns the shard.%s"
						.formatted(node, job.shard().index(), behind),
					node, null, 0, List.of());
		}
		return new JobStatus(Reason.FETCHED,
				"Node %s has fetched it%s.%s%s%s".formatted(node, fetched(job, counts, owner),
						owner.isFull() ? threads(owner, counts.now()) : "", silence(owner, counts.now()), behind),
				node, null, 0, owner.isFull() ? named(owner) : List.of());
	}

	/** Says what happens to a busy job whose node is gone. */
	private static String after(JobView job, String behind) {
		if (job.payloadCount() == 0) {
			return behind.strip();
		}
		return isHeld(job)
				? "It is put on hold as soon as another node takes over shard %s.".formatted(job.shard().index())
				: "It will be performed again as soon as another node takes over shard %s."
					.formatted(job.shard().index());
	}

	private static boolean isHeld(JobView job) {
		return job.performAt() == FetchResult.NOTHING;
	}

	/** Says what holds up a fetched job that no thread is reported to perform. */
	private static String fetched(JobView job, ShardCounts counts, Owner owner) {
		Optional<ThreadActivity> batch = owner.activity()
			.busy()
			.stream()
			.filter((thread) -> thread.isOf(job.shard()) && thread.moreIds() > 0)
			.findFirst();
		if (batch.isPresent()) {
			ThreadActivity thread = batch.get();
			return String.format(Locale.ROOT,
					"; it is probably one of the %,d ids that thread %s has been performing together%s",
					thread.ids().size() + thread.moreIds(), thread.name(), lasting(thread, counts.now()));
		}
		return owner.isFull() ? ", and will perform it as soon as a thread is free" : ", and is about to perform it";
	}

	private JobStatus waiting(JobView job, ShardCounts counts, QueueLayout layout, @Nullable Owner owner,
			@Nullable Long leaseLostAt) {
		String paused = counts.paused() ? ", and the queue is paused" : "";
		if (isHeld(job)) {
			return JobStatus.of(Reason.HELD, "%s on hold until someone releases it%s."
				.formatted((job.retryCount() >= 0) ? "It failed, and it is" : "It is", paused));
		}
		boolean hasOwner = owner != null && !owner.hasProbablyDied(counts.now());
		if (job.unreadableSince() > 0 && (job.performAt() > counts.now() || hasOwner)) {
			return unreadable(job, counts, owner);
		}
		if (job.performAt() > counts.now()) {
			String time = "%s (in %s)".formatted(TimeText.of(job.performAt()),
					HumanTime.lasting(job.performAt() - counts.now()));
			if (job.retryCount() < 0 && owner != null
					&& job.performAt() - counts.now() <= owner.settings(job.shard().queue()).debounce()) {
				return JobStatus.of(Reason.GATHERING,
						"It gathers payloads until %s%s. A new one can postpone that.".formatted(time, paused));
			}
			return (job.retryCount() >= 0)
					? JobStatus.of(Reason.RETRY,
							"It failed and waits for attempt %s at %s%s.".formatted(job.retryCount() + 2, time, paused))
					: JobStatus.of(Reason.SCHEDULED, "It is scheduled for %s%s.".formatted(time, paused));
		}
		if (counts.paused()) {
			return JobStatus.of(Reason.PAUSED,
					"The queue is paused. It has been due since %s and will be performed when the queue is resumed."
						.formatted(TimeText.of(job.performAt())));
		}
		int shard = job.shard().index();
		if (counts.session() == null) {
			return JobStatus.of(Reason.NO_OWNER,
					"Shard %s has no owner: no running node serves this queue.".formatted(shard));
		}
		if (owner == null) {
			return JobStatus.of(Reason.OWNER_GONE,
					"The node that owned shard %s is gone. It will be performed when another node takes over the shard."
						.formatted(shard));
		}
		if (owner.hasProbablyDied(counts.now())) {
			return JobStatus.of(Reason.OWNER_GONE, "%s The job will be performed when another node takes over shard %s."
				.formatted(owner.death(counts.now()), shard));
		}
		Optional<ThreadActivity> earlier = owner.activity()
			.busy()
			.stream()
			.filter((thread) -> thread.performs(job.shard(), job.id()) && isEarlier(thread, counts))
			.findFirst();
		if (earlier.isPresent()) {
			return earlierRun(earlier.get(), owner, leaseLostAt, counts.now());
		}
		if (job.crashes() >= ShardStore.SUSPECT_AFTER) {
			return JobStatus.of(Reason.SUSPECT,
					"It was being performed when a node crashed or ran out of memory. Node %s performs such jobs one at a time.%s"
						.formatted(owner.node(), threads(owner, counts.now())),
					named(owner));
		}
		return due(job, counts, layout, owner);
	}

	/** A payload that can't be read is tried again until its grace is over. */
	private static JobStatus unreadable(JobView job, ShardCounts counts, @Nullable Owner owner) {
		String score = (job.payloadCount() < 2 || job.payloads().isEmpty()) ? "" : " (score %s)"
			.formatted(BigDecimal.valueOf(job.payloads().get(0).score()).stripTrailingZeros().toPlainString());
		long grace = (owner != null) ? owner.settings(job.shard().queue()).unreadableGrace() : -1;
		String end = (grace < 0) ? "when its unreadable-grace is over"
				: "at %s (in %s)".formatted(TimeText.of(job.unreadableSince() + grace),
						HumanTime.lasting(job.unreadableSince() + grace - counts.now()));
		return JobStatus.of(Reason.UNREADABLE,
				"Its first payload%s has been unreadable since %s%s. It is tried again and becomes dead %s%s. Deploy a version that can read it; or put the job on hold and edit the payload; or move it to Dead now, if nobody needs it."
					.formatted(score, TimeText.of(job.unreadableSince()), reason(job), end,
							counts.paused() ? "; the queue is paused" : ""));
	}

	/** The first line of a job's error, with a colon before it. */
	private static String reason(JobView job) {
		String line = LogText.of(Objects.requireNonNullElse(job.error(), "").lines().findFirst().orElse(""),
				MAX_REASON);
		return line.isBlank() ? "" : ": " + (line.endsWith(".") ? line.substring(0, line.length() - 1) : line);
	}

	/** Whether a run began under an earlier lease than that of the present owner. */
	private static boolean isEarlier(ThreadActivity thread, ShardCounts counts) {
		return thread.since() > 0 && thread.since() < counts.since();
	}

	private static JobStatus earlierRun(ThreadActivity thread, Owner owner, @Nullable Long leaseLostAt, long now) {
		return new JobStatus(Reason.EARLIER_RUN,
				"Its earlier run, whose lease was lost%s, has been running%s on thread %s of node %s. It runs again when that ends.%s"
					.formatted((leaseLostAt != null) ? " at " + TimeText.of(leaseLostAt) : "", lasting(thread, now),
							thread.name(), owner.node(), silence(owner, now)),
				owner.node(), thread.name(), thread.since(), List.of());
	}

	/** When the owner's last session before the present one ended. */
	private static @Nullable Long leaseLostAt(ShardCounts counts, List<Member> members, List<EndedNode> past) {
		return members.stream()
			.filter((member) -> member.session().equals(counts.session()))
			.flatMap((owner) -> past.stream().filter((ended) -> owner.info().isSameProcess(ended.info())))
			.map(EndedNode::endedAt)
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	private JobStatus due(JobView job, ShardCounts counts, QueueLayout layout, Owner owner) {
		JobGroup group = JobGroup.of(job, owner.settings(layout.name()).groups(), this.store, layout);
		JobStatus limited = group.limited(owner.node(), owner.activity().busy(), counts.now());
		if (limited != null) {
			return limited;
		}
		boolean inTurn = counts.groups() > 0;
		Before before = inTurn ? Before.NONE : before(job);
		String threads = rate(job, owner) + threads(owner, counts.now()) + silence(owner, counts.now());
		List<ThreadActivity> sameShard = owner.activity()
			.busy()
			.stream()
			// A run of the job itself has ended since the report: it would be busy
			.filter((thread) -> thread.isOf(job.shard()) && !thread.performs(job.shard(), job.id()))
			.toList();
		NodeActivity.QueueSettings settings = owner.settings(job.shard().queue());
		if (!sameShard.isEmpty() && sameShard.size() >= settings.runsOf(job.shard())) {
			return shardBusy(job, counts, owner, sameShard, before);
		}
		if (inTurn) {
			return JobStatus.of(owner.isFull() ? Reason.NO_FREE_THREAD : Reason.OTHERS_BEFORE,
					"It waits for the turn of its group: jobs of %s wait in shard %s."
						.formatted(plural(counts.groups(), "group"), job.shard().index()) + group.rate() + threads,
					named(owner));
		}
		if (before.jobs() > 0) {
			String sentence = "%s of shard %s %s ahead of it.".formatted(before.counted(), job.shard().index(),
					before.verb());
			return JobStatus.of(owner.isFull() ? Reason.NO_FREE_THREAD : Reason.OTHERS_BEFORE, sentence + threads,
					named(owner));
		}
		if (owner.isFull()) {
			return JobStatus.of(Reason.NO_FREE_THREAD, "It waits for a free thread." + threads, named(owner));
		}
		boolean known = owner.activity().threadCount() > 0;
		return JobStatus.of(Reason.NEXT,
				"It is next in shard %s: node %s %s.".formatted(job.shard().index(), owner.node(),
						known ? "is about to perform it" : "performs it as soon as a thread is free") + threads,
				named(owner));
	}

	/** Another job is in the way, whatever the other threads do. */
	private static JobStatus shardBusy(JobView job, ShardCounts counts, Owner owner, List<ThreadActivity> sameShard,
			Before before) {
		ThreadActivity longest = sameShard.stream().min(Comparator.comparingLong(ThreadActivity::since)).orElseThrow();
		String others = (sameShard.size() > 1) ? ", and %s".formatted(plural(sameShard.size() - 1, "other job")) : "";
		String running = (longest.since() > 0)
				? ", which has been running for %s".formatted(HumanTime.lasting(counts.now() - longest.since())) : "";
		String ahead = (before.jobs() == 0) ? "" : " %s %s ahead.".formatted(before.counted(), before.verb());
		return new JobStatus(Reason.SHARD_BUSY,
				"Waiting for '%s'%s (thread %s of node %s)%s: shard %s runs %s at a time.%s%s".formatted(
						LogText.of(longest.ids().get(0)), running, longest.name(), owner.node(), others,
						job.shard().index(), (sameShard.size() == 1) ? "one id" : sameShard.size() + " ids", ahead,
						silence(owner, counts.now())),
				owner.node(), longest.name(), longest.since(), List.of(first(longest)));
	}

	private static String silence(Owner owner, long now) {
		long reportedAt = owner.activity().reportedAt();
		return (reportedAt > 0 && now - reportedAt > MAX_SILENCE)
				? " The node's last report is %s old.".formatted(HumanTime.lasting(now - reportedAt)) : "";
	}

	/** The part of the shard in the rate of the queue. */
	private static String rate(JobView job, Owner owner) {
		NodeActivity.QueueSettings settings = owner.settings(job.shard().queue());
		return settings.rate().isEmpty() ? "" : " The queue may start %s, divided among its %s."
			.formatted(settings.rate(), plural(settings.shards(), "shard"));
	}

	/** How many threads the owner has, and what they do. */
	private static String threads(Owner owner, long now) {
		int count = owner.activity().threadCount();
		List<ThreadActivity> busy = owner.activity().busy();
		if (count == 0) {
			return "";
		}
		String doing = busy.isEmpty() ? "none of them busy" : "%s: %s"
			.formatted((busy.size() >= count) ? "all busy" : busy.size() + " of them busy", names(busy, now));
		return " Node %s has %s, %s.".formatted(owner.node(), plural(count, "thread"), doing);
	}

	/** The jobs that {@link #threads} names. */
	private static List<NamedJob> named(Owner owner) {
		return shown(owner.activity().busy()).map(JobDiagnosis::first).toList();
	}

	/** The longest runs, which are in the way if anything is. */
	private static Stream<ThreadActivity> shown(List<ThreadActivity> busy) {
		return busy.stream()
			.sorted(Comparator
				.comparingLong((ThreadActivity thread) -> (thread.since() > 0) ? thread.since() : Long.MAX_VALUE))
			.limit(MAX_NAMED);
	}

	private static NamedJob first(ThreadActivity thread) {
		return new NamedJob(Objects.requireNonNull(thread.queue()), thread.ids().get(0));
	}

	private static String plural(long count, String noun) {
		return String.format(Locale.ROOT, "%,d %s", count, (count == 1) ? noun : noun + "s");
	}

	private static String names(List<ThreadActivity> busy, long now) {
		String named = shown(busy)
			.map((thread) -> "'%s' of %s%s".formatted(LogText.of(thread.ids().get(0)), thread.queue(),
					lasting(thread, now)))
			.collect(Collectors.joining(", "));
		return (busy.size() > MAX_NAMED) ? String.format(Locale.ROOT, "%s and %,d more", named, busy.size() - MAX_NAMED)
				: named;
	}

	private static String lasting(ThreadActivity thread, long now) {
		return (thread.since() > 0) ? " for " + HumanTime.lasting(now - thread.since()) : "";
	}

	/** Counts the jobs of the shard that are fetched earlier. */
	private Before before(JobView job) {
		JobPage ready = first(job, JobList.READY);
		JobPage delayed = first(job, JobList.DELAYED);
		int place = place(job, ready);
		if (place >= 0) {
			return place(job, place, delayed, 0);
		}
		place = place(job, delayed);
		if (place >= 0) {
			return place(job, place, ready, 1);
		}
		boolean more = ready.next() != null || delayed.next() != null;
		return new Before(more ? MAX_BEFORE : 0, more);
	}

	/** Of jobs with the same time, delayed ones are fetched first. */
	private static Before place(JobView job, int place, JobPage others, int tie) {
		long earlier = others.jobs().stream().filter((other) -> other.performAt() + tie <= job.performAt()).count();
		return new Before(place + earlier, earlier == others.jobs().size() && others.next() != null);
	}

	private static int place(JobView job, JobPage page) {
		List<String> ids = page.jobs().stream().map(JobView::id).toList();
		return ids.indexOf(job.id());
	}

	private JobPage first(JobView job, JobList list) {
		return this.store.inspection().list(job.shard(), new JobQuery(list, false, null, null, MAX_BEFORE, 0));
	}

	/**
	 * The living session of the node whose session has ended: it may still be busy with
	 * runs that it had begun.
	 */
	private static @Nullable String successor(@Nullable String session, List<Member> members, List<EndedNode> past) {
		return past.stream()
			.filter((ended) -> ended.session().equals(session))
			.flatMap((ended) -> members.stream().filter((member) -> member.info().isSameProcess(ended.info())))
			.map(Member::session)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable Owner owner(@Nullable String session, List<Member> members, Map<String, String> reports) {
		return members.stream()
			.filter((member) -> member.session().equals(session))
			.findFirst()
			.map((member) -> owner(member, reports))
			.orElse(null);
	}

	private static Owner owner(Member member, Map<String, String> reports) {
		return new Owner(member.info().node(), member.info().leaseDuration(),
				NodeActivity.of(reports.get(member.session())));
	}

	/**
	 * The living node that owns the shard.
	 *
	 * @param node its id
	 * @param lease how long it may be silent
	 * @param activity what it does
	 */
	private record Owner(String node, Duration lease, NodeActivity activity) {

		private static final NodeActivity.QueueSettings UNKNOWN = new NodeActivity.QueueSettings(-1, 0, 0, -1, 0, 1, "",
				NodeActivity.Groups.NONE);

		/** Whether it has not reported for longer than its lease. */
		boolean hasProbablyDied(long now) {
			return this.activity.reportedAt() > 0 && now - this.activity.reportedAt() > this.lease.toMillis();
		}

		/** Says so. */
		String death(long now) {
			return "Node %s has probably died: its last report is %s old.".formatted(this.node,
					HumanTime.lasting(now - this.activity.reportedAt()));
		}

		boolean isFull() {
			int count = this.activity.threadCount();
			return count > 0 && this.activity.busy().size() >= count;
		}

		/** The settings of a queue by its report; unknown if it doesn't tell them. */
		NodeActivity.QueueSettings settings(String queue) {
			return this.activity.queues().getOrDefault(queue, UNKNOWN);
		}

	}

	/**
	 * The jobs that are fetched earlier than a job.
	 *
	 * @param jobs how many
	 * @param atLeast whether there may be more
	 */
	private record Before(long jobs, boolean atLeast) {

		private static final Before NONE = new Before(0, false);

		String counted() {
			return (this.atLeast ? "At least " : "") + plural(this.jobs, "job");
		}

		String verb() {
			return (this.jobs == 1) ? "is" : "are";
		}

	}

}
