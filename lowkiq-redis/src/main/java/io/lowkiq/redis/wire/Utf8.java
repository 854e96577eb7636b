package io.lowkiq.redis.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.lowkiq.store.job.PackedBytes;

/** Text as Redis keeps it. */
public final class Utf8 {

	private Utf8() {
	}

	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	public static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	/**
	 * Reads the length, and the text.
	 * @throws java.nio.BufferUnderflowException if it is shorter
	 */
	public static String text(ByteBuffer packed) {
		return text(PackedBytes.read(packed));
	}

}
