package io.lowkiq.redis.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.job.Failure.Attempt;
import io.lowkiq.store.job.PackedBytes;

/**
 * The failed attempts of a job, which scripts keep as they are (big-endian): for each,
 * int number, double time, int length and bytes of the node's name, and of the error.
 */
public final class PackedAttempts {

	private PackedAttempts() {
	}

	static byte[] pack(List<Attempt> attempts) {
		PackedBytes packed = new PackedBytes();
		for (Attempt attempt : attempts) {
			packed.putInt(attempt.attempt())
				.putDouble((double) attempt.at())
				.putBytes(Utf8.bytes(attempt.node()))
				.putBytes(Utf8.bytes(attempt.error()));
		}
		return packed.toBytes();
	}

	/** Reads attempts. They are only shown, so those that can't be read are left out. */
	public static List<Attempt> parse(byte[] packed) {
		ByteBuffer source = ByteBuffer.wrap(packed);
		List<Attempt> attempts = new ArrayList<>();
		try {
			while (source.hasRemaining()) {
				attempts
					.add(new Attempt(source.getInt(), (long) source.getDouble(), Utf8.text(source), Utf8.text(source)));
			}
		}
		catch (BufferUnderflowException ex) {
			// Shorter than it says
		}
		return attempts;
	}

}
