package io.lowkiq;

/**
 * Thrown when a job is enqueued to a queue that neither this application declares nor a
 * server has registered. Nothing was written.
 */
public class UnknownQueueException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public UnknownQueueException(String message) {
		super(message);
	}

}
