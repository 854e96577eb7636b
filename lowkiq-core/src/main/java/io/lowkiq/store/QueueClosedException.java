package io.lowkiq.store;

/**
 * Thrown when jobs are enqueued into a shard of a queue that is being removed, or that
 * was removed, or a payload is buried there. None of it is kept.
 */
public class QueueClosedException extends StoreException {

	private static final long serialVersionUID = 1L;

	private final long epoch;

	/**
	 * A refusal.
	 * @param queue the queue's name
	 * @param epoch the epoch of the closing
	 */
	public QueueClosedException(String queue, long epoch) {
		super("Queue '%s' is being removed, or was removed".formatted(queue), null);
		this.epoch = epoch;
	}

	/**
	 * The epoch of the closing. Each closing of a shard has its own.
	 * @return the epoch
	 */
	public long epoch() {
		return this.epoch;
	}

}
