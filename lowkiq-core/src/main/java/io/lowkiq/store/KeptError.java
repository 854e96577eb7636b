package io.lowkiq.store;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * What is kept of the text of a failure.
 */
final class KeptError {

	private KeptError() {
	}

	/**
	 * The longest beginning of a text that has at most {@link Outcome#MAX_ERROR_BYTES}
	 * bytes in UTF-8 and ends with a whole character.
	 */
	static String of(String text) {
		if (text.length() <= Outcome.MAX_ERROR_BYTES / 3) {
			return text;
		}
		CharBuffer source = CharBuffer.wrap(text);
		ByteBuffer room = ByteBuffer.allocate(Outcome.MAX_ERROR_BYTES);
		StandardCharsets.UTF_8.newEncoder()
			.onMalformedInput(CodingErrorAction.REPLACE)
			.onUnmappableCharacter(CodingErrorAction.REPLACE)
			.encode(source, room, true);
		return text.substring(0, source.position());
	}

}
