package io.lowkiq.reliability.program;

import java.lang.reflect.Type;
import java.util.concurrent.ThreadLocalRandom;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;

/**
 * Fails to read {@link Change.Kind#PUZZLE} half of the time. Thread-safe.
 */
final class PuzzledCodec implements PayloadCodec {

	private final PayloadCodec codec = new JacksonPayloadCodec();

	@Override
	public byte[] encode(Object payload, Type type) {
		return this.codec.encode(payload, type);
	}

	@Override
	public Object decode(byte[] bytes, Type type) {
		Object payload = this.codec.decode(bytes, type);
		if (((Change) payload).kind() == Change.Kind.PUZZLE && ThreadLocalRandom.current().nextBoolean()) {
			throw new PayloadException("This time it can't be read");
		}
		return payload;
	}

}
