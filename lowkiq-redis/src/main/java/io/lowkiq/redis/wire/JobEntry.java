package io.lowkiq.redis.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.Producers;
import io.lowkiq.StoreException;
import io.lowkiq.TraceParent;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.Failure.Attempt;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.PackedBytes;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.StoredPayload;

/** A busy job as it is kept in Redis; {@code lib/entry.lua} says how. */
public final class JobEntry {

	private static final int PLAIN = 1;

	private static final int SINGLE = 2;

	private static final int BUSY_MULTI = 4;

	private static final int FAILED = 1;

	private static final int UNREADABLE = 2;

	private static final int TRACED = 16;

	/** Says something of blocked jobs only. */
	private static final int DUE = 32;

	private static final int ATTEMPTS = 64;

	private JobEntry() {
	}

	public static FetchedJob parse(String id, byte[] entry, long now) {
		try {
			return read(id, ByteBuffer.wrap(entry), now);
		}
		catch (BufferUnderflowException ex) {
			throw new StoreException("An entry of %s bytes ends too early".formatted(entry.length), ex);
		}
	}

	private static FetchedJob read(String id, ByteBuffer entry, long now) {
		int kind = entry.get();
		long performAt = (long) entry.getDouble();
		double score = entry.getDouble();
		if (kind == PLAIN) {
			return new FetchedJob(id, performAt, -1, 0, null, List.of(StoredPayload.read(rest(entry), score)), 0,
					Math.max(now - performAt, 0), Producers.NONE);
		}
		entry.get(); // the place that it had in the queue
		int retryCount = entry.getInt();
		int crashes = entry.getInt();
		int flags = entry.get();
		String error = new String(PackedBytes.read(entry), StandardCharsets.UTF_8);
		double unreadableSince = ((flags & UNREADABLE) != 0) ? entry.getDouble() : (double) now;
		// Until when it gathered, and before when it was not due: over once it is busy
		entry.position(Math.min(
				entry.position()
						+ Double.BYTES * Integer.bitCount(flags & ~(FAILED | UNREADABLE | TRACED | DUE | ATTEMPTS)),
				entry.limit()));
		Producers producers = ((flags & TRACED) != 0) ? producers(entry) : Producers.NONE;
		List<Attempt> attempts = ((flags & ATTEMPTS) != 0) ? PackedAttempts.parse(PackedBytes.read(entry)) : List.of();
		Failure failure = ((flags & FAILED) != 0) ? new Failure(error, attempts) : null;
		List<Payload> payloads = switch (kind) {
			case SINGLE -> List.of(StoredPayload.read(rest(entry), score));
			case BUSY_MULTI -> payloads(entry);
			default -> throw new StoreException("An entry is of unknown kind %s".formatted(kind), null);
		};
		return new FetchedJob(id, performAt, retryCount, crashes, failure, payloads,
				Math.max(now - (long) unreadableSince, 0), Math.max(now - performAt, 0), producers);
	}

	/** Producers as {@code lib/producers.lua} describes them. */
	public static Producers producers(ByteBuffer packed) {
		packed.get(); // how many are kept
		long more = Integer.toUnsignedLong(packed.getInt());
		int count = Short.toUnsignedInt(packed.getShort());
		List<TraceParent> traces = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			traces.add(TraceParent.read(packed));
		}
		return new Producers(traces, more);
	}

	private static List<Payload> payloads(ByteBuffer entry) {
		int count = entry.getInt();
		List<Payload> payloads = new ArrayList<>(Math.min(Math.max(count, 0), entry.remaining()));
		for (int i = 0; i < count; i++) {
			double score = entry.getDouble();
			payloads.add(StoredPayload.read(PackedBytes.read(entry), score));
		}
		return payloads;
	}

	private static byte[] rest(ByteBuffer entry) {
		byte[] bytes = new byte[entry.remaining()];
		entry.get(bytes);
		return bytes;
	}

}
