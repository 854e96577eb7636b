package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when jobs were sent to the store, but it is not certain that they are queued, or
 * will stay queued: the connection broke before the store answered, or fewer replicas
 * than requested confirmed them. They are not sent again automatically. Enqueueing them
 * again loses nothing; a payload that was queued and performed meanwhile is performed
 * again.
 */
public class UnconfirmedEnqueueException extends StoreException {

	private static final long serialVersionUID = 1L;

	public UnconfirmedEnqueueException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
