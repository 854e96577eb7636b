package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a job can't be enqueued because its id, score, time or payload is invalid.
 * Nothing was written.
 */
public class InvalidJobException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public InvalidJobException(String message) {
		super(message);
	}

	public InvalidJobException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
