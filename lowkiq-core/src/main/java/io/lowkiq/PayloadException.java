package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link PayloadCodec} when it can't convert a payload to bytes, or bytes to
 * a payload.
 */
public class PayloadException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public PayloadException(String message) {
		super(message);
	}

	public PayloadException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
