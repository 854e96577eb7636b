package io.lowkiq.autoconfigure.kafka;

import org.jspecify.annotations.Nullable;

/** Thrown for a record that can't become a job, for now or for good. */
class UnfitRecordException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String id;

	/**
	 * A problem of a record.
	 * @param id the id of its job; null if it has none
	 * @param cause what went wrong; null if nothing was thrown
	 */
	UnfitRecordException(@Nullable String id, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.id = id;
	}

	@Nullable String id() {
		return this.id;
	}

}
