package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store did not answer in time. Whether the call was applied, or will
 * still be, is not known.
 */
public class StoreTimeoutException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreTimeoutException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
