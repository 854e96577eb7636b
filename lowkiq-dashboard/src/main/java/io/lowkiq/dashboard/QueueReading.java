package io.lowkiq.dashboard;

import java.util.List;
import java.util.function.ToLongFunction;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardCounts;

/**
 * The counts of the shards of a queue at a time.
 *
 * @param layout the queue
 * @param shards the counts by shard
 */
record QueueReading(QueueLayout layout, List<ShardCounts> shards) {

	long sum(ToLongFunction<ShardCounts> count) {
		return this.shards.stream().mapToLong(count).sum();
	}

	long lag() {
		return this.shards.stream().mapToLong(ShardCounts::lag).max().orElse(0);
	}

	boolean paused() {
		return this.shards.stream().anyMatch(ShardCounts::paused);
	}

	long unowned() {
		return this.shards.stream().filter((shard) -> shard.session() == null).count();
	}

}
