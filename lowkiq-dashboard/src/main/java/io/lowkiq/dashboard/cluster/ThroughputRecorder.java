package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import io.lowkiq.dashboard.history.PerformCounts;
import io.lowkiq.dashboard.history.PeriodLog;
import io.lowkiq.dashboard.history.ThroughputLog;
import io.lowkiq.dashboard.history.ThroughputLog.Total;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Writes the history: a sample every step while somebody looks at the dashboard of this
 * node, and one a minute of all nodes otherwise, because a sample costs one call a shard.
 */
public final class ThroughputRecorder {

	private static final long MINUTE = Duration.ofMinutes(1).toMillis();

	/**
	 * After so long all nodes have reported of a full minute, and still do: their reports
	 * tell of two. A multiple of a step, so that no minute is left out where the samples
	 * are a minute apart.
	 */
	private static final long REPORTED = ThroughputLog.STEP.multipliedBy(2).toMillis();

	private final ThroughputLog log;

	private final PeriodLog periods;

	private final ClusterReader reader;

	/** Creates a recorder. */
	public ThroughputRecorder(ThroughputLog log, ClusterReader reader) {
		this.log = log;
		this.periods = new PeriodLog(log);
		this.reader = reader;
	}

	/**
	 * Writes a sample if it is time and no other node has. After an exception, what is
	 * missing is left for the next step.
	 */
	public void record() {
		OptionalLong claimed = this.log.claim(this.reader.isWatched(ThroughputLog.STEP) ? 1 : ThroughputLog.UNWATCHED);
		if (claimed.isPresent()) {
			record(claimed.getAsLong(), this.reader.forHistory());
		}
	}

	private void record(long now, ClusterSnapshot reading) {
		long minute = (now - REPORTED) / MINUTE - 1;
		Map<String, Total> totals = new TreeMap<>();
		Map<String, PeriodLog.Sample> samples = new TreeMap<>();
		for (QueueSnapshot queue : reading.queues()) {
			String name = queue.layout().name();
			Total total = new Total(queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed));
			totals.put(name, total);
			samples.put(name, new PeriodLog.Sample(total, queue.lag(), queue.sum(ShardCounts::queued),
					queue.sum(ShardCounts::dead), performs(reading, minute, name)));
		}
		this.log.write(now, totals);
		this.periods.write(now, minute, samples);
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
