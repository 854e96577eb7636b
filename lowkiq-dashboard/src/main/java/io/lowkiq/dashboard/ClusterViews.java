package io.lowkiq.dashboard;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.admin.NodeActivity;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Member;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Makes documents of a {@link ClusterSnapshot}.
 */
final class ClusterViews {

	private ClusterViews() {
	}

	static Views.Overview overview(ClusterSnapshot reading, List<Views.Trouble> problems) {
		return new Views.Overview(reading.now(), problems, Views.Totals.of(reading.queues()),
				reading.queues().stream().map(Views.Queue::of).toList(),
				reading.members().stream().map((member) -> node(member, reading)).toList(),
				reading.ended().stream().map((node) -> ended(node, reading)).toList());
	}

	private static Views.Ended ended(EndedNode node, ClusterSnapshot reading) {
		return new Views.Ended(node.info().node(), node.session(), node.info().startedAt(), node.endedAt(),
				node.crashed(), reading.isBack(node));
	}

	private static Views.Node node(Member member, ClusterSnapshot reading) {
		List<Views.OwnedShards> owned = new ArrayList<>();
		for (QueueSnapshot queue : reading.queues()) {
			List<Integer> shards = queue.shards()
				.stream()
				.filter((shard) -> member.session().equals(shard.session()))
				.map((shard) -> shard.shard().index())
				.toList();
			if (!shards.isEmpty()) {
				owned.add(new Views.OwnedShards(queue.layout().name(), shards));
			}
		}
		NodeActivity activity = reading.activity(member);
		return new Views.Node(member.info().node(), member.session(), member.info().startedAt(),
				member.info().queues().stream().sorted().toList(), owned, activity.threadCount(), activity.threads(),
				activity.version(), activity.reportedAt(), member.info().stopping());
	}

	static Views.QueueDetail queue(ClusterSnapshot reading, QueueSnapshot queue) {
		return new Views.QueueDetail(reading.now(), Views.Queue.of(queue),
				queue.shards().stream().map((shard) -> shard(shard, queue, reading)).toList());
	}

	private static Views.ShardRow shard(ShardCounts counts, QueueSnapshot queue, ClusterSnapshot reading) {
		Views.Totals totals = Views.Totals.of(new QueueSnapshot(queue.layout(), List.of(counts), queue.sessions()));
		String session = counts.session();
		Member owner = (session != null) ? reading.member(session).orElse(null) : null;
		return new Views.ShardRow(counts.shard().index(), totals, counts.paused(),
				(owner != null) ? owner.info().node() : null, session, session != null && owner == null, counts.since(),
				counts.epoch());
	}

	/**
	 * The document of the gem's {@code stats}, with the lag in seconds.
	 */
	static Map<String, Object> stats(ClusterSnapshot reading) {
		Map<String, Object> byWorker = new LinkedHashMap<>();
		reading.queues().forEach((queue) -> byWorker.put(queue.layout().name(), stats(Views.Totals.of(queue))));
		Map<String, Object> stats = new LinkedHashMap<>();
		stats.put("total", stats(Views.Totals.of(reading.queues())));
		stats.put("by_worker", byWorker);
		return stats;
	}

	private static Map<String, Object> stats(Views.Totals totals) {
		Map<String, Object> stats = new LinkedHashMap<>();
		stats.put("length", totals.enqueued());
		stats.put("morgue_length", totals.dead());
		stats.put("lag", BigDecimal.valueOf(totals.lag(), 3));
		return stats;
	}

}
