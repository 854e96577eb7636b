package io.lowkiq.store.job;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The bytes that a storage keeps of a payload and of what follows it, as one value, so
 * that nothing can come between them. Every payload goes through here on its way into a
 * storage and out of it, whoever made it: its own bytes can't pass for one that something
 * follows.
 */
public final class StoredPayload {

	/** The beginning of every payload that is not kept as it is. */
	private static final byte[] MARK = "\0lowkiq\1".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] NOTHING = new byte[0];

	private StoredPayload() {
	}

	/**
	 * The payload itself if nothing follows it; else a mark, int length and bytes of
	 * {@link FollowUp#toBytes()}, and the payload. A payload that begins with the mark
	 * gets a follow-up of length 0.
	 */
	public static byte[] of(byte[] payload, byte @Nullable [] next) {
		if (next == null && !isMarked(payload)) {
			return payload;
		}
		byte[] followUp = (next != null) ? next : NOTHING;
		return new PackedBytes(MARK.length + Integer.BYTES + followUp.length + payload.length).putRaw(MARK)
			.putBytes(followUp)
			.putRaw(payload)
			.toBytes();
	}

	/** Of bytes that are cut off, a payload that something unreadable follows. */
	public static Payload read(byte[] stored, double score) {
		if (!isMarked(stored)) {
			return new Payload(stored, score);
		}
		ByteBuffer source = ByteBuffer.wrap(stored).position(MARK.length);
		byte[] followUp;
		try {
			followUp = PackedBytes.read(source);
		}
		catch (BufferUnderflowException ex) {
			return new Payload(stored, score, NOTHING);
		}
		byte[] payload = new byte[source.remaining()];
		source.get(payload);
		return new Payload(payload, score, (followUp.length > 0) ? followUp : null);
	}

	private static boolean isMarked(byte[] bytes) {
		if (bytes.length < MARK.length || bytes[0] != MARK[0]) {
			return false;
		}
		return ByteBuffer.wrap(bytes, 0, MARK.length).equals(ByteBuffer.wrap(MARK));
	}

}
