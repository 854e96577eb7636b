package io.lowkiq.dashboard;

import java.util.List;
import java.util.Optional;

import io.lowkiq.dashboard.NodeActivity.ThreadActivity;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * Tells in one sentence why a job is not being performed right now, or that it is.
 */
final class WhyNotPerformed {

	private static final int MOST_BEFORE = 1_000;

	private final ShardInspection inspection;

	WhyNotPerformed(ShardInspection inspection) {
		this.inspection = inspection;
	}

	/**
	 * The reason.
	 */
	enum Reason {

		/** It is being performed. */
		PERFORMED,

		/** It was fetched and its thread has not begun with it. */
		FETCHED,

		/** It was busy on a node that has gone. */
		NODE_GONE,

		/** The queue is paused. */
		PAUSED,

		/** It waits for its retry. */
		RETRY,

		/** It waits for its time. */
		SCHEDULED,

		/** No node owns its shard. */
		NO_OWNER,

		/** The node that owned its shard has gone. */
		OWNER_GONE,

		/** Others are before it. */
		OTHERS_BEFORE,

		/** It is the next one. */
		NEXT,

		/** It lies in the morgue. */
		DEAD,

		/** There is none. */
		UNKNOWN

	}

	/**
	 * The answer.
	 *
	 * @param reason the reason
	 * @param sentence the same for people
	 * @param node the node that performs it; null if none does
	 * @param thread the thread that performs it; null if unknown
	 * @param since since when it is performed; 0 if unknown
	 */
	record Answer(Reason reason, String sentence, @Nullable String node, @Nullable String thread, long since) {

		private static Answer of(Reason reason, String sentence) {
			return new Answer(reason, sentence, null, null, 0);
		}

	}

	Answer explain(Shard shard, List<JobView> jobs, ShardCounts counts, Membership membership) {
		Optional<JobView> busy = in(jobs, State.BUSY);
		if (busy.isPresent()) {
			return performed(busy.get(), counts, membership);
		}
		Optional<JobView> queued = in(jobs, State.QUEUED);
		if (queued.isPresent()) {
			return waiting(shard, queued.get(), counts, membership);
		}
		return in(jobs, State.DEAD)
			.map((dead) -> Answer.of(Reason.DEAD,
					"It lies in the morgue since %s; it is not performed until it is queued up again."
						.formatted(HumanTime.at(dead.performAt()))))
			.orElseGet(() -> Answer.of(Reason.UNKNOWN, "No job with this id is queued, being performed, or dead."));
	}

	private static Optional<JobView> in(List<JobView> jobs, State state) {
		return jobs.stream().filter((job) -> job.state() == state).findFirst();
	}

	private static Answer performed(JobView job, ShardCounts counts, Membership membership) {
		Member owner = owner(counts, membership);
		if (owner == null) {
			return Answer.of(Reason.NODE_GONE,
					"The node that performed it has gone; it comes back as soon as another node takes over shard %d."
						.formatted(job.shard().index()));
		}
		String node = owner.info().node();
		for (ThreadActivity thread : NodeActivity.of(owner.info()).threads()) {
			if (thread.performs(job.shard(), job.id())) {
				String lasting = (thread.since() > 0) ? " for " + HumanTime.lasting(membership.now() - thread.since())
						: "";
				return new Answer(Reason.PERFORMED,
						"It is being performed%s by thread %s of node %s.".formatted(lasting, thread.name(), node),
						node, thread.name(), thread.since());
			}
		}
		return new Answer(Reason.FETCHED, "It is being performed by node %s, or the next one there.".formatted(node),
				node, null, 0);
	}

	private Answer waiting(Shard shard, JobView job, ShardCounts counts, Membership membership) {
		String paused = counts.paused() ? ", and the queue is paused" : "";
		if (job.performAt() > counts.now()) {
			String time = "%s (in %s)".formatted(HumanTime.at(job.performAt()),
					HumanTime.lasting(job.performAt() - counts.now()));
			return (job.retryCount() >= 0)
					? Answer.of(Reason.RETRY,
							"It failed and waits for its retry %d at %s%s.".formatted(job.retryCount() + 1, time,
									paused))
					: Answer.of(Reason.SCHEDULED, "It waits for its time, %s%s.".formatted(time, paused));
		}
		if (counts.paused()) {
			return Answer.of(Reason.PAUSED,
					"The queue is paused; it is due since %s and is performed once the queue is resumed."
						.formatted(HumanTime.at(job.performAt())));
		}
		if (counts.session() == null) {
			return Answer.of(Reason.NO_OWNER,
					"Shard %d has no owner: no running node serves this queue.".formatted(shard.index()));
		}
		Member owner = owner(counts, membership);
		if (owner == null) {
			return Answer.of(Reason.OWNER_GONE,
					"The node that owned shard %d has gone; it is performed once another node takes the shard over."
						.formatted(shard.index()));
		}
		return before(job, counts, owner);
	}

	private Answer before(JobView job, ShardCounts counts, Member owner) {
		List<JobView> first = this.inspection
			.list(job.shard(),
					new JobQuery(State.QUEUED, JobQuery.Order.PERFORM_AT, false, null, null, null, MOST_BEFORE, 0))
			.jobs();
		long place = first.stream().takeWhile((other) -> !other.id().equals(job.id())).count();
		long before = place + counts.busy();
		String node = owner.info().node();
		if (place == MOST_BEFORE) {
			return Answer.of(Reason.OTHERS_BEFORE, "More than %d jobs of shard %d are before it; node %s works on them."
				.formatted(MOST_BEFORE, job.shard().index(), node));
		}
		if (before > 0) {
			return Answer.of(Reason.OTHERS_BEFORE,
					"%d %s of shard %d %s before it; node %s works on %s.".formatted(before,
							(before == 1) ? "job" : "jobs", job.shard().index(), (before == 1) ? "is" : "are", node,
							(before == 1) ? "it" : "them"));
		}
		return Answer.of(Reason.NEXT, "It is the next one of shard %d: node %s performs it as soon as a thread is free."
			.formatted(job.shard().index(), node));
	}

	private static @Nullable Member owner(ShardCounts counts, Membership membership) {
		return membership.members()
			.stream()
			.filter((member) -> member.session().equals(counts.session()))
			.findFirst()
			.orElse(null);
	}

}
