package io.lowkiq.store;

/**
 * Thrown when jobs are enqueued into a shard of a queue that is being removed, or that
 * was removed, or a payload is buried there. None of it is kept.
 */
public class QueueClosedException extends StoreException {

	private static final long serialVersionUID = 1L;

	public QueueClosedException(String queue) {
		super("Queue '%s' is being removed, or was removed".formatted(queue), null);
	}

}
