package io.lowkiq.admin.store;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.admin.JobStatus.NamedJob;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.admin.NodeActivity.QueueSettings;
import io.lowkiq.admin.NodeActivity.ThreadActivity;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.node.Member;

/**
 * A node whose session lives, by its last report.
 *
 * @param lease how long it may be silent
 * @param now the store's time, in milliseconds since 1970
 */
record LivingNode(String name, Duration lease, NodeActivity activity, long now) {

	static final LivingNode NONE = new LivingNode("", Duration.ZERO, NodeActivity.of(null), 0);

	/** A node that reports less often may be in trouble. */
	private static final long MAX_SILENCE = 10_000;

	private static final int MAX_NAMED = 3;

	private static final QueueSettings UNKNOWN = new QueueSettings(-1, 0, 0, -1, 0, 1, "", Map.of(), Set.of(),
			NodeActivity.Groups.NONE);

	static LivingNode of(Member member, Map<String, String> reports, long now) {
		return new LivingNode(member.info().node(), member.info().leaseDuration(),
				NodeActivity.of(reports.get(member.session())), now);
	}

	boolean isKnown() {
		return !equals(NONE);
	}

	/** Whether it has not reported for longer than its lease. */
	boolean hasProbablyDied() {
		return this.activity.reportedAt() > 0 && this.now - this.activity.reportedAt() > this.lease.toMillis();
	}

	/** Says so. */
	String death() {
		return "Node %s has probably died: its last report is %s old.".formatted(this.name,
				lasting(this.activity.reportedAt()));
	}

	/** Says that the last report is old; empty if it isn't. */
	String silence() {
		long reportedAt = this.activity.reportedAt();
		return (reportedAt > 0 && this.now - reportedAt > MAX_SILENCE)
				? " The node's last report is %s old.".formatted(lasting(reportedAt)) : "";
	}

	boolean isFull() {
		int count = this.activity.threadCount();
		return count > 0 && this.activity.busy().size() >= count;
	}

	/** The settings of a queue by its report; unknown if it doesn't tell them. */
	QueueSettings settings(String queue) {
		return this.activity.queues().getOrDefault(queue, UNKNOWN);
	}

	/** The runs, the longest first: these are in the way if any are. */
	List<Run> runs() {
		return this.activity.busy()
			.stream()
			.sorted(Comparator.comparingLong((thread) -> (thread.since() > 0) ? thread.since() : Long.MAX_VALUE))
			.map((thread) -> new Run(this, thread))
			.toList();
	}

	/** Says how many threads it has, and what they do; empty if unknown. */
	String threads() {
		int count = this.activity.threadCount();
		List<Run> runs = runs();
		if (count == 0) {
			return "";
		}
		String named = runs.stream()
			.limit(MAX_NAMED)
			.map((run) -> "'%s' of %s%s".formatted(LogText.of(run.job().id()), run.job().queue(), run.lasting()))
			.collect(Collectors.joining(", "));
		return " Node %s has %s, %s%s%s.".formatted(this.name, plural(count, "thread"),
				runs.isEmpty() ? "none of them busy" : isFull() ? "all busy: " : runs.size() + " of them busy: ", named,
				(runs.size() > MAX_NAMED) ? String.format(Locale.ROOT, " and %,d more", runs.size() - MAX_NAMED) : "");
	}

	/** The jobs that {@link #threads} names. */
	List<NamedJob> named() {
		return runs().stream().limit(MAX_NAMED).map(Run::job).toList();
	}

	private String lasting(long since) {
		return HumanTime.lasting(this.now - since);
	}

	static String plural(long count, String noun) {
		return String.format(Locale.ROOT, "%,d %s", count, (count == 1) ? noun : noun + "s");
	}

	record Run(LivingNode node, ThreadActivity thread) {

		NamedJob job() {
			return new NamedJob(Objects.requireNonNull(this.thread.queue()), this.thread.ids().get(0));
		}

		/** Says how long it has been running; empty if unknown. */
		String lasting() {
			return (this.thread.since() > 0) ? " for " + this.node.lasting(this.thread.since()) : "";
		}

		String place() {
			return "thread %s of node %s".formatted(this.thread.name(), this.node.name());
		}

	}

}
