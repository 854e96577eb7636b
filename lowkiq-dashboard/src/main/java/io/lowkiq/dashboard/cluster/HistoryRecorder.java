package io.lowkiq.dashboard.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.history.PerformCounts;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Writes the history: a sample a minute of all nodes, because one costs a call a shard.
 */
public final class HistoryRecorder {

	private final HistoryLog log;

	private final ClusterReader reader;

	public HistoryRecorder(HistoryLog log, ClusterReader reader) {
		this.log = log;
		this.reader = reader;
	}

	/**
	 * Writes a sample if it is time and no other node has. After an exception, that
	 * minute is missing.
	 */
	public void record() {
		this.log.claim().ifPresent((now) -> record(now, this.reader.recent()));
	}

	private void record(long now, ClusterSnapshot reading) {
		Map<String, HistoryLog.Sample> samples = new HashMap<>();
		for (QueueSnapshot queue : reading.queues()) {
			String name = queue.layout().name();
			samples.put(name,
					new HistoryLog.Sample(now, queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed),
							queue.lag(), queue.sum(ShardCounts::queued), queue.sum(ShardCounts::dead),
							performs(reading, HistoryLog.minuteAt(now), name)));
		}
		this.log.write(samples);
	}

	/**
	 * Adds up the counts in the reports of all nodes, including nodes that have just
	 * ended.
	 */
	private static PerformCounts performs(ClusterSnapshot reading, long minute, String queue) {
		return reading.activities()
			.values()
			.stream()
			.flatMap((activity) -> activity.minutes().stream())
			.filter((reported) -> reported.minute() == minute)
			.map((reported) -> new PerformCounts(reported.counts().getOrDefault(queue, List.of())))
			.reduce(PerformCounts.NONE, PerformCounts::plus);
	}

}
