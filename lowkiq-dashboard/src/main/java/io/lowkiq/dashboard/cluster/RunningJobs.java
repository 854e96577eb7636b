package io.lowkiq.dashboard.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.lowkiq.admin.NodeActivity;
import io.lowkiq.admin.NodeActivity.ThreadActivity;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;

/**
 * The jobs in progress on all nodes by their reports, and how many threads these have.
 * The longest run comes first.
 */
public record RunningJobs(int threadCount, List<Perform> performs) {

	/** The run of one thread of a node; its stack is null if that is not known. */
	record Perform(Member member, ThreadActivity thread, NodeActivity.@Nullable Stack stack) {

		private ClusterDocuments.RunningJobs view() {
			return new ClusterDocuments.RunningJobs(this.member.info().node(), this.member.session(),
					this.thread.name(), this.thread.queue(), this.thread.shard(), this.thread.ids(),
					this.thread.since(), this.stack != null);
		}

	}

	/**
	 * Looks into the reports.
	 * @param queue only runs of this queue; null for all
	 */
	public static RunningJobs of(ClusterSnapshot reading, @Nullable String queue) {
		return of(reading, (member) -> true, (thread) -> queue == null || queue.equals(thread.queue()));
	}

	/** Looks into the reports of some nodes. */
	static RunningJobs onNodes(ClusterSnapshot reading, Predicate<Member> nodes) {
		return of(reading, nodes, (thread) -> true);
	}

	private static RunningJobs of(ClusterSnapshot reading, Predicate<Member> nodes, Predicate<ThreadActivity> runs) {
		int threads = 0;
		List<Perform> performs = new ArrayList<>();
		for (Member member : reading.nodes().stream().filter(nodes).toList()) {
			NodeActivity activity = reading.activity(member.session());
			threads += activity.threadCount();
			activity.busy()
				.stream()
				.filter(runs)
				.forEach((thread) -> performs.add(new Perform(member, thread, activity.stacks().get(thread.name()))));
		}
		performs.sort(Comparator.comparingLong(RunningJobs::order));
		return new RunningJobs(threads, List.copyOf(performs));
	}

	/** Whether all threads perform jobs. */
	boolean isBusy() {
		return this.threadCount > 0 && this.performs.size() >= this.threadCount;
	}

	/** The time to sort by: unknown beginnings come last. */
	private static long order(Perform perform) {
		return (perform.thread().since() > 0) ? perform.thread().since() : Long.MAX_VALUE;
	}

	/**
	 * The document.
	 * @param limit the maximum number of runs
	 */
	public ClusterDocuments.Running view(long now, int limit) {
		return new ClusterDocuments.Running(now, this.threadCount, this.performs.size(), this.performs.size() > limit,
				this.performs.stream().limit(limit).map(Perform::view).toList());
	}

	/** Where a thread is; null if that is not known. */
	public ClusterDocuments.@Nullable StackTrace stack(long now, @Nullable String session, @Nullable String name) {
		for (Perform perform : this.performs) {
			ThreadActivity thread = perform.thread();
			NodeActivity.Stack stack = perform.stack();
			if (stack != null && perform.member().session().equals(session) && thread.name().equals(name)) {
				return new ClusterDocuments.StackTrace(now, perform.member().info().node(), thread.name(),
						thread.queue(), thread.shard(), thread.ids(), thread.since(), stack.takenAt(), stack.frames());
			}
		}
		return null;
	}

}
