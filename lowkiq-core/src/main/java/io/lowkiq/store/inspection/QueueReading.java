package io.lowkiq.store.inspection;

import io.lowkiq.store.QueueLayout;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The counts of the shards of a queue at a time.
 *
 * @param layout the queue
 * @param shards the counts by shard
 */
public record QueueReading(QueueLayout layout, List<ShardCounts> shards) {

	public QueueReading {
		shards = List.copyOf(shards);
	}

	/**
	 * Counts what lies in queues: one call a shard.
	 * @param inspection counts what lies in shards
	 * @param queues the queues
	 * @return the readings in the order of the queues
	 */
	public static List<QueueReading> of(ShardInspection inspection, List<QueueLayout> queues) {
		List<ShardCounts> counts = inspection
			.counts(queues.stream().flatMap((queue) -> queue.allShards().stream()).toList());
		List<QueueReading> readings = new ArrayList<>();
		int first = 0;
		for (QueueLayout queue : queues) {
			readings.add(new QueueReading(queue, counts.subList(first, first + queue.shards())));
			first += queue.shards();
		}
		return readings;
	}

	/**
	 * A count summed over the shards.
	 * @param count which count
	 * @return the sum
	 */
	public long sum(ToLongFunction<ShardCounts> count) {
		return this.shards.stream().mapToLong(count).sum();
	}

	/**
	 * The largest lag of the shards.
	 * @return the lag, in milliseconds; 0 if no job is due
	 */
	public long lag() {
		return this.shards.stream().mapToLong(ShardCounts::lag).max().orElse(0);
	}

	/**
	 * The shards that are paused.
	 * @return how many
	 */
	public int paused() {
		return (int) this.shards.stream().filter(ShardCounts::paused).count();
	}

	/**
	 * The shards that no node holds.
	 * @return how many
	 */
	public int unowned() {
		return (int) this.shards.stream().filter((shard) -> shard.session() == null).count();
	}

}
