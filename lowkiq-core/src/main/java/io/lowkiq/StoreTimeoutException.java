package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store did not answer in time. It is unknown whether the call was or
 * will be applied.
 */
public class StoreTimeoutException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreTimeoutException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
