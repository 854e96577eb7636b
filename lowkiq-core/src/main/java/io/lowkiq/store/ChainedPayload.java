package io.lowkiq.store;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.PayloadException;
import org.jspecify.annotations.Nullable;

/**
 * A payload, and the follow-up to enqueue when it is done. The store keeps both as one
 * payload, so that nothing can come between them: payloads that are followed by different
 * things are different payloads.
 *
 * @param payload what the codec has written
 * @param next what is enqueued when the payload is done; null for nothing
 */
@SuppressWarnings("ArrayRecordComponent")
public record ChainedPayload(byte[] payload, @Nullable FollowUp next) {

	/** A mark that no codec is likely to begin with. */
	private static final byte[] MARK = "\0lowkiq\1".getBytes(StandardCharsets.US_ASCII);

	/**
	 * The bytes in the store: the payload itself if nothing follows it; else a mark, int
	 * length and bytes of the follow-up, and the payload. A payload that begins with the
	 * mark gets a follow-up of length 0.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		if (this.next == null && !isMarked(this.payload)) {
			return this.payload;
		}
		byte[] followUp = (this.next != null) ? this.next.toBytes() : new byte[0];
		return ByteBuffer.allocate(MARK.length + Integer.BYTES + followUp.length + this.payload.length)
			.put(MARK)
			.putInt(followUp.length)
			.put(followUp)
			.put(this.payload)
			.array();
	}

	/**
	 * Reads what the store keeps.
	 * @param bytes the bytes
	 * @return the payload with what follows it
	 * @throws PayloadException if there is a mark, but what comes after it can't be read
	 */
	public static ChainedPayload parse(byte[] bytes) {
		if (!isMarked(bytes)) {
			return new ChainedPayload(bytes, null);
		}
		try {
			ByteBuffer source = ByteBuffer.wrap(bytes).position(MARK.length);
			byte[] followUp = bytes(source, source.getInt());
			byte[] payload = bytes(source, source.remaining());
			return new ChainedPayload(payload, (followUp.length > 0) ? FollowUp.parse(followUp) : null);
		}
		catch (BufferUnderflowException | IllegalArgumentException ex) {
			throw new PayloadException("What follows the payload can't be read", ex);
		}
	}

	/**
	 * Reads what the store keeps, for people.
	 * @param bytes the bytes
	 * @return the payload with what follows it; if that can't be read, everything as a
	 * payload that nothing follows
	 */
	public static ChainedPayload parseLeniently(byte[] bytes) {
		try {
			return parse(bytes);
		}
		catch (PayloadException ex) {
			return new ChainedPayload(bytes, null);
		}
	}

	/**
	 * The follow-ups of the payload, step by step.
	 * @return the follow-ups in their order
	 */
	public List<FollowUp> steps() {
		List<FollowUp> steps = new ArrayList<>();
		for (FollowUp step = this.next; step != null; step = parseLeniently(step.payload().payload()).next()) {
			steps.add(step);
		}
		return steps;
	}

	private static byte[] bytes(ByteBuffer source, int length) {
		if (length < 0 || length > source.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] value = new byte[length];
		source.get(value);
		return value;
	}

	private static boolean isMarked(byte[] bytes) {
		if (bytes.length < MARK.length || bytes[0] != MARK[0]) {
			return false;
		}
		return ByteBuffer.wrap(bytes, 0, MARK.length).equals(ByteBuffer.wrap(MARK));
	}

}
