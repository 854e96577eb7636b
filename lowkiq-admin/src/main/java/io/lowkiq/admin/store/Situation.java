package io.lowkiq.admin.store;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.admin.NodeActivity.QueueSettings;
import io.lowkiq.admin.store.LivingNode.Run;
import io.lowkiq.internal.TimeText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import io.lowkiq.store.node.Member;

/** The facts about an id. What few causes need is read when it is asked for. */
record Situation(RedisStore store, WaitingFollowUps followUps, QueueLayout layout, String id, List<JobView> jobs,
		ShardCounts counts, List<Member> members, List<EndedNode> past, Map<String, String> reports, LivingNode owner) {

	private static final int MAX_BEFORE = 1_000;

	static Situation of(RedisStore store, WaitingFollowUps followUps, QueueLayout layout, String id, List<JobView> jobs,
			ShardCounts counts) {
		List<Member> members = store.livingNodes().look().living();
		Map<String, String> reports = store.nodes().reports();
		LivingNode owner = members.stream()
			.filter((member) -> member.session().equals(counts.session()))
			.findFirst()
			.map((member) -> LivingNode.of(member, reports, counts.now()))
			.orElse(LivingNode.NONE);
		return new Situation(store, followUps, layout, id, jobs, counts, members, store.nodes().endedNodes(), reports,
				owner);
	}

	Shard shard() {
		return this.counts.shard();
	}

	String index() {
		return String.valueOf(shard().index());
	}

	boolean is(State state) {
		return this.jobs.stream().anyMatch((job) -> job.state() == state);
	}

	/** The job that is meant: the busy one, else the queued one, else the dead one. */
	JobView job() {
		return Stream.of(State.BUSY, State.QUEUED, State.DEAD)
			.flatMap((state) -> this.jobs.stream().filter((job) -> job.state() == state))
			.findFirst()
			.orElseThrow();
	}

	/** Whether it is on hold, or will be when it comes back. */
	boolean isHeld() {
		return job().performAt() == FetchResult.NOTHING;
	}

	boolean hasFailed() {
		return job().retryCount() >= 0;
	}

	/** How long it is until its time, in milliseconds. */
	long delay() {
		return job().performAt() - this.counts.now();
	}

	/** Its time, and how long it is until then. */
	String time() {
		return TimeText.of(job().performAt()) + ((delay() > 0) ? " (in %s)".formatted(HumanTime.lasting(delay())) : "");
	}

	boolean isUnreadable() {
		boolean isServed = this.owner.isKnown() && !this.owner.hasProbablyDied();
		return job().unreadableSince() > 0 && (isServed || (!is(State.BUSY) && delay() > 0));
	}

	QueueSettings settings() {
		return this.owner.settings(this.layout.name());
	}

	/**
	 * The node that performs a busy job: the owner, or the living session of the node
	 * whose session has ended. That may still be busy with runs that it had begun.
	 */
	LivingNode performer() {
		return this.owner.isKnown() ? this.owner : this.past.stream()
			.filter((ended) -> ended.session().equals(this.counts.session()))
			.flatMap((ended) -> this.members.stream().filter((member) -> member.info().isSameProcess(ended.info())))
			.findFirst()
			.map((member) -> LivingNode.of(member, this.reports, this.counts.now()))
			.orElse(LivingNode.NONE);
	}

	Optional<Run> run() {
		return performer().runs().stream().filter(this::isOfJob).findFirst();
	}

	/** A run of it that its owner began under an earlier lease. */
	Optional<Run> earlierRun() {
		return this.owner.runs().stream().filter((run) -> isOfJob(run) && isEarlier(run)).findFirst();
	}

	/** When the owner's last session before the present one ended. */
	Optional<Long> leaseLostAt() {
		return this.members.stream()
			.filter((member) -> member.session().equals(this.counts.session()))
			.flatMap((member) -> this.past.stream().filter((ended) -> member.info().isSameProcess(ended.info())))
			.map(EndedNode::endedAt)
			.max(Comparator.naturalOrder());
	}

	/**
	 * A run of a job that the store doesn't have any more. It began before the present
	 * lease, and was reported since: one under the present lease may have ended since the
	 * report. Nobody gives a lease back before its runs have ended, so a free shard has
	 * lost one only if it knows of no lease at all.
	 */
	Optional<Run> lostRun() {
		return this.members.stream()
			.flatMap((member) -> LivingNode.of(member, this.reports, this.counts.now()).runs().stream())
			.filter((run) -> isOfJob(run) && run.node().activity().reportedAt() > this.counts.since()
					&& (this.counts.epoch() == 0 || isEarlier(run)))
			.findFirst();
	}

	/**
	 * The lost run, if the store has forgotten its job. If nobody has noticed that, the
	 * run may have lost its lease, and another one completed the job.
	 */
	Optional<Run> forgottenRun() {
		return lostRun().filter((run) -> this.counts.epoch() == 0 || Forgotten.recent(this.store.nodes())
			.stream()
			.anyMatch((loss) -> loss.degree() == Degree.EVERYTHING && loss.noticedAt() > run.thread().since()));
	}

	/** The runs of other jobs of the shard, if there may be no more. */
	List<Run> runsOfFullShard() {
		// A run of the job itself has ended since the report: it would be busy
		List<Run> runs = this.owner.runs()
			.stream()
			.filter((run) -> run.thread().isOf(shard()) && !isOfJob(run))
			.toList();
		return (runs.size() >= settings().runsOf(shard())) ? runs : List.of();
	}

	private boolean isOfJob(Run run) {
		return run.thread().performs(shard(), this.id);
	}

	private boolean isEarlier(Run run) {
		return run.thread().since() > 0 && run.thread().since() < this.counts.since();
	}

	/** The shard in which it waits to be enqueued, as it follows a job that is done. */
	Optional<Shard> waitsIn() {
		return Optional.ofNullable(this.followUps.recent().shards().get(new NamedJob(this.layout.name(), this.id)));
	}

	JobGroup group() {
		return JobGroup.of(job(), settings().groups(), this.store, this.layout);
	}

	boolean isInTurn() {
		return this.counts.groups() > 0;
	}

	/**
	 * Says how many jobs of the shard are fetched earlier; empty if none, or if groups
	 * take turns.
	 */
	String before(String sentence) {
		if (isInTurn()) {
			return "";
		}
		JobPage ready = first(JobList.READY);
		JobPage delayed = first(JobList.DELAYED);
		int inReady = place(ready);
		int place = Math.max(inReady, place(delayed));
		// Of jobs with the same time, delayed ones are fetched first
		long latest = job().performAt() - ((inReady >= 0) ? 0 : 1);
		JobPage others = (inReady >= 0) ? delayed : ready;
		long earlier = others.jobs().stream().filter((other) -> other.performAt() <= latest).count();
		boolean isMore = (place < 0) ? ready.next() != null || delayed.next() != null
				: earlier == others.jobs().size() && others.next() != null;
		long count = (place >= 0) ? place + earlier : isMore ? MAX_BEFORE : 0;
		return (count == 0) ? "" : sentence.formatted((isMore ? "At least " : "") + LivingNode.plural(count, "job"),
				(count == 1) ? "is" : "are");
	}

	private int place(JobPage page) {
		return page.jobs().stream().map(JobView::id).toList().indexOf(this.id);
	}

	private JobPage first(JobList list) {
		return this.store.inspection().list(shard(), new JobQuery(list, false, null, null, MAX_BEFORE, 0));
	}

}
