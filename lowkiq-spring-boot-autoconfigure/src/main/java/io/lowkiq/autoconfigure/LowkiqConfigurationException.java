package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;

import io.lowkiq.LowkiqException;

/** Thrown at start-up when the configuration can't work, with what to change. */
public class LowkiqConfigurationException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final String action;

	public LowkiqConfigurationException(String description, String action) {
		this(description, action, null);
	}

	LowkiqConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	static void check(boolean isValid, String property, Object value, String rule) {
		if (!isValid) {
			throw new LowkiqConfigurationException("%s is %s; it must %s".formatted(property, value, rule),
					"Change the property");
		}
	}

	String action() {
		return this.action;
	}

}
