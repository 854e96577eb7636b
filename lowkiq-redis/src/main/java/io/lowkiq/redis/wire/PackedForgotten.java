package io.lowkiq.redis.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.lowkiq.store.Forgotten;
import io.lowkiq.store.PackedBytes;

/**
 * A loss of data, as bytes:
 * {@code B form, d noticedAt, d knownAt, I4 length, node, I4 length, session, I4 number of queues, (I4 length, queue)*, I4 number of shards}.
 * The field of the registry names its degree.
 */
public final class PackedForgotten {

	private static final int FORM = 1;

	private PackedForgotten() {
	}

	public static byte[] pack(Forgotten forgotten) {
		PackedBytes packed = new PackedBytes().putByte(FORM)
			.putDouble((double) forgotten.noticedAt())
			.putDouble((double) forgotten.knownAt())
			.putBytes(Utf8.bytes(forgotten.node()))
			.putBytes(Utf8.bytes(forgotten.session()))
			.putInt(forgotten.queues().size());
		forgotten.queues().forEach((queue) -> packed.putBytes(Utf8.bytes(queue)));
		return packed.putInt(forgotten.shards()).toBytes();
	}

	/**
	 * Reads what {@link #pack} wrote, perhaps of a newer version, which may append.
	 * @param bytes the bytes
	 * @return the loss; empty if the bytes are of another form
	 */
	public static Optional<Forgotten> unpack(Forgotten.Degree degree, byte[] bytes) {
		ByteBuffer packed = ByteBuffer.wrap(bytes);
		try {
			if (packed.get() != FORM) {
				return Optional.empty();
			}
			long noticedAt = (long) packed.getDouble();
			long knownAt = (long) packed.getDouble();
			String node = Utf8.text(packed);
			String session = Utf8.text(packed);
			List<String> queues = new ArrayList<>();
			for (int count = packed.getInt(); count > 0; count--) {
				queues.add(Utf8.text(packed));
			}
			// An earlier version did not write the number of shards
			int shards = packed.hasRemaining() ? packed.getInt() : 0;
			return Optional.of(new Forgotten(degree, noticedAt, knownAt, node, session, queues, shards));
		}
		catch (BufferUnderflowException ex) {
			return Optional.empty();
		}
	}

}
