package io.lowkiq.dashboard.cluster;

import java.util.List;
import java.util.Set;

import io.lowkiq.admin.NodeActivity;
import io.lowkiq.store.GroupOverride.Change;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

/** The documents about the cluster, see {@code docs/appendix/dashboard-api.md}. */
public final class ClusterDocuments {

	/** The severity of a problem that stops or loses jobs. */
	public static final String DANGER = "danger";

	private ClusterDocuments() {
	}

	public record Trouble(String kind, String severity, String sentence, String help, @Nullable String queue,
			@Nullable Integer shard, @Nullable String id, @Nullable String node, @Nullable Long since,
			@Nullable String error) {
	}

	public record Totals(long lag, long lagOfAll, long busy, long enqueued, long fresh, long retries, long delayed,
			long dead, long processed, long failed, long due, long held, long suspects) {

		static Totals of(List<QueueSnapshot> queues) {
			Totals sum = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
			for (QueueSnapshot queue : queues) {
				sum = sum.plus(of(queue));
			}
			return sum;
		}

		static Totals of(QueueSnapshot queue) {
			long fresh = queue.sum(ShardCounts::fresh);
			long retries = queue.sum(ShardCounts::retry);
			long held = queue.sum(ShardCounts::held);
			return new Totals(queue.lag(), queue.lagOfAll(), queue.sum(ShardCounts::busy), fresh + retries, fresh,
					retries, queue.sum(ShardCounts::delayed), queue.sum(ShardCounts::dead),
					queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed), queue.sum(ShardCounts::due),
					held, queue.sum(ShardCounts::suspects));
		}

		private Totals plus(Totals other) {
			return new Totals(Math.max(this.lag, other.lag), Math.max(this.lagOfAll, other.lagOfAll),
					this.busy + other.busy, this.enqueued + other.enqueued, this.fresh + other.fresh,
					this.retries + other.retries, this.delayed + other.delayed, this.dead + other.dead,
					this.processed + other.processed, this.failed + other.failed, this.due + other.due,
					this.held + other.held, this.suspects + other.suspects);
		}

	}

	public record Queue(String name, int shards, long unowned, boolean paused, boolean failing, Totals counts) {

		static Queue of(QueueSnapshot queue, Set<String> failing) {
			String name = queue.layout().name();
			return new Queue(name, queue.layout().shards(), queue.unowned(), queue.paused() > 0, failing.contains(name),
					Totals.of(queue));
		}

	}

	public record Overview(long now, List<Trouble> problems, Totals totals, List<Queue> queues, List<Node> nodes,
			List<Ended> endedNodes, int lostRuns) {
	}

	public record Ended(String node, String session, long startedAt, long endedAt, boolean crashed, boolean back) {
	}

	public record Running(long now, int threadCount, int busy, boolean more, List<RunningJobs> jobs) {
	}

	public record RunningJobs(String node, String session, String thread, @Nullable String queue, int shard,
			List<String> ids, long since, boolean hasStack) {
	}

	public record StackTrace(long now, String node, String thread, @Nullable String queue, int shard, List<String> ids,
			long since, long takenAt, List<String> frames) {
	}

	public record Node(String node, String session, long startedAt, List<String> queues, List<OwnedShards> shards,
			int threadCount, List<NodeActivity.ThreadActivity> threads, @Nullable String version, long reportedAt,
			boolean stopping) {
	}

	public record OwnedShards(String queue, List<Integer> shards) {
	}

	public record QueueDetail(long now, Queue queue, @Nullable String keptFor, @Nullable GivenUp givenUp,
			List<ShardRow> shards, boolean groups) {
	}

	public record Groups(long now, List<Group> groups, boolean complete, long undivided, @Nullable String separator,
			boolean oneShardPerGroup, List<GroupLimits> limits, int set, @Nullable String next, int forgotten) {
	}

	public record GroupLimits(@Nullable Integer concurrency, @Nullable String rate, @Nullable Integer maxShare) {
	}

	public record Group(String name, long waiting, int running, boolean parked, @Nullable Long waitsUntil,
			@Nullable Change<Boolean> pause, @Nullable Change<Integer> concurrency, @Nullable Change<Rate> rate,
			@Nullable Change<Integer> weight) {
	}

	public record Rate(int starts, long period, int burst) {
	}

	public record GivenUp(String queue, long records) {
	}

	public record ShardRow(int shard, Totals counts, boolean paused, @Nullable String node, @Nullable String session,
			boolean ownerGone, long since, long epoch) {
	}

}
