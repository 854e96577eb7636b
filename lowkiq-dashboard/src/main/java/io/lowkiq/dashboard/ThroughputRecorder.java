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
 * Writes the history, if no other node has written the step.
 */
final class ThroughputRecorder {

	private static final Logger logger = LoggerFactory.getLogger(ThroughputRecorder.class);

	private final ThroughputLog log;

	private final ClusterReader reader;

	ThroughputRecorder(ThroughputLog log, ClusterReader reader) {
		this.log = log;
		this.reader = reader;
	}

	/**
	 * Writes a sample unless another node did. What goes wrong is left for the next step.
	 */
	void record() {
		try {
			OptionalLong claimed = this.log.claim();
			if (claimed.isPresent()) {
				Map<String, Total> totals = new TreeMap<>();
				for (QueueReading queue : this.reader.recent().queues()) {
					totals.put(queue.layout().name(),
							new Total(queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed)));
				}
				this.log.write(claimed.getAsLong(), totals);
			}
		}
		catch (DataAccessException | LowkiqException ex) {
			logger.debug("The history was not written", ex);
		}
		catch (RuntimeException ex) {
			logger.warn("The history was not written", ex);
		}
	}

}
