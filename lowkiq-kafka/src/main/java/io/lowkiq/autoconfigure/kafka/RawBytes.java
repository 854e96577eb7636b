package io.lowkiq.autoconfigure.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** Bytes of a record, as text if they are, else in base64. */
record RawBytes(@Nullable String text, @Nullable String base64) {

	static @Nullable RawBytes of(byte @Nullable [] bytes) {
		if (bytes == null) {
			return null;
		}
		try {
			return new RawBytes(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString(), null);
		}
		catch (CharacterCodingException ex) {
			return new RawBytes(null, Base64.getEncoder().encodeToString(bytes));
		}
	}

	static byte @Nullable [] bytesOf(@Nullable RawBytes kept) {
		return (kept != null) ? kept.bytes() : null;
	}

	private byte[] bytes() {
		return (this.base64 != null) ? Base64.getDecoder().decode(this.base64)
				: Objects.requireNonNull(this.text).getBytes(StandardCharsets.UTF_8);
	}

}
