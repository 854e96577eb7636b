package io.lowkiq.redis.wire;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.IdBytes;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Origin;
import io.lowkiq.store.PackedBytes;
import io.lowkiq.store.StoredPayload;
import io.lowkiq.store.TracedProducer;

/**
 * Payloads as {@code enqueue.lua} reads them, cut so that no call holds Redis up for
 * long.
 */
public final class PackedPayloads {

	/** The largest number of payloads of one call. */
	static final int MAX_PAYLOADS = 1_000;

	/** A call that is larger than this gets no further payload. */
	public static final int MAX_BYTES = 1 << 20;

	/** Flags, score, time, and the lengths of id and payload. */
	private static final int FIXED = Byte.BYTES + 2 * Double.BYTES + 2 * Integer.BYTES;

	private static final int SCORE_GIVEN = 1;

	private static final int PERFORM_AT = 2;

	private static final int DELAY = 4;

	private static final int TRACED = 8;

	private static final int FOLLOW_UP = 16;

	private PackedPayloads() {
	}

	/**
	 * Packs payloads in their order.
	 * @return the argument of each call
	 */
	public static List<byte[]> pack(List<NewPayload> payloads) {
		return pack(payloads, 0);
	}

	/**
	 * Packs follow-ups in their order.
	 * @param forgotten how often the shard had forgotten an origin
	 * @return the argument of each call
	 */
	public static List<byte[]> pack(List<NewPayload> payloads, long forgotten) {
		List<byte[]> calls = new ArrayList<>();
		PackedBytes call = new PackedBytes(size(payloads));
		int count = 0;
		for (NewPayload payload : payloads) {
			if (count == MAX_PAYLOADS || call.size() > MAX_BYTES) {
				calls.add(call.toBytes());
				call = new PackedBytes();
				count = 0;
			}
			add(call, payload, forgotten);
			count++;
		}
		calls.add(call.toBytes());
		return calls;
	}

	/** The size of all payloads, if no id needs more than one byte a character. */
	private static int size(List<NewPayload> payloads) {
		long size = 0;
		for (NewPayload payload : payloads) {
			size += FIXED + payload.id().length() + payload.payload().length;
		}
		return (int) Math.min(size, 2L * MAX_BYTES);
	}

	private static void add(PackedBytes call, NewPayload payload, long forgotten) {
		Double score = payload.score();
		Long performAt = payload.performAt();
		int flags = (score != null) ? SCORE_GIVEN : 0;
		double time = 0;
		if (performAt != null) {
			flags |= PERFORM_AT;
			time = performAt;
		}
		else if (payload.delay() != 0) {
			flags |= DELAY;
			time = payload.delay();
		}
		TracedProducer producer = payload.producer();
		flags |= (producer != null) ? TRACED : 0;
		Origin origin = payload.origin();
		flags |= (origin != null) ? FOLLOW_UP : 0;
		// + 0.0 turns -0.0 into 0.0: Redis doesn't tell them apart
		call.putByte(flags)
			.putDouble((score != null) ? score + 0.0 : 0)
			.putDouble(time)
			.putBytes(IdBytes.encode(payload.id()))
			.putBytes(StoredPayload.of(payload.payload(), payload.next()));
		if (producer != null) {
			call.putByte(producer.most()).putRaw(producer.trace().toBytes());
		}
		if (origin != null) {
			call.putBytes(Utf8.bytes(origin.shard().toString()))
				.putDouble((double) origin.epoch())
				.putDouble((double) origin.number())
				.putDouble((double) forgotten);
		}
	}

}
