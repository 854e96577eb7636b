package io.lowkiq;

import org.jspecify.annotations.Nullable;

/** The superclass of the exceptions that Lowkiq throws. */
public class LowkiqException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public LowkiqException(String message) {
		super(message);
	}

	public LowkiqException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
