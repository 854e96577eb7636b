package io.lowkiq.autoconfigure;

import io.lowkiq.engine.LowkiqServer;

/**
 * Changes the server before it is built, after everything else was set. Customizers are
 * beans, called in the order of {@code @Order}.
 */
@FunctionalInterface
public interface LowkiqServerCustomizer {

	/**
	 * Changes the server.
	 * @param builder the builder to call
	 */
	void customize(LowkiqServer.Builder builder);

}
