package io.lowkiq.autoconfigure.kafka;

import org.jspecify.annotations.Nullable;

/** Thrown for a record that can't become a job, for now or for good. */
class UnfitRecordException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String id;

	/** Of a job with an id, if it has one. */
	UnfitRecordException(@Nullable String id, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.id = id;
	}

	@Nullable String id() {
		return this.id;
	}

}
