package io.lowkiq.redis.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.job.PackedBytes;
import io.lowkiq.store.node.EndedNode;

/**
 * The sessions that ended last, as {@code node-end.lua} packs them:
 * {@code (I4 length, session, I4 length, node info, d endedAt, B whether by a crash)*}.
 */
public final class PackedPast {

	private PackedPast() {
	}

	public static List<EndedNode> unpack(byte[] bytes) {
		ByteBuffer packed = ByteBuffer.wrap(bytes);
		List<EndedNode> all = new ArrayList<>();
		try {
			while (packed.hasRemaining()) {
				String session = Utf8.text(packed);
				byte[] info = PackedBytes.read(packed);
				all.add(new EndedNode(session, PackedNodeInfo.unpack(info), (long) packed.getDouble(),
						packed.get() == 1));
			}
		}
		catch (BufferUnderflowException ex) {
			// What comes next says nothing
		}
		return List.copyOf(all);
	}

}
