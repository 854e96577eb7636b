package io.lowkiq.autoconfigure;

import io.lowkiq.engine.ServerOptions;

/**
 * Changes the options of the server, after everything else was set. Customizers are
 * beans, called in the order of {@code @Order}.
 */
@FunctionalInterface
public interface LowkiqServerCustomizer {

	/** Changes the options. */
	void customize(ServerOptions options);

}
