package io.lowkiq.redis.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.lowkiq.store.PackedBytes;

/** Text as Redis keeps it. */
public final class Utf8 {

	private Utf8() {
	}

	/** Encodes text. */
	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** Decodes text. */
	public static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * Reads packed text.
	 * @param packed where its length and its bytes come next
	 * @throws java.nio.BufferUnderflowException if it is shorter than its length
	 */
	public static String text(ByteBuffer packed) {
		return text(PackedBytes.read(packed));
	}

}
