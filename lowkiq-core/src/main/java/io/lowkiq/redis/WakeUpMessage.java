package io.lowkiq.redis;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;

/**
 * The messages: {@link #ECHO}, {@link #CHANGED}, or the name of a shard, which a job may
 * follow, as {@code lib/common-push.lua} writes it.
 */
final class WakeUpMessage {

	/** Unlike the name of any shard. */
	static final String ECHO = "echo";

	/** Unlike the name of any shard. */
	static final String CHANGED = "changed";

	private WakeUpMessage() {
	}

	static boolean isEcho(byte[] body) {
		return text(body, body.length).equals(ECHO);
	}

	static boolean isChange(byte[] body) {
		return text(body, body.length).equals(CHANGED);
	}

	/**
	 * The shard of a message.
	 * @param body the message
	 * @return the shard; empty if it names none
	 */
	static Optional<Shard> shard(byte[] body) {
		try {
			return Optional.of(Shard.parse(text(body, endOfName(body))));
		}
		catch (IllegalArgumentException ex) {
			return Optional.empty();
		}
	}

	/**
	 * The job that follows the name of the shard: {@code d epoch, d after, d sequence, d
	 * now, d next, I4 length, id, entry}.
	 * @param body the message
	 * @return what was handed over; empty if nothing, or nothing that can be read
	 */
	static Optional<HandOver> handOver(byte[] body) {
		int end = endOfName(body);
		if (end == body.length) {
			return Optional.empty();
		}
		try {
			return Optional.of(handOver(ByteBuffer.wrap(body, end + 1, body.length - end - 1)));
		}
		catch (BufferUnderflowException | StoreException ex) {
			return Optional.empty();
		}
	}

	private static HandOver handOver(ByteBuffer packed) {
		long epoch = number(packed);
		long after = number(packed);
		long sequence = number(packed);
		long now = number(packed);
		double next = packed.getDouble();
		int length = packed.getInt();
		if (length < 0 || length > packed.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] id = new byte[length];
		packed.get(id);
		byte[] entry = new byte[packed.remaining()];
		packed.get(entry);
		FetchedJob job = JobEntry.parse(entry).fetched(IdBytes.decode(id));
		if (job.payloads().isEmpty()) {
			throw new StoreException("A job without payloads was handed over", null);
		}
		return new HandOver(epoch, after, sequence, job, Double.isInfinite(next) ? FetchResult.NOTHING : (long) next,
				now);
	}

	private static long number(ByteBuffer packed) {
		return (long) packed.getDouble();
	}

	private static int endOfName(byte[] body) {
		int end = 0;
		while (end < body.length && body[end] != 0) {
			end++;
		}
		return end;
	}

	private static String text(byte[] body, int length) {
		return new String(body, 0, length, StandardCharsets.UTF_8);
	}

}
