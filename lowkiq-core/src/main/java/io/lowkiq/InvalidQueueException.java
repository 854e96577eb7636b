package io.lowkiq;

/**
 * Thrown when the name or a setting of a queue is out of range. Nothing was written.
 */
public class InvalidQueueException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public InvalidQueueException(String message) {
		super(message);
	}

}
