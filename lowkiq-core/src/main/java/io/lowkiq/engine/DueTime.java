package io.lowkiq.engine;

import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Tells when a shard is due for a thread.
 *
 * @param nanoTime the monotonic clock
 * @param suspects the node's only permit to perform a suspect
 * @param deaf tells whether messages don't reach the node, so that it has to poll
 * @param pollInterval how often to ask then, in nanoseconds
 */
record DueTime(LongSupplier nanoTime, Semaphore suspects, BooleanSupplier deaf, long pollInterval) {

	/** How long until a shard is due; 0 or less if it is. */
	long nanosUntilDue(ShardSlot slot) {
		return slot.nanosUntilDue(this.nanoTime.getAsLong(), this.suspects.availablePermits() > 0,
				this.deaf.getAsBoolean() ? this.pollInterval : Long.MAX_VALUE);
	}

	boolean isDue(ShardSlot slot) {
		return nanosUntilDue(slot) <= 0;
	}

}
