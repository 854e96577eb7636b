package io.lowkiq.dashboard.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Reads a script once: a script created from a resource is checked again on every call.
 */
public final class ScriptText {

	private ScriptText() {
	}

	/** Reads a script that returns a number. */
	public static RedisScript<Long> read(String name, Class<?> user) {
		try {
			return RedisScript.of(new ClassPathResource(name, user).getContentAsString(StandardCharsets.UTF_8),
					Long.class);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
