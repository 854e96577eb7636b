package io.lowkiq.store;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.lowkiq.TraceParent;
import org.jspecify.annotations.Nullable;

/**
 * A payload to enqueue as soon as a job is done, and the queue that it goes into.
 *
 * @param queue the queue's name
 * @param payload the payload
 */
public record FollowUp(String queue, NewPayload payload) {

	private static final int SCORE = 1;

	private static final int PERFORM_AT = 2;

	private static final int DELAY = 4;

	private static final int PRODUCER = 8;

	/** Flags, and the lengths of queue, id and payload. */
	private static final int FIXED = Byte.BYTES + 3 * Integer.BYTES;

	/**
	 * The follow-up as bytes, big-endian: byte flags (1 score, 2 performAt, 4 delay, 8
	 * producer), then of each flag that is set double score, long performAt, long delay,
	 * byte how many producers are kept and the producer's own bytes; then int length and
	 * bytes of the queue's name, the id and the {@linkplain StoredPayload payload}.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		byte[] name = this.queue.getBytes(StandardCharsets.UTF_8);
		byte[] id = this.payload.id().getBytes(StandardCharsets.UTF_8);
		Double score = this.payload.score();
		Long performAt = this.payload.performAt();
		long delay = this.payload.delay();
		TracedProducer producer = this.payload.producer();
		int flags = ((score != null) ? SCORE : 0) | ((performAt != null) ? PERFORM_AT : 0) | ((delay != 0) ? DELAY : 0)
				| ((producer != null) ? PRODUCER : 0);
		byte[] stored = StoredPayload.of(this.payload.payload(), this.payload.next());
		int times = 3 * Long.BYTES + Byte.BYTES + TraceParent.BYTES;
		ByteBuffer bytes = ByteBuffer.allocate(FIXED + times + name.length + id.length + stored.length);
		bytes.put((byte) flags);
		if (score != null) {
			bytes.putDouble(score);
		}
		if (performAt != null) {
			bytes.putLong(performAt);
		}
		if (delay != 0) {
			bytes.putLong(delay);
		}
		if (producer != null) {
			bytes.put((byte) producer.most()).put(producer.trace().toBytes());
		}
		put(bytes, name);
		put(bytes, id);
		put(bytes, stored);
		byte[] used = new byte[bytes.position()];
		bytes.flip().get(used);
		return used;
	}

	private static void put(ByteBuffer bytes, byte[] value) {
		bytes.putInt(value.length).put(value);
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
			FollowUp followUp = read(source);
			if (!source.hasRemaining()) {
				return followUp;
			}
		}
		catch (BufferUnderflowException ex) {
			// Shorter than it says
		}
		throw new IllegalArgumentException("Not a follow-up");
	}

	private static FollowUp read(ByteBuffer source) {
		int flags = source.get();
		Double score = is(flags, SCORE) ? source.getDouble() : null;
		Long performAt = is(flags, PERFORM_AT) ? source.getLong() : null;
		long delay = is(flags, DELAY) ? source.getLong() : 0;
		TracedProducer producer = is(flags, PRODUCER) ? producer(source) : null;
		if ((score != null && score.isNaN()) || delay < 0 || (flags & ~(SCORE | PERFORM_AT | DELAY | PRODUCER)) != 0) {
			throw new IllegalArgumentException("Not a follow-up");
		}
		String queue = text(source);
		String id = text(source);
		Payload stored = StoredPayload.read(bytes(source), 0);
		return new FollowUp(queue,
				new NewPayload(id, stored.bytes(), score, performAt, delay, producer, null, stored.next()));
	}

	private static boolean is(int flags, int flag) {
		return (flags & flag) != 0;
	}

	private static @Nullable TracedProducer producer(ByteBuffer source) {
		int most = source.get() & 0xff;
		return new TracedProducer(TraceParent.read(source), most);
	}

	private static String text(ByteBuffer source) {
		return new String(bytes(source), StandardCharsets.UTF_8);
	}

	private static byte[] bytes(ByteBuffer source) {
		int length = source.getInt();
		if (length < 0 || length > source.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] value = new byte[length];
		source.get(value);
		return value;
	}

}
