package io.lowkiq.engine;

import java.util.List;

import io.lowkiq.store.Shard;

/**
 * Distributes shards: which of all shards a node serves, and which thread of the node
 * takes which shard. Whatever it answers, a shard is processed by one thread at a time
 * under a lease, so a wrong answer costs speed and not order. Implementations are
 * thread-safe and give the same answer for the same arguments.
 */
public interface ShardSplitter {

	/**
	 * The shards that this node serves, out of all shards of its queues.
	 * @param all the shards, ordered by queue as the workers are registered, then by
	 * index
	 * @return the shards to serve; by default all
	 */
	default List<Shard> forNode(List<Shard> all) {
		return all;
	}

	/**
	 * Distributes the node's shards to its threads.
	 * @param shards the shards that the node holds, in the order of {@link #forNode}
	 * @param threads the number of threads, at least 1
	 * @return the shards of each thread; as many lists as threads. A shard may stand in
	 * several lists: then whichever of these threads is free takes it
	 */
	List<List<Shard>> split(List<Shard> shards, int threads);

}
