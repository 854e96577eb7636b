package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a worker when a retry won't help. The failed payloads go to the morgue at
 * once.
 *
 * @see LowkiqWorker#buryOn()
 */
public class BuryException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public BuryException(String message) {
		super(message);
	}

	public BuryException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
