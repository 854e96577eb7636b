package io.lowkiq.dashboard;

import java.util.List;

import io.lowkiq.admin.JobStatus;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.store.KeptError;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

/**
 * The documents of the JSON API, see {@code docs/dashboard.md}.
 */
final class Views {

	private Views() {
	}

	record Problem(String error) {
	}

	record Trouble(String kind, String severity, String sentence, @Nullable String queue, @Nullable Integer shard,
			@Nullable String id, @Nullable String node, @Nullable Long since) {
	}

	record Session(@Nullable String user, boolean actionsEnabled, PayloadVisibility payloads,
			DashboardRequest.@Nullable CsrfHeader csrf) {
	}

	record Totals(long lag, long busy, long enqueued, long fresh, long retries, long delayed, long dead, long processed,
			long failed, long due, long held) {

		static Totals of(List<QueueSnapshot> queues) {
			Totals sum = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
			for (QueueSnapshot queue : queues) {
				sum = sum.plus(of(queue));
			}
			return sum;
		}

		static Totals of(QueueSnapshot queue) {
			long fresh = queue.sum(ShardCounts::fresh);
			long retries = queue.sum(ShardCounts::retry);
			long held = queue.sum(ShardCounts::held);
			long delayed = queue.sum(ShardCounts::delayed);
			return new Totals(queue.lag(), queue.sum(ShardCounts::busy), fresh + retries, fresh, retries, delayed,
					queue.sum(ShardCounts::dead), queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed),
					Math.max(0, fresh + retries - delayed - held), held);
		}

		private Totals plus(Totals other) {
			return new Totals(Math.max(this.lag, other.lag), this.busy + other.busy, this.enqueued + other.enqueued,
					this.fresh + other.fresh, this.retries + other.retries, this.delayed + other.delayed,
					this.dead + other.dead, this.processed + other.processed, this.failed + other.failed,
					this.due + other.due, this.held + other.held);
		}

	}

	record Queue(String name, int shards, long unowned, boolean paused, Totals counts) {

		static Queue of(QueueSnapshot queue) {
			return new Queue(queue.layout().name(), queue.layout().shards(), queue.unowned(), queue.paused() > 0,
					Totals.of(queue));
		}

	}

	record Overview(long now, List<Trouble> problems, Totals totals, List<Queue> queues, List<Node> nodes,
			List<Ended> endedNodes) {
	}

	record Ended(String node, String session, long startedAt, long endedAt, boolean crashed, boolean back) {
	}

	record Running(long now, int threadCount, int busy, boolean more, List<RunningJobs> jobs) {
	}

	record RunningJobs(String node, String session, String thread, @Nullable String queue, int shard, List<String> ids,
			long since, boolean hasStack) {
	}

	record StackTrace(long now, String node, String thread, @Nullable String queue, int shard, List<String> ids,
			long since, long takenAt, List<String> frames) {
	}

	record Node(String node, String session, long startedAt, List<String> queues, List<OwnedShards> shards,
			int threadCount, List<NodeActivity.ThreadActivity> threads, @Nullable String version, long reportedAt,
			boolean stopping) {
	}

	record OwnedShards(String queue, List<Integer> shards) {
	}

	record QueueDetail(long now, Queue queue, List<ShardRow> shards) {
	}

	record ShardRow(int shard, Totals counts, boolean paused, @Nullable String node, @Nullable String session,
			boolean ownerGone, long since, long epoch) {
	}

	record Jobs(long now, List<Job> jobs, @Nullable String next) {
	}

	record Job(String id, int shard, String state, long performAt, int retryCount, int crashes, @Nullable String error,
			long payloadCount, List<PayloadText> payloads, @Nullable String node, List<Producer> producers,
			long moreProducers, @Nullable Long enqueuedAt, List<KeptError.Attempt> attempts,
			@Nullable Integer maxRetryCount) {
	}

	record Producer(String traceId, String spanId) {
	}

	record JobDetail(long now, String queue, String id, int shard, JobStatus why, boolean paused, List<Job> jobs) {
	}

	record PayloadEdit(@Nullable String id, @Nullable String known, @Nullable String text) {
	}

	record ActionOrder(@Nullable String action, @Nullable List<String> ids, @Nullable Selection selection) {
	}

	record Selection(@Nullable String state, @Nullable String prefix, @Nullable Integer shard, @Nullable String error) {
	}

	record Errors(long now, boolean complete, int scanned, List<ErrorGroup> groups) {
	}

	record ErrorGroup(String key, String queue, @Nullable String type, String message, long dead, long retrying,
			@Nullable Long first, @Nullable Long last, Example example) {

		long size() {
			return this.dead + this.retrying;
		}

	}

	record Audit(long now, List<AuditLog.Entry> entries) {
	}

	record RunningActions(long now, List<ActionStatus> running) {
	}

	record Search(long now, List<Hit> hits, @Nullable String next, long searched) {
	}

	record Hit(String queue, Job job) {
	}

	record Example(String id, String state) {
	}

	record Count(long now, long count, boolean complete) {
	}

}
