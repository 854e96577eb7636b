package io.lowkiq.admin;

import io.lowkiq.LowkiqException;

/** Thrown when a queue can't be removed because it is in use. Nothing has changed. */
public class QueueNotRemovableException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public QueueNotRemovableException(String message) {
		super(message);
	}

}
