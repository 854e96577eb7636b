package io.lowkiq.dashboard.cluster;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.admin.NodeActivity;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Member;

/** Makes documents of a {@link ClusterSnapshot}. */
public final class ClusterViews {

	private ClusterViews() {
	}

	/** The document of the overview. */
	public static ClusterDocuments.Overview overview(ClusterSnapshot reading, List<ClusterDocuments.Trouble> problems,
			Set<String> failing) {
		List<QueueSnapshot> queues = reading.ofApplications();
		return new ClusterDocuments.Overview(reading.now(), problems, ClusterDocuments.Totals.of(queues),
				queues.stream().map((queue) -> ClusterDocuments.Queue.of(queue, failing)).toList(),
				reading.nodes().stream().map((member) -> node(member, reading)).toList(),
				reading.ended().stream().map((node) -> ended(node, reading)).toList(),
				LostRuns.of(reading).runs().size());
	}

	private static ClusterDocuments.Ended ended(EndedNode node, ClusterSnapshot reading) {
		return new ClusterDocuments.Ended(node.info().node(), node.session(), node.info().startedAt(), node.endedAt(),
				node.crashed(), reading.isBack(node));
	}

	private static ClusterDocuments.Node node(Member member, ClusterSnapshot reading) {
		List<ClusterDocuments.OwnedShards> owned = new ArrayList<>();
		for (QueueSnapshot queue : reading.ofApplications()) {
			List<Integer> shards = queue.shards()
				.stream()
				.filter((shard) -> member.session().equals(shard.session()))
				.map((shard) -> shard.shard().index())
				.toList();
			if (!shards.isEmpty()) {
				owned.add(new ClusterDocuments.OwnedShards(queue.layout().name(), shards));
			}
		}
		NodeActivity activity = reading.activity(member.session());
		String version = member.info().build().version();
		return new ClusterDocuments.Node(member.info().node(), member.session(), member.info().startedAt(),
				member.info().queues().stream().sorted().toList(), owned, activity.threadCount(), activity.threads(),
				version.isEmpty() ? null : LogText.of(version), activity.reportedAt(), member.info().stopping());
	}

	/** The document of a queue. */
	public static ClusterDocuments.QueueDetail queue(ClusterSnapshot reading, QueueSnapshot queue,
			Set<String> failing) {
		String name = queue.layout().name();
		ClusterDocuments.GivenUp givenUp = reading.queue(InternalQueue.RECORDS.nameFor(name))
			.map((records) -> new ClusterDocuments.GivenUp(records.layout().name(), records.sum(ShardCounts::dead)))
			.orElse(null);
		return new ClusterDocuments.QueueDetail(reading.now(), ClusterDocuments.Queue.of(queue, failing),
				reading.isInternal(name) ? InternalQueue.ownerOf(name) : null, givenUp,
				queue.shards().stream().map((shard) -> shard(shard, queue, reading)).toList(),
				QueueGroups.isAny(reading, queue));
	}

	private static ClusterDocuments.ShardRow shard(ShardCounts counts, QueueSnapshot queue, ClusterSnapshot reading) {
		ClusterDocuments.Totals totals = ClusterDocuments.Totals
			.of(new QueueSnapshot(queue.layout(), List.of(counts), queue.sessions()));
		String session = counts.session();
		Member owner = (session != null) ? reading.member(session).orElse(null) : null;
		return new ClusterDocuments.ShardRow(counts.shard().index(), totals, counts.paused(),
				(owner != null) ? owner.info().node() : null, session, session != null && owner == null, counts.since(),
				counts.epoch());
	}

	/** The document of the gem's {@code stats}, with the lag in seconds. */
	public static Map<String, Object> stats(ClusterSnapshot reading) {
		Map<String, Object> byWorker = new LinkedHashMap<>();
		reading.queues()
			.forEach((queue) -> byWorker.put(queue.layout().name(), stats(ClusterDocuments.Totals.of(queue))));
		Map<String, Object> stats = new LinkedHashMap<>();
		stats.put("total", stats(ClusterDocuments.Totals.of(reading.queues())));
		stats.put("by_worker", byWorker);
		return stats;
	}

	private static Map<String, Object> stats(ClusterDocuments.Totals totals) {
		Map<String, Object> stats = new LinkedHashMap<>();
		stats.put("length", totals.enqueued());
		stats.put("morgue_length", totals.dead());
		stats.put("lag", BigDecimal.valueOf(totals.lag(), 3));
		return stats;
	}

}
