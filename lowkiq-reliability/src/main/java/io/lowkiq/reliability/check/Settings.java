package io.lowkiq.reliability.check;

import java.time.Duration;

/**
 * What the checker knows of the nodes' settings.
 *
 * @param retryDelay how long each retry waits
 * @param maxRetryCount after how many failures a payload goes to the morgue
 * @param lease the lease duration
 * @param recoveryMargin how long after the lease duration the last shard of a dead node
 * may be taken over (I7)
 * @param timeout how long a call waits for its answer
 * @param idle whether the machine had nothing else to do: then only a fault excuses a
 * call that was given up after that time, or a session that ended
 */
public record Settings(Duration retryDelay, int maxRetryCount, Duration lease, Duration recoveryMargin,
		Duration timeout, boolean idle) {
}
