package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a push was written, but not confirmed by as many replicas of the store as
 * were asked for: a failover may still drop it. The jobs are queued nevertheless; it is
 * safe to push them again.
 */
public class UnconfirmedEnqueueException extends StoreException {

	private static final long serialVersionUID = 1L;

	public UnconfirmedEnqueueException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
