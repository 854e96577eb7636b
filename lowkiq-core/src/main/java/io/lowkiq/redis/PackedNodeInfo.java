package io.lowkiq.redis;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.NodeInfo;

/**
 * What a node tells of itself, as bytes.
 */
final class PackedNodeInfo {

	private static final int FORM = 1;

	private PackedNodeInfo() {
	}

	static byte[] pack(NodeInfo info) {
		PackedArgument packed = new PackedArgument();
		packed.putByte(FORM)
			.putInt((int) (info.startedAt() >>> 32))
			.putInt((int) info.startedAt())
			.putBytes(ShardKeys.bytes(info.node()))
			.putBytes(ShardKeys.bytes(info.status()))
			.putInt(info.queues().size());
		info.queues().forEach((queue) -> packed.putBytes(ShardKeys.bytes(queue)));
		return packed.toBytes();
	}

	/**
	 * Reads what {@link #pack} wrote. What another version wrote in another form says
	 * nothing, but the session counts all the same.
	 * @param bytes the bytes
	 * @return the info; empty if the bytes are of another form
	 */
	static NodeInfo unpack(byte[] bytes) {
		NodeInfo unreadable = new NodeInfo("", 0, List.of(), "");
		ByteBuffer packed = ByteBuffer.wrap(bytes);
		try {
			if (packed.get() != FORM) {
				return unreadable;
			}
			long startedAt = packed.getLong();
			String node = text(packed);
			String status = text(packed);
			List<String> queues = new ArrayList<>();
			for (int count = packed.getInt(); count > 0; count--) {
				queues.add(text(packed));
			}
			return new NodeInfo(node, startedAt, queues, status);
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
