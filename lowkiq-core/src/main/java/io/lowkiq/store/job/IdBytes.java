package io.lowkiq.store.job;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Ids as bytes and back. The bytes are UTF-8; any other byte found in Redis becomes one
 * lone low surrogate of its own, U+DC80 to U+DCFF, so that every id found there can be
 * named.
 */
public final class IdBytes {

	private static final char ESCAPED = 0xDC00;

	private IdBytes() {
	}

	public static byte[] encode(String id) {
		if (!hasSurrogates(id)) {
			return id.getBytes(StandardCharsets.UTF_8);
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(id.length() * 2);
		id.codePoints().forEach((codePoint) -> {
			if (isEscaped(codePoint)) {
				bytes.write(codePoint - ESCAPED);
			}
			else {
				bytes.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
			}
		});
		return bytes.toByteArray();
	}

	/** Decodes any bytes to an id that {@link #encode} makes the same bytes of. */
	public static String decode(byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8);
		if (text.indexOf('\uFFFD') < 0) {
			return text;
		}
		// Reports what is no character, and where
		CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
		ByteBuffer source = ByteBuffer.wrap(bytes);
		CharBuffer id = CharBuffer.allocate(bytes.length);
		for (int wrong = decode(decoder, source, id); wrong > 0; wrong = decode(decoder, source, id)) {
			for (int i = 0; i < wrong; i++) {
				id.put((char) (ESCAPED + (source.get() & 0xFF)));
			}
		}
		return id.flip().toString();
	}

	/** Returns the number of bytes that are no character; 0 at the end. */
	private static int decode(CharsetDecoder decoder, ByteBuffer source, CharBuffer id) {
		CoderResult result = decoder.reset().decode(source, id, true);
		return result.isError() ? result.length() : 0;
	}

	private static boolean hasSurrogates(String id) {
		for (int i = 0; i < id.length(); i++) {
			if (Character.isSurrogate(id.charAt(i))) {
				return true;
			}
		}
		return false;
	}

	private static boolean isEscaped(int codePoint) {
		return codePoint >= ESCAPED + 0x80 && codePoint <= ESCAPED + 0xFF;
	}

}
