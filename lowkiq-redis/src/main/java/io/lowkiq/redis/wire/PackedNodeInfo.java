package io.lowkiq.redis.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.lowkiq.store.NodeInfo;

/**
 * A node's description of itself, as bytes:
 * {@code B form, B 1 if it is stopping, q startedAt, q lease duration in ms, I4 length, node, I4 number of queues, (I4 length, queue)*}.
 */
public final class PackedNodeInfo {

	private static final int FORM = 2;

	/**
	 * Of a node whose lease duration can't be read: rather too long, so that no living
	 * session is ended.
	 */
	private static final Duration UNKNOWN_LEASE = Duration.ofMinutes(5);

	private PackedNodeInfo() {
	}

	public static byte[] pack(NodeInfo info) {
		PackedArgument packed = new PackedArgument().putByte(FORM).putByte(info.stopping() ? 1 : 0);
		putLong(packed, info.startedAt());
		putLong(packed, info.leaseDuration().toMillis());
		packed.putBytes(Utf8.bytes(info.node())).putInt(info.queues().size());
		// In an order, because other bytes count as a change
		info.queues().stream().sorted().forEach((queue) -> packed.putBytes(Utf8.bytes(queue)));
		return packed.toBytes();
	}

	private static void putLong(PackedArgument packed, long value) {
		packed.putInt((int) (value >>> Integer.SIZE)).putInt((int) value);
	}

	/**
	 * Reads what {@link #pack} wrote. What another version wrote in another form says
	 * nothing, but the session counts all the same.
	 * @return the info; empty if the bytes are of another form
	 */
	public static NodeInfo unpack(byte[] bytes) {
		NodeInfo unreadable = new NodeInfo("", 0, UNKNOWN_LEASE, Set.of(), false);
		ByteBuffer packed = ByteBuffer.wrap(bytes);
		try {
			if (packed.get() != FORM) {
				return unreadable;
			}
			boolean stopping = packed.get() == 1;
			long startedAt = packed.getLong();
			Duration leaseDuration = Duration.ofMillis(packed.getLong());
			String node = text(packed);
			Set<String> queues = new HashSet<>();
			for (int count = packed.getInt(); count > 0; count--) {
				queues.add(text(packed));
			}
			return new NodeInfo(node, startedAt, leaseDuration, queues, stopping);
		}
		catch (BufferUnderflowException ex) {
			return unreadable;
		}
	}

	private static String text(ByteBuffer packed) {
		int length = packed.getInt();
		if (length < 0 || length > packed.remaining()) {
			throw new BufferUnderflowException();
		}
		byte[] bytes = new byte[length];
		packed.get(bytes);
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
