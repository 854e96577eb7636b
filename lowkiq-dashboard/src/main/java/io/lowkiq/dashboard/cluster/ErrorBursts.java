package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.history.HistoryLog.Sample;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Finds the queues most of whose runs have failed in the last minutes, by the history.
 * Looks at most every 10 seconds, and only at queues with jobs that have failed: a
 * healthy queue costs nothing. Thread-safe.
 */
public final class ErrorBursts {

	private static final Duration MAX_AGE = Duration.ofSeconds(10);

	private static final int SPAN = 5;

	private static final long LEAST = 10;

	private static final int MAX_QUEUES = 20;

	private final HistoryLog log;

	private final RecentSnapshot<Map<String, Burst>> last;

	/** Failures of a queue, since a time in milliseconds since 1970. */
	record Burst(long since, long failed, long performs) {
	}

	/** Creates the search; nothing is read yet. */
	public ErrorBursts(HistoryLog log, ClusterReader reader, InstantSource clock) {
		this.log = log;
		this.last = new RecentSnapshot<>(() -> read(reader.recent()), clock, MAX_AGE);
	}

	/** The bursts by queue. */
	Map<String, Burst> recent() {
		return this.last.get();
	}

	private Map<String, Burst> read(ClusterSnapshot reading) {
		Map<String, Burst> bursts = new HashMap<>();
		reading.queues()
			.stream()
			.filter((queue) -> inTrouble(queue) > 0)
			.sorted(Comparator.comparingLong(ErrorBursts::inTrouble).reversed())
			.limit(MAX_QUEUES)
			.forEach((queue) -> {
				String name = queue.layout().name();
				Burst burst = of(this.log.last(name, SPAN), queue, reading.now());
				if (burst.failed() >= LEAST && burst.failed() * 2 > burst.performs()) {
					bursts.put(name, burst);
				}
			});
		return Map.copyOf(bursts);
	}

	private static long inTrouble(QueueSnapshot queue) {
		return queue.sum(ShardCounts::retry) + queue.sum(ShardCounts::dead);
	}

	private static Burst of(List<Sample> samples, QueueSnapshot queue, long now) {
		for (Sample first : samples) {
			if (first.at() >= now - Duration.ofMinutes(SPAN).toMillis()) {
				long failed = Math.max(0, queue.sum(ShardCounts::failed) - first.failed());
				long processed = Math.max(0, queue.sum(ShardCounts::processed) - first.processed());
				return new Burst(first.at(), failed, failed + processed);
			}
		}
		return new Burst(now, 0, 0);
	}

}
