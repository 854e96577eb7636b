package io.lowkiq.store;

import io.lowkiq.LowkiqException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store did not answer as it should: out of reach, too slow, or with data
 * of an unexpected form. Whether the call was applied, or will still be, is not known,
 * unless a subclass says so. The message says what the store said.
 */
public class StoreException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public StoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
