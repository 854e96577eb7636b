package io.lowkiq.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Ids as bytes and back. The bytes are UTF-8; any other byte found in Redis becomes one
 * lone low surrogate of its own, U+DC80 to U+DCFF, so that every id that lies there can
 * be named.
 */
final class IdBytes {

	private static final char ESCAPED = 0xDC00;

	private IdBytes() {
	}

	static byte[] encode(String id) {
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

	static String decode(byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8);
		if (text.indexOf('\uFFFD') < 0) {
			return text;
		}
		StringBuilder id = new StringBuilder(bytes.length);
		int position = 0;
		while (position < bytes.length) {
			int length = lengthOfCharacter(bytes, position);
			if (length > 0) {
				id.append(new String(bytes, position, length, StandardCharsets.UTF_8));
				position += length;
			}
			else {
				id.append((char) (ESCAPED + (bytes[position] & 0xFF)));
				position++;
			}
		}
		return id.toString();
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

	/**
	 * The length of the character that begins at a position.
	 * @return 1 to 4; 0 if the bytes are not one character in the only UTF-8 form of it
	 */
	private static int lengthOfCharacter(byte[] bytes, int position) {
		int first = bytes[position] & 0xFF;
		int length = (first < 0x80) ? 1
				: (first >> 5 == 0b110) ? 2 : (first >> 4 == 0b1110) ? 3 : (first >> 3 == 0b11110) ? 4 : 0;
		if (length <= 1 || position + length > bytes.length) {
			return (length == 1) ? 1 : 0;
		}
		int codePoint = first & (0xFF >> (length + 1));
		for (int i = 1; i < length; i++) {
			int next = bytes[position + i] & 0xFF;
			if (next >> 6 != 0b10) {
				return 0;
			}
			codePoint = (codePoint << 6) | (next & 0b111111);
		}
		int smallest = (length == 2) ? 0x80 : (length == 3) ? 0x800 : 0x10000;
		boolean valid = codePoint >= smallest && codePoint <= Character.MAX_CODE_POINT
				&& (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE);
		return valid ? length : 0;
	}

}
