package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * A queue as it is recorded in the store.
 *
 * @param name the queue's name
 * @param generation grows with every change of the number of shards, from 1 on
 * @param shards the number of shards, 1 to {@value #MAX_SHARDS}
 */
public record QueueLayout(String name, int generation, int shards) {

	/** The largest number of shards of a queue. */
	public static final int MAX_SHARDS = 65_536;

	/**
	 * The shard of an id: {@code crc32(utf8(id)) mod shards}, as in the gem.
	 * @param id the job's id
	 * @return the shard
	 */
	public Shard shardOf(String id) {
		return shard(shardIndexOf(id));
	}

	/**
	 * The place of the shard of an id.
	 * @param id the job's id
	 * @return the place, from 0 on
	 */
	public int shardIndexOf(String id) {
		CRC32 crc = new CRC32();
		crc.update(id.getBytes(StandardCharsets.UTF_8));
		return (int) (crc.getValue() % this.shards);
	}

	/**
	 * The shard at a place.
	 * @param index the place, from 0 on
	 * @return the shard
	 */
	public Shard shard(int index) {
		return new Shard(this.name, this.generation, index);
	}

	/**
	 * All shards of the queue.
	 * @return the shards in their order
	 */
	public List<Shard> allShards() {
		return IntStream.range(0, this.shards).mapToObj(this::shard).toList();
	}

}
