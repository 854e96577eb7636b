package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store can't be reached, takes no calls or no writes at present, or the
 * connection broke.
 */
public class StoreUnreachableException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreUnreachableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
