package io.lowkiq.redis.inmemory;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Text as bytes. */
final class Bytes {

	private Bytes() {
	}

	static byte[][] of(String... texts) {
		return Stream.of(texts).map((text) -> text.getBytes(StandardCharsets.ISO_8859_1)).toArray(byte[][]::new);
	}

}
