package io.lowkiq.admin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.lowkiq.LogText;
import io.lowkiq.admin.JobStatus.Reason;
import io.lowkiq.admin.NodeActivity.ThreadActivity;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Member;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;

/**
 * Says in a sentence or two why a job is not being performed right now, or that it is.
 */
final class WhyNotPerformed {

	private static final int MOST_BEFORE = 1_000;

	/** So many other jobs are named. */
	private static final int MOST_NAMED = 3;

	private final ShardInspection inspection;

	WhyNotPerformed(ShardInspection inspection) {
		this.inspection = inspection;
	}

	/**
	 * Why a job is not being performed.
	 * @param jobs the jobs of the id: queued, busy, dead
	 * @param counts the counts of its shard
	 * @param members the living sessions
	 * @param reports what the nodes do, by session
	 * @return the answer
	 */
	JobStatus explain(List<JobView> jobs, ShardCounts counts, List<Member> members, Map<String, String> reports) {
		Owner owner = owner(counts, members, reports);
		Optional<JobView> busy = in(jobs, State.BUSY);
		Optional<JobView> queued = in(jobs, State.QUEUED);
		if (busy.isPresent()) {
			return performed(busy.get(), queued.isPresent(), counts, owner);
		}
		if (queued.isPresent()) {
			return waiting(queued.get(), counts, owner);
		}
		return in(jobs, State.DEAD)
			.map((dead) -> JobStatus.of(Reason.DEAD,
					"Dead since %s. It is not performed unless it is enqueued again."
						.formatted(HumanTime.at(dead.performAt()))))
			.orElseGet(() -> JobStatus.of(Reason.UNKNOWN, "No job with this id is queued, being performed, or dead."));
	}

	private static Optional<JobView> in(List<JobView> jobs, State state) {
		return jobs.stream().filter((job) -> job.state() == state).findFirst();
	}

	private static JobStatus performed(JobView job, boolean queued, ShardCounts counts, @Nullable Owner owner) {
		boolean isErased = job.payloadCount() == 0;
		String behind = (isErased ? " It was erased meanwhile and does not come back." : "")
				+ (queued ? " Payloads enqueued meanwhile wait until it ends." : "");
		if (owner == null && isErased) {
			return JobStatus.of(Reason.NODE_GONE, "The node that was performing it is gone." + behind);
		}
		if (owner == null) {
			return JobStatus.of(Reason.NODE_GONE,
					"The node that was performing it is gone. It will be performed again as soon as another node takes over shard %d."
						.formatted(job.shard().index()));
		}
		String node = owner.node();
		for (ThreadActivity thread : owner.activity().threads()) {
			if (thread.performs(job.shard(), job.id())) {
				return new JobStatus(
						Reason.PERFORMED, "It has been running%s on thread %s of node %s.%s"
							.formatted(lasting(thread, counts.now()), thread.name(), node, behind),
						node, thread.name(), thread.since());
			}
		}
		return new JobStatus(Reason.FETCHED,
				"Node %s has fetched it, and will perform it as soon as a thread is free.%s".formatted(node, behind),
				node, null, 0);
	}

	private JobStatus waiting(JobView job, ShardCounts counts, @Nullable Owner owner) {
		String paused = counts.paused() ? ", and the queue is paused" : "";
		if (job.performAt() == FetchResult.NOTHING) {
			return JobStatus.of(Reason.HELD, "%s on hold until someone releases it%s."
				.formatted((job.retryCount() >= 0) ? "It failed, and it is" : "It is", paused));
		}
		if (job.performAt() > counts.now()) {
			String time = "%s (in %s)".formatted(HumanTime.at(job.performAt()),
					HumanTime.lasting(job.performAt() - counts.now()));
			return (job.retryCount() >= 0)
					? JobStatus.of(Reason.RETRY,
							"It failed and waits for its retry %d at %s%s.".formatted(job.retryCount() + 1, time,
									paused))
					: JobStatus.of(Reason.SCHEDULED, "It is scheduled for %s%s.".formatted(time, paused));
		}
		if (counts.paused()) {
			return JobStatus.of(Reason.PAUSED,
					"The queue is paused. It has been due since %s and will be performed when the queue is resumed."
						.formatted(HumanTime.at(job.performAt())));
		}
		int shard = job.shard().index();
		if (counts.session() == null) {
			return JobStatus.of(Reason.NO_OWNER,
					"Shard %d has no owner: no running node serves this queue.".formatted(shard));
		}
		if (owner == null) {
			return JobStatus.of(Reason.OWNER_GONE,
					"The node that owned shard %d is gone. It will be performed when another node takes over the shard."
						.formatted(shard));
		}
		if (job.crashes() >= ShardStore.SUSPECT_AFTER) {
			return JobStatus.of(Reason.SUSPECT,
					"It was being performed when a node crashed or ran out of memory. Node %s performs such jobs one at a time.%s"
						.formatted(owner.node(), threads(owner, counts.now())));
		}
		return due(job, counts, owner);
	}

