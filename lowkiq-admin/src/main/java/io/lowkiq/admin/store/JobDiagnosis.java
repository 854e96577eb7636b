package io.lowkiq.admin.store;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.JobStatus.Reason;
import io.lowkiq.admin.store.LivingNode.Run;
import io.lowkiq.internal.LogText;
import io.lowkiq.internal.TimeText;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.JobView.State;

/**
 * Says in a sentence or two why a job is not being performed right now, or that it is.
 */
final class JobDiagnosis {

	private static final int MAX_REASON = 200;

	/** The first cause that applies is the answer, so each relies on those above it. */
	static final List<Cause> CAUSES = List.of(
			// Nothing is queued or busy
			Cause.of(Reason.FOLLOW_UP, (job) -> job.jobs().isEmpty() && job.waitsIn().isPresent(),
					"It follows a job that is done, and waits in shard %s to be enqueued. If this lasts, the log of that shard's node says why.",
					(job) -> job.waitsIn().orElseThrow()),
			Cause.ofRun(Reason.FORGOTTEN, (job) -> job.jobs().isEmpty() ? job.forgottenRun() : Optional.empty(),
					"It runs on %s, but Redis no longer has it: its follow-ups, its retry and its failure will be lost.%s",
					(job, run) -> List.of(run.place(), run.node().silence())),
			Cause.ofRun(Reason.EARLIER_RUN, (job) -> job.jobs().isEmpty() ? job.lostRun() : Optional.empty(),
					"It runs on %s, which has lost its lease of shard %s. Another node may have performed it since. The result of this run is ignored.%s",
					(job, run) -> List.of(run.place(), job.index(), run.node().silence())),
			Cause.of(Reason.UNKNOWN, (job) -> job.jobs().isEmpty(),
					"No job with this id is queued, being performed, or dead. Done jobs leave no trace in Redis; the log io.lowkiq.runs of the nodes has their runs.%s",
					JobDiagnosis::mayFollow),
			Cause.of(Reason.DEAD, (job) -> job.job().state() == State.DEAD,
					"Dead since %s%s. It does not run again unless it is enqueued again.", Situation::time,
					JobDiagnosis::error),

			// Queued or busy
			Cause.of(Reason.NEWER_SHARD, (job) -> job.counts().newer(),
					"Shard %s was written by a newer version of Lowkiq. Only nodes of that version perform its jobs.",
					Situation::index),
			Cause.of(Reason.HELD, (job) -> !job.is(State.BUSY) && job.isHeld(),
					"%s on hold until someone releases it%s.",
					(job) -> job.hasFailed() ? "It failed, and it is" : "It is", JobDiagnosis::paused),
			Cause.of(Reason.UNREADABLE, Situation::isUnreadable,
					"Its first payload%s has been unreadable since %s%s. It is tried again and becomes dead %s%s. Deploy a version that can read it; or put the job on hold and edit the payload; or move it to Dead now, if nobody needs it.",
					JobDiagnosis::score, (job) -> TimeText.of(job.job().unreadableSince()), JobDiagnosis::error,
					JobDiagnosis::endOfGrace, (job) -> job.counts().paused() ? "; the queue is paused" : ""),

			// Busy
			Cause.of(Reason.NODE_GONE, (job) -> job.is(State.BUSY) && !job.performer().isKnown(),
					"The node that was performing it is gone. %s", JobDiagnosis::comesBack),
			Cause.of(Reason.NODE_GONE, (job) -> job.is(State.BUSY) && job.performer().hasProbablyDied(),
					"%s It had fetched the job. %s", (job) -> job.performer().death(), JobDiagnosis::comesBack),
			Cause.ofRun(Reason.PERFORMED, (job) -> job.is(State.BUSY) ? job.run() : Optional.empty(),
					"It has been running%s on %s.%s%s%s",
					(job, run) -> List.of(run.lasting(), run.place(), run.node().silence(), leaseLost(job),
							behind(job))),
			new Cause((job) -> Optional.of(job).filter((busy) -> busy.is(State.BUSY)).map(JobDiagnosis::fetched)),

			// Queued
			Cause.of(Reason.GATHERING,
					(job) -> job.delay() > 0 && !job.hasFailed() && job.delay() <= job.settings().debounce(),
					"It gathers payloads until %s%s. A new one can postpone that.", Situation::time,
					JobDiagnosis::paused),
			Cause.of(Reason.RETRY, (job) -> job.delay() > 0 && job.hasFailed(),
					"It failed and waits for attempt %s at %s%s.", (job) -> job.job().retryCount() + 2, Situation::time,
					JobDiagnosis::paused),
			Cause.of(Reason.SCHEDULED, (job) -> job.delay() > 0, "It is scheduled for %s%s.", Situation::time,
					JobDiagnosis::paused),
			Cause.of(Reason.PAUSED, (job) -> job.counts().paused(),
					"The queue is paused. It has been due since %s and will be performed when the queue is resumed.",
					Situation::time),
			Cause.of(Reason.NO_OWNER, (job) -> job.counts().session() == null,
					"Shard %s has no owner: no running node serves this queue.", Situation::index),
			Cause.of(Reason.OWNER_GONE, (job) -> !job.owner().isKnown(),
					"The node that owned shard %s is gone. It will be performed when another node takes over the shard.",
					Situation::index),
			Cause.of(Reason.OWNER_GONE, (job) -> job.owner().hasProbablyDied(),
					"%s The job will be performed when another node takes over shard %s.", (job) -> job.owner().death(),
					Situation::index),
			Cause.ofRun(Reason.EARLIER_RUN, Situation::earlierRun,
					"Its earlier run, whose lease was lost%s, has been running%s on %s. It runs again when that ends.%s",
					(job, run) -> List.of(job.leaseLostAt().map((at) -> " at " + TimeText.of(at)).orElse(""),
							run.lasting(), run.place(), run.node().silence())),
			Cause.of(Reason.SUSPECT, (job) -> job.job().crashes() >= ShardStore.SUSPECT_AFTER,
					"It was being performed when a node crashed or ran out of memory. Node %s performs such jobs one at a time.%s",
					(job) -> job.owner().name(), (job) -> job.owner().threads())
				.naming(),

			// Due
			new Cause((job) -> Optional.ofNullable(
					job.group().limited(job.owner().name(), job.owner().activity().busy(), job.counts().now()))),
			Cause.ofRun(Reason.SHARD_BUSY, (job) -> job.runsOfFullShard().stream().findFirst(),
					"Waiting for '%s'%s (%s)%s: shard %s runs %s at a time.%s%s", JobDiagnosis::shardBusy),
			Cause
				.of(Reason.NO_FREE_THREAD, (job) -> job.owner().isFull(), "%s%s",
						(job) -> ahead(job).orElse("It waits for a free thread."), JobDiagnosis::threads)
				.naming(),
			Cause
				.of(Reason.OTHERS_BEFORE, (job) -> ahead(job).isPresent(), "%s%s", (job) -> ahead(job).orElseThrow(),
						JobDiagnosis::threads)
				.naming(),
			Cause
				.of(Reason.NEXT, (job) -> true, "It is next in shard %s: node %s %s.%s", Situation::index,
						(job) -> job.owner().name(), JobDiagnosis::start, JobDiagnosis::threads)
				.naming());

