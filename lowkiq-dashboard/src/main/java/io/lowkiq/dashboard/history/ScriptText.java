package io.lowkiq.dashboard.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.springframework.core.io.Resource;

/**
 * Reads a script once: a script created from a resource is checked again on every call.
 */
public final class ScriptText {

	private ScriptText() {
	}

	/**
	 * Reads a script.
	 * @param resource where it is
	 * @return its text
	 */
	public static String read(Resource resource) {
		try {
			return resource.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
