package io.lowkiq.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.store.Shard;

/**
 * The names of the keys and channels. All keys of a shard have one hash tag, so that they
 * lie on one master of a cluster, and the shards of a queue on all of them.
 */
final class ShardKeys {

	private final String prefix;

	ShardKeys(String prefix) {
		this.prefix = prefix;
	}

	/**
	 * The keys of a shard that its scripts are told; the names of the others follow from
	 * it.
	 * @param shard the shard
	 * @return the key of its meta data
	 */
	List<byte[]> of(Shard shard) {
		return List.of(meta(shard));
	}

	/**
	 * The key of a shard's meta data.
	 * @param shard the shard
	 * @return the key
	 */
	byte[] meta(Shard shard) {
		return bytes(this.prefix + ":{" + shard + "}:meta");
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
