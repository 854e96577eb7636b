package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.lowkiq.store.Outcome;

/**
 * What is kept of the text of a failure, as bytes.
 */
final class KeptError {

	private KeptError() {
	}

	/**
	 * The longest beginning of a text that has at most {@link Outcome#MAX_ERROR_BYTES}
	 * bytes in UTF-8 and ends with a whole character.
	 * @param text the text
	 * @return the bytes
	 */
	static byte[] encode(String text) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= Outcome.MAX_ERROR_BYTES) {
			return bytes;
		}
		int length = Outcome.MAX_ERROR_BYTES;
		while (length > 0 && (bytes[length] & 0xC0) == 0x80) {
			length--;
		}
		return Arrays.copyOf(bytes, length);
	}

}
