package io.lowkiq.autoconfigure.redis;

import io.lowkiq.LowkiqException;

/**
 * Thrown at start-up when {@code lowkiq.redis.*} describes no connection, with what to
 * change.
 */
public final class RedisPropertiesException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final String action;

	RedisPropertiesException(String description, String action) {
		super(description);
		this.action = action;
	}

	/** The action that solves the problem. */
	public String action() {
		return this.action;
	}

}
