package io.lowkiq.redis.call;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A script as it is sent to Redis. Immutable.
 *
 * @param task what it does, for messages
 * @param text the whole script in UTF-8, not to be changed
 * @param sha the SHA-1 digest of the text in lower-case hexadecimal, by which Redis knows
 * the script
 */
@SuppressWarnings("ArrayRecordComponent")
public record LuaScript(String task, byte[] text, String sha) {

	private static final String INCLUDE = "--@include ";

	/**
	 * Reads a script from the class path. A line {@code --@include name} stands for
	 * {@code lib/name.lua}, so that each rule is written once. Within a function or
	 * block, it is defined when that is reached.
	 * @param name the file's name without its ending
	 * @param task what it does, for messages: "Redis refused to {@code task}"
	 * @return the script
	 * @throws IllegalStateException if there is no such file
	 */
	public static LuaScript load(String name, String task) {
		byte[] text = expand(name, new HashSet<>()).getBytes(StandardCharsets.UTF_8);
		return new LuaScript(task, text, sha(text));
	}

	private static String expand(String name, Set<String> included) {
		return read(name).lines()
			.map((line) -> line.strip().startsWith(INCLUDE)
					? include(line.strip().substring(INCLUDE.length()), included) : line)
			.collect(Collectors.joining("\n", "", "\n"));
	}

	private static String include(String name, Set<String> included) {
		return included.add(name) ? expand("lib/" + name, included) : "";
	}

	private static String read(String name) {
		try (InputStream file = LuaScript.class.getResourceAsStream("/io/lowkiq/redis/" + name + ".lua")) {
			if (file == null) {
				throw new IllegalStateException("Script '%s' is missing on the class path".formatted(name));
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha(byte[] text) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
