package io.lowkiq.store.job;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.lowkiq.Ids;
import io.lowkiq.InvalidQueueException;
import org.jspecify.annotations.Nullable;

/** A payload to enqueue as soon as a job is done, and the queue that it goes into. */
public record FollowUp(String queue, NewPayload payload) {

	/** The length and bytes of the queue's name, and the {@link PackedPayload}. */
	public byte[] toBytes() {
		PackedBytes packed = new PackedBytes(PackedPayload.size(this.payload) + 2 * this.queue.length());
		packed.putBytes(this.queue.getBytes(StandardCharsets.UTF_8));
		PackedPayload.put(packed, this.payload, Remembered.NOTHING);
		return packed.toBytes();
	}

	/** Reads what {@link #toBytes()} wrote; null for other bytes. */
	public static @Nullable FollowUp parse(byte[] bytes) {
		ByteBuffer source = ByteBuffer.wrap(bytes);
		try {
			String queue = new String(PackedBytes.read(source), StandardCharsets.UTF_8);
			FollowUp followUp = new FollowUp(queue, PackedPayload.read(source));
			return Arrays.equals(followUp.toBytes(), bytes) ? followUp : null;
		}
		catch (BufferUnderflowException | IllegalArgumentException ex) {
			return null;
		}
	}

	/** The queue's name, which comes first in every version; null if it can't be one. */
	public static @Nullable String queueOf(byte[] bytes) {
		try {
			return Ids.checkQueue(new String(PackedBytes.read(ByteBuffer.wrap(bytes)), StandardCharsets.UTF_8));
		}
		catch (BufferUnderflowException | InvalidQueueException ex) {
			return null;
		}
	}

}
