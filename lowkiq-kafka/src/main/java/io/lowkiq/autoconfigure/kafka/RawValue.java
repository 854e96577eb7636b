package io.lowkiq.autoconfigure.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.jspecify.annotations.Nullable;

/**
 * The value of a record as it is kept in the morgue: text as it is, so that the record
 * can be enqueued again when the worker can read it; other bytes in base64.
 */
final class RawValue {

	private RawValue() {
	}

	static byte[] of(byte @Nullable [] bytes) {
		if (bytes == null) {
			return "null".getBytes(StandardCharsets.UTF_8);
		}
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
			return bytes;
		}
		catch (CharacterCodingException ex) {
			return "\"base64:%s\"".formatted(Base64.getEncoder().encodeToString(bytes))
				.getBytes(StandardCharsets.UTF_8);
		}
	}

}
