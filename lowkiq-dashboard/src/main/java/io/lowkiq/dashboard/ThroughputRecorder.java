package io.lowkiq.dashboard;

import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.LowkiqException;
import io.lowkiq.dashboard.ThroughputLog.Total;
import io.lowkiq.store.inspection.QueueReading;
import io.lowkiq.store.inspection.ShardCounts;

import org.springframework.dao.DataAccessException;

/**
 * Writes the history: a sample every step while somebody looks at the dashboard of this
 * node, and one a minute of all nodes otherwise, because a sample costs one call a shard.
 */
final class ThroughputRecorder {

	private static final Logger logger = LoggerFactory.getLogger(ThroughputRecorder.class);

	/** How many steps lie between two samples that nobody looks at. */
	static final int UNWATCHED = 6;

	private final ThroughputLog log;

	private final ClusterReader reader;

	ThroughputRecorder(ThroughputLog log, ClusterReader reader) {
		this.log = log;
		this.reader = reader;
	}

	/**
	 * Writes a sample if it is time and no other node has. What goes wrong is left for
	 * the next step.
	 */
	void record() {
		try {
			OptionalLong claimed = this.log.claim(this.reader.isWatched(ThroughputLog.STEP) ? 1 : UNWATCHED);
			if (claimed.isPresent()) {
				Map<String, Total> totals = new TreeMap<>();
				for (QueueReading queue : this.reader.forHistory().queues()) {
					totals.put(queue.layout().name(),
							new Total(queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed)));
				}
				this.log.write(claimed.getAsLong(), totals);
			}
		}
		catch (DataAccessException | LowkiqException ex) {
			logger.debug("Could not write the history", ex);
		}
		catch (RuntimeException ex) {
			logger.warn("Could not write the history", ex);
		}
	}

}
