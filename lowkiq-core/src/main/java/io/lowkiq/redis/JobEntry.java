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
 * A busy job as it is kept in Redis; {@code lib/entry.lua} says how.
 *
 * @param performAt milliseconds since 1970
 * @param retryCount -1 for a fresh job
 * @param crashes how many nodes have died while performing it
 * @param error what is kept of the last failure
 * @param payloads ascending by score
 */
record JobEntry(long performAt, int retryCount, int crashes, @Nullable String error, List<Payload> payloads) {

	private static final int PLAIN = 1;

	private static final int SINGLE = 2;

	private static final int TAKEN = 4;

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
		long performAt = (long) entry.getDouble();
		double score = entry.getDouble();
		if (kind == PLAIN) {
			return new JobEntry(performAt, -1, 0, null, List.of(new Payload(rest(entry), score)));
		}
		entry.get(); // the place that it had in the queue
		int retryCount = entry.getInt();
		int crashes = entry.getInt();
		boolean failed = entry.get() == 1;
		String error = new String(bytes(entry), StandardCharsets.UTF_8);
		List<Payload> payloads = switch (kind) {
			case SINGLE -> List.of(new Payload(rest(entry), score));
			case TAKEN -> payloads(entry);
			default -> throw new StoreException("An entry is of unknown kind %d".formatted(kind), null);
		};
		return new JobEntry(performAt, retryCount, crashes, failed ? error : null, payloads);
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
		int length = entry.getInt();
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
