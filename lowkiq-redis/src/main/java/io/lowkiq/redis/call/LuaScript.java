package io.lowkiq.redis.call;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A script as it is sent. Its text is not to be changed; Redis knows the digest. */
@SuppressWarnings("ArrayRecordComponent")
public record LuaScript(String task, byte[] text, String sha) {

	/** Reads a script from the class path, and throws if there is no such file. */
	public static LuaScript load(String name, String task) {
		return of(task, ScriptIncludes.expand(name, LuaScript::read));
	}

	public static LuaScript of(String task, String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		return new LuaScript(task, bytes, sha(bytes));
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

	/** The SHA-1 digest in lower-case hexadecimal, by which Redis knows a script. */
	public static String sha(byte[] text) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
