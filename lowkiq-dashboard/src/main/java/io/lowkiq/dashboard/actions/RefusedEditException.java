package io.lowkiq.dashboard.actions;

import io.lowkiq.LowkiqException;

/** Thrown when a payload can't be edited. Nothing was saved. */
public final class RefusedEditException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	RefusedEditException(Reason reason, String message) {
		super(message);
		this.reason = reason;
	}

	/** Why nothing was saved. */
	public Reason reason() {
		return this.reason;
	}

	/** Why an edit is refused. */
	public enum Reason {

		/** The new text can't be stored. */
		INVALID,

		/** Payloads are not shown as they are. */
		FORBIDDEN,

		/** The job is no longer as the person has seen it. */
		CHANGED

	}

}
