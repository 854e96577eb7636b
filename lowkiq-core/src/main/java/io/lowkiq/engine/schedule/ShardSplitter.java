package io.lowkiq.engine.schedule;

import java.util.List;

import io.lowkiq.store.job.Shard;

/**
 * Decides which of all shards a node serves. Whatever it answers, a shard has one owner
 * at a time, so a wrong answer costs speed and not order. Implementations are thread-safe
 * and give the same answer for the same arguments.
 */
public interface ShardSplitter {

	/** The shards that this node serves, out of all shards of its queues. */
	List<Shard> forNode(List<Shard> all);

	/** Whether the living nodes share these shards evenly among themselves. */
	boolean isShared();

}
