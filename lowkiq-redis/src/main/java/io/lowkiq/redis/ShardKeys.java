package io.lowkiq.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;

/**
 * The names of keys and channels. All keys of a shard have one hash tag, so they are on
 * one master. Thread-safe.
 */
final class ShardKeys {

	private static final String[] NAMES = { "meta", "jobs", "ready", "delayed", "suspects", "busy", "retries", "morgue",
			"morgue-times", "follow-ups", "resting", "void", "turns", "guard" };

	private static final int FOLLOW_UPS = List.of(NAMES).indexOf("follow-ups");

	private final String prefix;

	private final byte[] wakeChannels;

	/** Bounded by the number of shards. */
	private final Map<Shard, byte[][]> byShard = new ConcurrentHashMap<>();

	ShardKeys(String prefix) {
		this.prefix = prefix;
		this.wakeChannels = Utf8.bytes(prefix + ":wake:");
	}

	/** All fixed keys of a shard, in the order in which its scripts expect them. */
	byte[][] of(Shard shard) {
		return this.byShard.computeIfAbsent(shard,
				(key) -> Stream.of(NAMES)
					.map((name) -> Utf8.bytes(this.prefix + ":{" + key + "}:" + name))
					.toArray(byte[][]::new));
	}

	/** All fixed keys of a shard, then follow-ups of others, perhaps in other slots. */
	byte[][] of(Shard shard, Stream<Shard> others) {
		return Stream.concat(Stream.of(of(shard)), others.map((other) -> of(other)[FOLLOW_UPS])).toArray(byte[][]::new);
	}

	/** All fixed keys of a shard, then the one with the calls of outboxes. */
	byte[][] withCalls(Shard shard) {
		return Stream.concat(Stream.of(of(shard)), Stream.of(Utf8.bytes(this.prefix + ":{" + shard + "}:calls")))
			.toArray(byte[][]::new);
	}

	byte[] queues() {
		return Utf8.bytes(this.prefix + ":{queues}");
	}

	/** The uses of the queues, in the slot of the recorded queues. */
	byte[] uses() {
		return Utf8.bytes(this.prefix + ":{queues}:uses");
	}

	/** The settings of the groups of a queue, in the slot of the recorded queues. */
	byte[] groupOverrides(QueueLayout queue) {
		return groups("groups", queue);
	}

	/** The recorded queues, the settings of the groups of a queue, and their changes. */
	byte[][] groupChanges(QueueLayout queue) {
		return new byte[][] { queues(), groupOverrides(queue), groups("group-changes", queue) };
	}

	private byte[] groups(String kind, QueueLayout queue) {
		return Utf8.bytes(this.prefix + ":{queues}:" + kind + ":" + queue.generation() + ":" + queue.name());
	}

	byte[] nodes() {
		return Utf8.bytes(this.prefix + ":{nodes}");
	}

	byte[] wakeChannels() {
		return this.wakeChannels;
	}

	byte[] wakeChannel(String session) {
		return Utf8.bytes(this.prefix + ":wake:" + session);
	}

	byte[] commonChannel() {
		return Utf8.bytes(this.prefix + ":released");
	}

}
