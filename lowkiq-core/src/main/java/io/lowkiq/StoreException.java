package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store did not respond as expected: it is unreachable, too slow, or
 * returned unexpected data. It is unknown whether the call was or will be applied, unless
 * a subclass says so.
 */
public class StoreException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public StoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
