package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store can't be reached, is still loading its data, or the connection
 * broke.
 */
public class StoreUnreachableException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreUnreachableException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
