package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store doesn't permit a call: its user or password is wrong, or its user
 * may not use the command or key. Nothing was changed, and trying again doesn't help
 * before the permissions are corrected.
 */
public class StoreAccessException extends StoreException {

	private static final long serialVersionUID = 1L;

	public StoreAccessException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