	private JobDiagnosis() {
	}

	static JobStatus of(Situation job) {
		return CAUSES.stream().flatMap((cause) -> cause.answer().apply(job).stream()).findFirst().orElseThrow();
	}

	/** A reason, with the status that it gives if it applies. */
	record Cause(Function<Situation, Optional<JobStatus>> answer) {

		@SafeVarargs
		@SuppressWarnings("varargs")
		static Cause of(Reason reason, Predicate<Situation> when, String sentence, Function<Situation, ?>... parts) {
			return new Cause((job) -> Optional.of(job)
				.filter(when)
				.map((each) -> JobStatus.of(reason,
						sentence.formatted(Stream.of(parts).map((part) -> part.apply(each)).toArray()))));
		}

		/** A reason that is a run, of the job itself or of another one. */
		static Cause ofRun(Reason reason, Function<Situation, Optional<Run>> when, String sentence,
				BiFunction<Situation, Run, List<String>> parts) {
			return new Cause((job) -> when.apply(job)
				.map((run) -> new JobStatus(reason, sentence.formatted(parts.apply(job, run).toArray()),
						run.node().name(), run.thread().name(), run.thread().since(),
						run.thread().performs(job.shard(), job.id()) ? List.of() : List.of(run.job()))));
		}

		/** A reason whose sentence ends with what the threads of the owner do. */
		Cause naming() {
			return new Cause((job) -> this.answer.apply(job)
				.map((status) -> JobStatus.of(status.reason(), status.sentence(), job.owner().named())));
		}

	}

	private static String mayFollow(Situation job) {
		return job.followUps().recent().complete() ? "" : String.format(Locale.ROOT,
				" More than %,d payloads that follow other jobs wait for their queues, and not all of them were read: it may be one of them.",
				WaitingFollowUps.MAX_READ);
	}

	private static String leaseLost(Situation job) {
		return job.owner().isKnown() ? ""
				: " The node has lost its lease on shard %s: unless it gets it back, another node performs the job again."
					.formatted(job.index());
	}

