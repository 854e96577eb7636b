package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;

import io.lowkiq.LowkiqException;

/**
 * Thrown at start-up when the configuration can't work, with what to change.
 */
class LowkiqConfigurationException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final String action;

	LowkiqConfigurationException(String description, String action) {
		this(description, action, null);
	}

	LowkiqConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
