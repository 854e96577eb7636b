package io.lowkiq.store;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A payload to enqueue as soon as a job is done, and the queue that it goes into.
 *
 * @param queue the queue's name
 * @param payload the payload, without an origin
 */
public record FollowUp(String queue, NewPayload payload) {

	/**
	 * The follow-up as bytes: int length and bytes of the queue's name, and the
	 * {@linkplain PackedPayload packed payload}.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		PackedBytes packed = new PackedBytes(PackedPayload.size(this.payload) + 2 * this.queue.length());
		packed.putBytes(this.queue.getBytes(StandardCharsets.UTF_8));
		PackedPayload.put(packed, this.payload, 0);
		return packed.toBytes();
	}

	/**
	 * Reads what {@link #toBytes()} wrote.
	 * @param bytes the bytes
	 * @return the follow-up
	 * @throws IllegalArgumentException if the bytes are something else
	 */
	public static FollowUp parse(byte[] bytes) {
		ByteBuffer source = ByteBuffer.wrap(bytes);
		try {
			String queue = new String(PackedBytes.read(source), StandardCharsets.UTF_8);
			FollowUp followUp = new FollowUp(queue, PackedPayload.read(source));
			if (Arrays.equals(followUp.toBytes(), bytes)) {
				return followUp;
			}
		}
		catch (BufferUnderflowException ex) {
			// Shorter than it says
		}
		throw new IllegalArgumentException("Not a follow-up");
	}

}
