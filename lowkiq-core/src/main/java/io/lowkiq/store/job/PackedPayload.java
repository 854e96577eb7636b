package io.lowkiq.store.job;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lowkiq.TraceParent;

/**
 * A payload on its way into a shard as bytes, big-endian: byte flags (1 score, 2
 * performAt, 4 delay, 8 producer, 16 origin), double score, double performAt or delay,
 * int length and bytes of the id and of the {@linkplain StoredPayload stored payload};
 * with a producer, byte how many of them are kept and the producer's own bytes; with an
 * origin, int length and bytes of its shard, and doubles epoch and number, and epoch and
 * number of what the target {@linkplain Remembered remembers}. A score or time that is
 * not given is 0.
 */
public final class PackedPayload {

	private static final int SCORE = 1;

	private static final int PERFORM_AT = 2;

	private static final int DELAY = 4;

	private static final int PRODUCER = 8;

	private static final int ORIGIN = 16;

	/** Flags, score, time, and the lengths of id and payload. */
	private static final int FIXED = Byte.BYTES + 2 * Double.BYTES + 2 * Integer.BYTES;

	private PackedPayload() {
	}

	/** Returns how many bytes a payload probably takes. */
	public static int size(NewPayload payload) {
		byte[] next = payload.next();
		return FIXED + payload.id().length() + payload.payload().length + ((next != null) ? next.length : 0);
	}

	/** Packs payloads in their order, for one call. */
	public static byte[] pack(List<NewPayload> payloads, Remembered remembered) {
		int size = 0;
		for (NewPayload payload : payloads) {
			size += size(payload);
		}
		PackedBytes packed = new PackedBytes(size);
		for (NewPayload payload : payloads) {
			put(packed, payload, remembered);
		}
		return packed.toBytes();
	}

	static void put(PackedBytes packed, NewPayload payload, Remembered remembered) {
		Double score = payload.score();
		Long performAt = payload.performAt();
		TracedProducer producer = payload.producer();
		Origin origin = payload.origin();
		int timeFlag = (payload.delay() != 0) ? DELAY : 0;
		int flags = ((score != null) ? SCORE : 0) | ((performAt != null) ? PERFORM_AT : timeFlag)
				| ((producer != null) ? PRODUCER : 0) | ((origin != null) ? ORIGIN : 0);
		// + 0.0 turns -0.0 into 0.0: Redis doesn't tell them apart
		packed.putByte(flags)
			.putDouble((score != null) ? score + 0.0 : 0)
			.putDouble((double) ((performAt != null) ? performAt : payload.delay()))
			.putBytes(IdBytes.encode(payload.id()))
			.putBytes(StoredPayload.of(payload.payload(), payload.next()));
		if (producer != null) {
			packed.putByte(producer.most()).putRaw(producer.trace().toBytes());
		}
		if (origin != null) {
			packed.putBytes(origin.shard().toString().getBytes(StandardCharsets.UTF_8))
				.putDouble((double) origin.epoch())
				.putDouble((double) origin.number())
				.putDouble((double) remembered.epoch())
				.putDouble((double) remembered.number());
		}
	}

	/**
	 * Without an origin. Other bytes may give a payload of which {@link #put} makes other
	 * ones.
	 * @throws java.nio.BufferUnderflowException if there are too few bytes
	 * @throws IllegalArgumentException if it can't be a payload
	 */
	static NewPayload read(ByteBuffer source) {
		int flags = source.get();
		double score = source.getDouble();
		long time = (long) source.getDouble();
		String id = IdBytes.decode(PackedBytes.read(source));
		Payload stored = StoredPayload.read(PackedBytes.read(source), score);
		TracedProducer producer = null;
		if ((flags & PRODUCER) != 0) {
			int most = source.get() & 0xff;
			producer = new TracedProducer(TraceParent.read(source), most);
		}
		boolean isDelay = (flags & DELAY) != 0;
		if (Double.isNaN(score) || (isDelay && time < 0)) {
			throw new IllegalArgumentException("Not the score or the delay of a payload");
		}
		return new NewPayload(id, stored.bytes(), ((flags & SCORE) != 0) ? score : null,
				((flags & PERFORM_AT) != 0) ? time : null, isDelay ? time : 0, producer, null, stored.next());
	}

}
