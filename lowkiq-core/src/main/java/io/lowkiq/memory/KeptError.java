package io.lowkiq.memory;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

import io.lowkiq.store.Outcome;

/**
 * What is kept of the text of a failure.
 */
final class KeptError {

	private KeptError() {
	}

	/**
	 * The longest beginning of a text that has at most {@link Outcome#MAX_ERROR_BYTES}
	 * bytes in UTF-8 and ends with a whole character.
	 * @param text the text
	 * @return the beginning
	 */
	static String of(String text) {
		CharBuffer source = CharBuffer.wrap(text);
		ByteBuffer room = ByteBuffer.allocate(Outcome.MAX_ERROR_BYTES);
		StandardCharsets.UTF_8.newEncoder()
			.onMalformedInput(CodingErrorAction.REPLACE)
			.onUnmappableCharacter(CodingErrorAction.REPLACE)
			.encode(source, room, true);
		return text.substring(0, source.position());
	}

}