	/** Says what happens to a busy job when it has been performed. */
	private static String behind(Situation job) {
		return (job.job().payloadCount() == 0 ? " It was erased meanwhile and does not come back."
				: job.isHeld() ? " If it comes back, it waits until someone releases it." : "")
				+ (job.is(State.QUEUED) ? " Payloads enqueued meanwhile wait until it ends." : "");
	}

	/** Says what happens to a busy job whose node is gone. */
	private static String comesBack(Situation job) {
		return (job.job().payloadCount() == 0) ? behind(job).strip()
				: "It %s as soon as another node takes over shard %s."
					.formatted(job.isHeld() ? "is put on hold" : "will be performed again", job.index());
	}

	/** No thread is reported to perform a busy job. */
	private static JobStatus fetched(Situation job) {
		LivingNode node = job.performer();
		if (!job.owner().isKnown()) {
			return new JobStatus(Reason.NODE_GONE,
					"Node %s was performing it and lost its lease on shard %s. It will be performed again as soon as a node owns the shard.%s"
						.formatted(node.name(), job.index(), behind(job)),
					node.name(), null, 0, List.of());
		}
		String batch = node.runs()
			.stream()
			.filter((run) -> run.thread().isOf(job.shard()) && run.thread().moreIds() > 0)
			.findFirst()
			.map((run) -> String.format(Locale.ROOT,
					"; it is probably one of the %,d ids that thread %s has been performing together%s",
					run.thread().ids().size() + run.thread().moreIds(), run.thread().name(), run.lasting()))
			.orElse(node.isFull() ? ", and will perform it as soon as a thread is free"
					: ", and is about to perform it");
		return new JobStatus(
				Reason.FETCHED, "Node %s has fetched it%s.%s%s%s".formatted(node.name(), batch,
						node.isFull() ? node.threads() : "", node.silence(), behind(job)),
				node.name(), null, 0, node.isFull() ? node.named() : List.of());
	}

	/** The score of an unreadable payload, if there are others. */
	private static String score(Situation job) {
		JobView known = job.job();
		return (known.payloadCount() < 2 || known.payloads().isEmpty()) ? "" : " (score %s)"
			.formatted(BigDecimal.valueOf(known.payloads().get(0).score()).stripTrailingZeros().toPlainString());
	}

	private static String endOfGrace(Situation job) {
		long grace = job.settings().unreadableGrace();
		long end = job.job().unreadableSince() + grace;
		return (grace < 0) ? "when its unreadable-grace is over"
				: "at %s (in %s)".formatted(TimeText.of(end), HumanTime.lasting(end - job.counts().now()));
	}

	/** The first line of a job's error, with a colon before it. */
	private static String error(Situation job) {
		String line = LogText.of(Objects.requireNonNullElse(job.job().error(), "").lines().findFirst().orElse(""),
				MAX_REASON);
		return line.isBlank() ? "" : ": " + (line.endsWith(".") ? line.substring(0, line.length() - 1) : line);
	}

	private static String paused(Situation job) {
		return job.counts().paused() ? ", and the queue is paused" : "";
	}

	/** Another job is in the way, whatever the other threads do. */
	private static List<String> shardBusy(Situation job, Run longest) {
		int running = job.runsOfFullShard().size();
		return List.of(LogText.of(longest.job().id()),
				longest.lasting().isEmpty() ? "" : ", which has been running" + longest.lasting(), longest.place(),
				(running > 1) ? ", and " + LivingNode.plural(running - 1, "other job") : "", job.index(),
				(running == 1) ? "one id" : running + " ids", job.before(" %s %s ahead."), longest.node().silence());
	}

	/** Says what comes earlier. */
	private static Optional<String> ahead(Situation job) {
		String shard = job.index();
		return Optional
			.of(job.isInTurn()
					? "It waits for the turn of its group: jobs of %s wait in shard %s.%s"
						.formatted(LivingNode.plural(job.counts().groups(), "group"), shard, job.group().rate())
					: job.before("%%s of shard %s %%s ahead of it.".formatted(shard)))
			.filter((sentence) -> !sentence.isEmpty());
	}

	/** Says when the job that is next begins. */
	private static String start(Situation job) {
		long start = job.settings().starts().getOrDefault(job.index(), 0L);
		long now = job.counts().now();
		return (job.owner().activity().threadCount() == 0) ? "performs it as soon as a thread is free" : (start > now)
				? "starts it at %s at the latest (in %s)".formatted(TimeText.of(start), HumanTime.lasting(start - now))
				: "is about to perform it";
	}

	/** Says what the owner of a due job may start, and what its threads do. */
	private static String threads(Situation job) {
		String rate = job.settings().rate();
		return (rate.isEmpty() ? ""
				: " The queue may start %s, divided among its %s.".formatted(rate,
						LivingNode.plural(job.settings().shards(), "shard")))
				+ job.owner().threads() + job.owner().silence();
	}

}
