package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

import io.lowkiq.LayoutMismatchException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.store.job.Shard;

/**
 * A queue as it is recorded in the store.
 *
 * @param generation grows with every change of the number of shards, from 1 on
 * @param shards 1 to {@value #MAX_SHARDS}
 * @param oneShardPerGroup the separator of the groups if each belongs to one shard; else
 * empty
 */
public record QueueLayout(String name, int generation, int shards, String oneShardPerGroup) {

	/** The largest number of shards of a queue. */
	public static final int MAX_SHARDS = 65_536;

	/** A queue whose ids are spread over all shards. */
	public QueueLayout(String name, int generation, int shards) {
		this(name, generation, shards, "");
	}

	/** This layout, unless an application declares another one, which is refused. */
	public QueueLayout require(QueueDeclaration declared) {
		QueueDeclaration recorded = new QueueDeclaration(this.name, this.shards, this.oneShardPerGroup);
		if (!recorded.equals(declared)) {
			throw new LayoutMismatchException(declared, recorded);
		}
		return this;
	}

	/** The shard of an id: {@code crc32(utf8(id)) mod shards}, as in the gem. */
	public Shard shardOf(String id) {
		return shard(shardIndexOf(id));
	}

	/** From 0 on. */
	public int shardIndexOf(String id) {
		int end = this.oneShardPerGroup.isEmpty() ? -1 : id.indexOf(this.oneShardPerGroup);
		String hashed = (end >= 0) ? id.substring(0, end) : id;
		CRC32 crc = new CRC32();
		crc.update(hashed.getBytes(StandardCharsets.UTF_8));
		return (int) (crc.getValue() % this.shards);
	}

	/** At an index from 0 on. */
	public Shard shard(int index) {
		return new Shard(this.name, this.generation, index);
	}

	public List<Shard> allShards() {
		return IntStream.range(0, this.shards).mapToObj(this::shard).toList();
	}

}
