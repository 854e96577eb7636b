package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * The root of the exceptions that this library throws on purpose.
 */
public class LowkiqException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public LowkiqException(String message) {
		super(message);
	}

	public LowkiqException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
