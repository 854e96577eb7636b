package io.lowkiq.redis;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Payload;
import io.lowkiq.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * A job as it lies in the hashes of a shard; {@code lib/entry.lua} says how.
 *
 * @param id that of an entry which lies in the line; else null
 * @param performAt milliseconds since 1970
 * @param retryCount -1 for a fresh job
 * @param crashes how many nodes have died while performing it
 * @param error what is kept of the last failure
 * @param payloads ascending by score; empty if they lie in a sorted set of their own
 */
record JobEntry(@Nullable String id, long performAt, int retryCount, int crashes, @Nullable String error,
		List<Payload> payloads) {

	private static final int PLAIN = 1;

	private static final int SINGLE = 2;

	private static final int MULTI = 3;

	private static final int TAKEN = 4;

	private static final int IN_PLACE = 6;

	static JobEntry parse(byte[] entry) {
		try {
			return read(ByteBuffer.wrap(entry));
		}
		catch (BufferUnderflowException ex) {
			throw new StoreException("An entry of %d bytes ends too early".formatted(entry.length), ex);
		}
	}

	private static JobEntry read(ByteBuffer entry) {
		int kind = entry.get();
		if ((kind < PLAIN || kind > TAKEN) && kind != IN_PLACE) {
			throw new StoreException("An entry is of unknown kind %d".formatted(kind), null);
		}
		long performAt = (long) entry.getDouble();
		double score = entry.getDouble();
		if (kind == PLAIN) {
			return new JobEntry(null, performAt, -1, 0, null, List.of(new Payload(rest(entry), score)));
		}
		if (kind == IN_PLACE) {
			String id = IdBytes.decode(bytes(entry, Byte.toUnsignedInt(entry.get())));
			return new JobEntry(id, performAt, -1, 0, null, List.of(new Payload(rest(entry), score)));
		}
		int retryCount = entry.getInt();
		int crashes = entry.getInt();
		boolean failed = entry.get() == 1;
		String error = new String(bytes(entry), StandardCharsets.UTF_8);
		List<Payload> payloads = switch (kind) {
			case SINGLE -> List.of(new Payload(rest(entry), score));
			case MULTI -> List.of();
			default -> payloads(entry);
		};
		return new JobEntry(null, performAt, retryCount, crashes, failed ? error : null, payloads);
	}

	private static List<Payload> payloads(ByteBuffer entry) {
		int count = entry.getInt();
		List<Payload> payloads = new ArrayList<>(Math.min(Math.max(count, 0), entry.remaining()));
		for (int i = 0; i < count; i++) {
			double score = entry.getDouble();
			payloads.add(new Payload(bytes(entry), score));
		}
		return payloads;
	}

	private static byte[] bytes(ByteBuffer entry) {
		return bytes(entry, entry.getInt());
	}

	private static byte[] bytes(ByteBuffer entry, int length) {
		if (length < 0 || length > entry.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] bytes = new byte[length];
		entry.get(bytes);
		return bytes;
	}

	private static byte[] rest(ByteBuffer entry) {
		byte[] bytes = new byte[entry.remaining()];
		entry.get(bytes);
		return bytes;
	}

	FetchedJob fetched(String id) {
		return new FetchedJob(id, this.performAt, this.retryCount, this.crashes, this.error, this.payloads);
	}

}
