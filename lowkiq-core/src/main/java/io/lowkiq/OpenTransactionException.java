package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a run that ended without ending a transaction that it had begun. The
 * transaction was rolled back. It can be listed in {@link LowkiqWorker#buryOn()} and
 * {@link LowkiqWorker#discardOn()}.
 */
public class OpenTransactionException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception for a run that left a transaction open.
	 * @param message what was left, and what became of it
	 * @param cause why it could not be rolled back; null if it was
	 */
	public OpenTransactionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