	private JobStatus due(JobView job, ShardCounts counts, Owner owner) {
		Before before = before(job);
		String threads = threads(owner, counts.now());
		if (before.jobs() > 0) {
			String sentence = "%s%,d %s of shard %d %s ahead of it.".formatted(before.atLeast() ? "At least " : "",
					before.jobs(), (before.jobs() == 1) ? "job" : "jobs", job.shard().index(),
					(before.jobs() == 1) ? "is" : "are");
			return JobStatus.of(owner.isFull() ? Reason.NO_FREE_THREAD : Reason.OTHERS_BEFORE, sentence + threads);
		}
		if (owner.isFull()) {
			return JobStatus.of(Reason.NO_FREE_THREAD, "It waits for a free thread." + threads);
		}
		List<ThreadActivity> sameShard = owner.activity()
			.busy()
			.stream()
			.filter((thread) -> thread.isOf(job.shard()))
			.toList();
		String next = "It is next in shard %d: node %s performs it as soon as a thread is free"
			.formatted(job.shard().index(), owner.node());
		return JobStatus.of(
				Reason.NEXT, next
						+ (sameShard.isEmpty() ? "." : ", or, if shard-concurrency allows no more "
								+ "ids of this shard at a time, after " + names(sameShard, counts.now()) + ".")
						+ threads);
	}

	/** How many threads the owner has, and what they do. */
	private static String threads(Owner owner, long now) {
		int count = owner.activity().threadCount();
		List<ThreadActivity> busy = owner.activity().busy();
		if (count == 0) {
			return "";
		}
		if (busy.isEmpty()) {
			return " Node %s has %s, none of them busy.".formatted(owner.node(), plural(count, "thread"));
		}
		return (busy.size() >= count)
				? " Node %s has %s, all busy: %s.".formatted(owner.node(), plural(count, "thread"), names(busy, now))
				: " Node %s has %s, %d of them busy: %s.".formatted(owner.node(), plural(count, "thread"), busy.size(),
						names(busy, now));
	}

	private static String plural(int count, String noun) {
		return "%,d %s".formatted(count, (count == 1) ? noun : noun + "s");
	}

	private static String names(List<ThreadActivity> busy, long now) {
		String named = busy.stream()
			.limit(MOST_NAMED)
			.map((thread) -> "'%s' of %s%s".formatted(LogText.of(thread.ids().get(0)), thread.queue(),
					lasting(thread, now)))
			.collect(Collectors.joining(", "));
		return (busy.size() > MOST_NAMED) ? "%s and %,d more".formatted(named, busy.size() - MOST_NAMED) : named;
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
		return new Before(more ? MOST_BEFORE : 0, more);
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
		return this.inspection.list(job.shard(), new JobQuery(list, false, null, null, MOST_BEFORE, 0));
	}

	private static @Nullable Owner owner(ShardCounts counts, List<Member> members, Map<String, String> reports) {
		return members.stream()
			.filter((member) -> member.session().equals(counts.session()))
			.findFirst()
			.map((member) -> new Owner(member.info().node(), NodeActivity.of(reports.get(member.session()))))
			.orElse(null);
	}

	/**
	 * The living node that owns the shard.
	 *
	 * @param node its id
	 * @param activity what it does
	 */
	private record Owner(String node, NodeActivity activity) {

		boolean isFull() {
			int count = this.activity.threadCount();
			return count > 0 && this.activity.busy().size() >= count;
		}

	}

	/**
	 * The jobs that are fetched earlier than a job.
	 *
	 * @param jobs how many
	 * @param atLeast whether there may be more
	 */
	private record Before(long jobs, boolean atLeast) {
	}

}
