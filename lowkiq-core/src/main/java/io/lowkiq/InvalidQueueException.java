package io.lowkiq;

/**
 * Thrown when a queue has an invalid name or setting, or belongs to another application.
 * Nothing was written.
 */
public class InvalidQueueException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public InvalidQueueException(String message) {
		super(message);
	}

}
