package io.lowkiq.store;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.Shard;

/**
 * Thrown when jobs are enqueued into, or buried in, a shard that is removed or unknown.
 * None of it is kept.
 */
public class QueueClosedException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final long epoch;

	private final long at;

	public QueueClosedException(Shard shard, long epoch, long at) {
		super(((epoch > 0) ? "Queue '%s' is being removed, or was removed".formatted(shard.queue())
				: "Redis doesn't know shard %s: it has lost its data, or the queue was removed long ago"
					.formatted(shard)),
				null);
		this.epoch = epoch;
		this.at = at;
	}

	/** The epoch of the closing; 0 if the store doesn't know the shard. */
	public long epoch() {
		return this.epoch;
	}

	/** By the clock of the shard, in milliseconds since 1970. */
	public long at() {
		return this.at;
	}

	/** Whether the store doesn't know the shard. */
	public boolean isUnknown() {
		return this.epoch == 0;
	}

}
