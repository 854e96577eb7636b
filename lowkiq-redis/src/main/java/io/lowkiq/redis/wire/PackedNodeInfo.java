package io.lowkiq.redis.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.lowkiq.store.job.PackedBytes;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.NodeInfo;

/**
 * A node's description of itself, as bytes:
 * {@code B form, B 1 if it is stopping, q startedAt, q lease duration in ms, I4 length, node, I4 number of queues, (I4 length, queue)*, I4 length, application, I4 number of types, (I4 length, queue, I4 length, type)*, I4 length, version, I4 number of formats, I4 each, I4 number of foreign queues, (I4 length, queue)*, I4 number of shared queues, (I4 length, queue)*}.
 * What comes after the queues is missing if an older version wrote it.
 */
public final class PackedNodeInfo {

	private static final int FORM = 2;

	/** Rather too long, so that no living session is ended. */
	private static final Duration UNKNOWN_LEASE = Duration.ofMinutes(5);

	private PackedNodeInfo() {
	}

	public static byte[] pack(NodeInfo info) {
		PackedBytes packed = new PackedBytes().putByte(FORM).putByte(info.stopping() ? 1 : 0);
		putLong(packed, info.startedAt());
		putLong(packed, info.leaseDuration().toMillis());
		packed.putBytes(Utf8.bytes(info.node()));
		putNames(packed, info.queues());
		packed.putBytes(Utf8.bytes(info.application())).putInt(info.payloadTypes().size());
		new TreeMap<>(info.payloadTypes())
			.forEach((queue, type) -> packed.putBytes(Utf8.bytes(queue)).putBytes(Utf8.bytes(type)));
		packed.putBytes(Utf8.bytes(info.build().version())).putInt(info.build().formats().size());
		info.build().formats().stream().sorted().forEach(packed::putInt);
		putNames(packed, info.foreignQueues());
		putNames(packed, info.sharedQueues());
		return packed.toBytes();
	}

	/** In an order, because other bytes count as a change. */
	private static void putNames(PackedBytes packed, Set<String> names) {
		packed.putInt(names.size());
		names.stream().sorted().forEach((name) -> packed.putBytes(Utf8.bytes(name)));
	}

	private static void putLong(PackedBytes packed, long value) {
		packed.putInt((int) (value >>> Integer.SIZE)).putInt((int) value);
	}

	/** Of another form, nothing is known, but the session counts. */
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
			String node = Utf8.text(packed);
			return withApplication(new NodeInfo(node, startedAt, leaseDuration, names(packed), stopping), packed);
		}
		catch (BufferUnderflowException ex) {
			return unreadable;
		}
	}

	/** Without what can't be read: nothing that keeps jobs safe depends on it. */
	private static NodeInfo withApplication(NodeInfo info, ByteBuffer packed) {
		try {
			String application = Utf8.text(packed);
			Map<String, String> types = new HashMap<>();
			for (int count = packed.getInt(); count > 0; count--) {
				types.put(Utf8.text(packed), Utf8.text(packed));
			}
			return new NodeInfo(info.node(), info.startedAt(), info.leaseDuration(), info.queues(), info.stopping(),
					application, types, build(packed), namesIfAny(packed), namesIfAny(packed));
		}
		catch (BufferUnderflowException ex) {
			return info;
		}
	}

	private static Build build(ByteBuffer packed) {
		try {
			String version = Utf8.text(packed);
			Set<Integer> formats = new HashSet<>();
			for (int count = packed.getInt(); count > 0; count--) {
				formats.add(packed.getInt());
			}
			return new Build(version, formats);
		}
		catch (BufferUnderflowException ex) {
			return Build.UNKNOWN;
		}
	}

	private static Set<String> names(ByteBuffer packed) {
		Set<String> names = new HashSet<>();
		for (int count = packed.getInt(); count > 0; count--) {
			names.add(Utf8.text(packed));
		}
		return names;
	}

	private static Set<String> namesIfAny(ByteBuffer packed) {
		try {
			return names(packed);
		}
		catch (BufferUnderflowException ex) {
			return Set.of();
		}
	}

}
