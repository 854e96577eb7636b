package io.lowkiq.store.inspection;

import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;

/** The counts of the shards of a queue at a time. */
public record QueueSnapshot(QueueLayout layout, List<ShardCounts> shards, Set<String> sessions) {

	public QueueSnapshot {
		shards = List.copyOf(shards);
		sessions = Set.copyOf(sessions);
	}

	/** A count summed over the shards. */
	public long sum(ToLongFunction<ShardCounts> count) {
		return this.shards.stream().mapToLong(count).sum();
	}

	/** The largest lag of the shards, as {@link ShardCounts#lag()} says. */
	public long lag() {
		return this.shards.stream().mapToLong(ShardCounts::lag).max().orElse(0);
	}

	/** The largest lag of the shards, of jobs that are held back, too. */
	public long lagOfAll() {
		return this.shards.stream().mapToLong(ShardCounts::lagOfAll).max().orElse(0);
	}

	/**
	 * The shards in which groups wait, as far as is known.
	 * @param separator what separates the group of an id from the rest; empty if it isn't
	 * known, or there are no groups
	 */
	public List<Shard> grouped(String separator) {
		return this.shards.stream()
			.filter((shard) -> shard.groups() > 0 || (!separator.isEmpty() && shard.due() > 0))
			.map(ShardCounts::shard)
			.toList();
	}

	public int paused() {
		return (int) this.shards.stream().filter(ShardCounts::paused).count();
	}

	/** The number of shards without a living owner. */
	public int unowned() {
		return unownedShards().size();
	}

	/** The shards without a living owner. */
	public List<Shard> unownedShards() {
		List<Shard> all = this.layout.allShards();
		return IntStream.range(0, all.size())
			.filter((index) -> !isOwned(this.shards.get(index)))
			.mapToObj(all::get)
			.toList();
	}

	private boolean isOwned(ShardCounts shard) {
		return shard.newer() || (shard.session() != null && this.sessions.contains(shard.session()));
	}

}
