package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.NewPayload;

/**
 * Pushes as {@code push.lua} reads them, cut so that no call holds Redis up for long.
 */
final class PackedPushes {

	/** The most payloads of one call. */
	static final int MAX_PAYLOADS = 1_000;

	/** A call that is larger than this gets no further payload. */
	static final int MAX_BYTES = 1 << 20;

	/** Flags, score, time, and the lengths of id and payload. */
	private static final int FIXED = Byte.BYTES + 2 * Double.BYTES + 2 * Integer.BYTES;

	private static final int SCORE_GIVEN = 1;

	private static final int PERFORM_AT = 2;

	private static final int DELAY = 4;

	private PackedPushes() {
	}

	/**
	 * Packs pushes in their order.
	 * @param pushes the pushes
	 * @return the argument of each call
	 */
	static List<byte[]> pack(List<NewPayload> pushes) {
		List<byte[]> calls = new ArrayList<>();
		PackedArgument call = new PackedArgument(size(pushes));
		int count = 0;
		for (NewPayload push : pushes) {
			if (count == MAX_PAYLOADS || call.size() > MAX_BYTES) {
				calls.add(call.toBytes());
				call = new PackedArgument();
				count = 0;
			}
			add(call, push);
			count++;
		}
		calls.add(call.toBytes());
		return calls;
	}

	/** The size of all pushes, if no id needs more than one byte a character. */
	private static int size(List<NewPayload> pushes) {
		long size = 0;
		for (NewPayload push : pushes) {
			size += FIXED + push.id().length() + push.payload().length;
		}
		return (int) Math.min(size, 2L * MAX_BYTES);
	}

	private static void add(PackedArgument call, NewPayload push) {
		Double score = push.score();
		Long performAt = push.performAt();
		int flags = (score != null) ? SCORE_GIVEN : 0;
		double time = 0;
		if (performAt != null) {
			flags |= PERFORM_AT;
			time = performAt;
		}
		else if (push.delay() != 0) {
			flags |= DELAY;
			time = push.delay();
		}
		// + 0.0 turns -0.0 into 0.0: Redis doesn't tell them apart
		call.putByte(flags)
			.putDouble((score != null) ? score + 0.0 : 0)
			.putDouble(time)
			.putBytes(IdBytes.encode(push.id()))
			.putBytes(push.payload());
	}

}
