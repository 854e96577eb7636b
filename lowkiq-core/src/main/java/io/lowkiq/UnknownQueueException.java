package io.lowkiq;

/**
 * Thrown when a job is enqueued to a queue that is neither declared by this application
 * nor recorded by a server. Nothing was written.
 */
public class UnknownQueueException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public UnknownQueueException(String message) {
		super(message);
	}

}
