package io.lowkiq.reliability.program;

import java.lang.reflect.Type;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;

/** Fails to read {@link Change.Kind#PUZZLE} half of the time. Thread-safe. */
public final class PuzzledCodec implements PayloadCodec {

	private final PayloadCodec codec = new JacksonPayloadCodec();

	private final Surroundings surroundings;

	/** A codec. */
	public PuzzledCodec(Surroundings surroundings) {
		this.surroundings = surroundings;
	}

	@Override
	public byte[] encode(Object payload, Type type) {
		return this.codec.encode(payload, type);
	}

	@Override
	public Object decode(byte[] bytes, Type type) {
		Object payload = this.codec.decode(bytes, type);
		if (((Change) payload).kind() == Change.Kind.PUZZLE && this.surroundings.random().nextBoolean()) {
			throw new PayloadException("This time it can't be read");
		}
		return payload;
	}

}
