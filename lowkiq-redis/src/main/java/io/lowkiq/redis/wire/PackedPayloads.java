package io.lowkiq.redis.wire;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.PackedBytes;
import io.lowkiq.store.job.PackedPayload;
import io.lowkiq.store.job.Remembered;

/** Payloads for {@code enqueue.lua}, cut so that no call holds Redis up for long. */
public final class PackedPayloads {

	static final int MAX_PAYLOADS = 1_000;

	/** A call that is larger than this gets no further payload. */
	public static final int MAX_BYTES = 1 << 20;

	private PackedPayloads() {
	}

	public static List<byte[]> pack(List<NewPayload> payloads) {
		return pack(payloads, Remembered.NOTHING);
	}

	/** Packs follow-ups in their order. */
	public static List<byte[]> pack(List<NewPayload> payloads, Remembered remembered) {
		List<byte[]> calls = new ArrayList<>();
		PackedBytes call = new PackedBytes(size(payloads));
		int count = 0;
		Remembered known = remembered;
		Remembered next = remembered;
		for (NewPayload payload : payloads) {
			if (count == MAX_PAYLOADS || call.size() > MAX_BYTES) {
				calls.add(call.toBytes());
				call = new PackedBytes();
				count = 0;
				known = next;
			}
			PackedPayload.put(call, payload, known);
			next = next.after(payload.origin());
			count++;
		}
		calls.add(call.toBytes());
		return calls;
	}

	/** The size of all payloads, if no id needs more than one byte a character. */
	private static int size(List<NewPayload> payloads) {
		long size = 0;
		for (NewPayload payload : payloads) {
			size += PackedPayload.size(payload);
		}
		return (int) Math.min(size, 2L * MAX_BYTES);
	}

}
