package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.Map;

import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;

/**
 * The nodes' settings, as far as the checker knows them.
 *
 * @param retryDelay how long each retry waits
 * @param maxRetryCount after how many failures a payload goes to the morgue
 * @param recoveryMargin how long after the lease duration the last shard of a dead node
 * may be taken over (I7)
 * @param idle whether the machine had nothing else to do: then only a fault excuses a
 * call without an answer, a session that ended, or an answer that came late
 * @param delay how long after its start a run may be written down at the latest, if its
 * process didn't stand still
 * @param queues the settings of the queues by name; the defaults for those that are
 * missing
 */
public record Settings(Duration retryDelay, int maxRetryCount, Duration lease, Duration recoveryMargin, boolean idle,
		Duration delay, Map<String, RegisteredWorker.Settings> queues) {

	FailurePolicy failures(String queue) {
		return this.queues.getOrDefault(queue, RegisteredWorker.Settings.DEFAULTS).failures();
	}

	GatheringPolicy gathering(String queue) {
		return this.queues.getOrDefault(queue, RegisteredWorker.Settings.DEFAULTS).gathering();
	}

	/** How many payloads that used up their retries together go to the morgue. */
	int buried(String queue, int failed) {
		return switch (failures(queue).retriesExhausted()) {
			case HOLD -> 0;
			case BURY_OLDEST -> 1;
			case BURY_ALL -> failed;
		};
	}

	boolean holds(String queue) {
		return failures(queue).retriesExhausted() == RetriesExhausted.HOLD;
	}

	/**
	 * Whether the workload has payloads that can't be read at times: then the queue has a
	 * grace of its own.
	 */
	boolean isUnreadableAtTimes(String queue) {
		return !failures(queue).unreadableGrace().equals(FailurePolicy.DEFAULT_UNREADABLE_GRACE);
	}

}
