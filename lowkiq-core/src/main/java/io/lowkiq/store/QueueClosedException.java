package io.lowkiq.store;

import io.lowkiq.StoreException;

/**
 * Thrown when jobs are enqueued into a shard of a queue that is being removed, or that
 * was removed, or into a shard that the store doesn't know, or a payload is buried there.
 * None of it is kept.
 */
public class QueueClosedException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final long epoch;

	private final long at;

	/**
	 * A refusal.
	 * @param epoch the epoch of the closing; 0 if the store doesn't know the shard
	 */
	public QueueClosedException(Shard shard, long epoch, long at) {
		super(((epoch > 0) ? "Queue '%s' is being removed, or was removed".formatted(shard.queue())
				: "Redis doesn't know shard %s: it has lost its data, or the queue was removed long ago"
					.formatted(shard)),
				null);
		this.epoch = epoch;
		this.at = at;
	}

	/**
	 * The epoch of the closing.
	 * @return the epoch; 0 if there was none
	 */
	public long epoch() {
		return this.epoch;
	}

	/**
	 * When it was refused.
	 * @return the time by the clock of the shard, in milliseconds since 1970
	 */
	public long at() {
		return this.at;
	}

	/** Whether the store doesn't know the shard. */
	public boolean isUnknown() {
		return this.epoch == 0;
	}

}
