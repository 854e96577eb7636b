package io.lowkiq.engine.schedule;

import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.store.job.Shard;

/**
 * Gives each of a fixed number of nodes its fixed share: every <i>n</i>th shard. A wrong
 * number costs speed and not order: a shard that no node serves is not processed, and one
 * that two nodes serve is processed by the one that holds the lease.
 */
public final class ByNodeShardSplitter implements ShardSplitter {

	private final int nodeCount;

	private final int nodeNumber;

	/**
	 * A splitter for one node out of some.
	 * @param nodeCount the number of nodes, at least 1
	 * @param nodeNumber the number of this node, from 0 on
	 */
	public ByNodeShardSplitter(int nodeCount, int nodeNumber) {
		if (nodeCount < 1) {
			throw new IllegalArgumentException("The number of nodes is %s; it must be at least 1".formatted(nodeCount));
		}
		if (nodeNumber < 0 || nodeNumber >= nodeCount) {
			throw new IllegalArgumentException(
					"The number of this node is %s; it must be between 0 and %s".formatted(nodeNumber, nodeCount - 1));
		}
		this.nodeCount = nodeCount;
		this.nodeNumber = nodeNumber;
	}

	@Override
	public List<Shard> forNode(List<Shard> all) {
		return IntStream.range(0, all.size())
			.filter((i) -> i % this.nodeCount == this.nodeNumber)
			.mapToObj(all::get)
			.toList();
	}

	@Override
	public boolean isShared() {
		return false;
	}

}
