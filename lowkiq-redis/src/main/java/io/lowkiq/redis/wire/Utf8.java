package io.lowkiq.redis.wire;

import java.nio.charset.StandardCharsets;

/**
 * Text as Redis keeps it.
 */
public final class Utf8 {

	private Utf8() {
	}

	/**
	 * Encodes text.
	 * @param text the text
	 * @return its bytes
	 */
	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Decodes text. What is not UTF-8 becomes a replacement character.
	 * @param bytes the bytes
	 * @return the text
	 */
	public static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
