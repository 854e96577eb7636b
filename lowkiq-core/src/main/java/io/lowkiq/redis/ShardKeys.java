package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.store.Shard;

/**
 * The names of the keys and channels. All keys of a shard have one hash tag, so that they
 * lie on one master of a cluster, and the shards of a queue on all of them.
 */
final class ShardKeys {

	/** In the order in which {@code lib/shard.lua} names them. */
	private static final List<byte[]> NAMES = Stream.of("jobs", "line", "later", "suspects", "busy", "meta")
		.map(ShardKeys::bytes)
		.toList();

	private final String prefix;

	ShardKeys(String prefix) {
		this.prefix = prefix;
	}

	List<byte[]> of(Shard shard) {
		byte[] base = bytes(base(shard));
		List<byte[]> keys = new ArrayList<>(NAMES.size());
		for (byte[] name : NAMES) {
			byte[] key = Arrays.copyOf(base, base.length + name.length);
			System.arraycopy(name, 0, key, base.length, name.length);
			keys.add(key);
		}
		return keys;
	}

	/**
	 * The key of a shard's meta data.
	 * @param shard the shard
	 * @return the last one of {@link #of}
	 */
	byte[] meta(Shard shard) {
		return bytes(base(shard) + "meta");
	}

	private String base(Shard shard) {
		return this.prefix + ":{" + shard + "}:";
	}

	byte[] queues() {
		return bytes(this.prefix + ":{queues}");
	}

	List<byte[]> nodes() {
		return Stream.of("live", "info", "ended", "assignment")
			.map((name) -> bytes(this.prefix + ":{nodes}:" + name))
			.toList();
	}

	/**
	 * What the channel of each session begins with.
	 * @return the name up to the session's id
	 */
	byte[] wakeChannels() {
		return bytes(this.prefix + ":wake:");
	}

	byte[] wakeChannel(String session) {
		return bytes(this.prefix + ":wake:" + session);
	}

	byte[] releasedChannel() {
		return bytes(this.prefix + ":released");
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
