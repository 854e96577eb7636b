package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.job.Shard;

/**
 * Looks for jobs in shards of a later generation than the recorded one. All shards of
 * such a generation exist, if no master has forgotten them: the search ends with the
 * first generation that has none. Thread-safe.
 */
final class LaterGenerations {

	/** A master may have been away. */
	private static final long GOOD_FOR = Duration.ofHours(1).toNanos();

	private final ShardInspection inspection;

	private final String key;

	private final LongSupplier nanoTime;

	/** By what is recorded: all later shards that exist. */
	private final Map<QueueLayout, List<Shard>> known = new ConcurrentHashMap<>();

	/** Written and read by all who look. */
	private volatile long askedAt;

	LaterGenerations(ShardInspection inspection, ShardKeys keys, LongSupplier nanoTime) {
		this.inspection = inspection;
		this.key = Utf8.text(keys.queues());
		this.nanoTime = nanoTime;
		this.askedAt = nanoTime.getAsLong();
	}

	/** Jobs of later generations, by one call for each of their shards. */
	List<StrandedShards> among(List<QueueLayout> queues) {
		long now = this.nanoTime.getAsLong();
		if (now - this.askedAt > GOOD_FOR) {
			this.known.clear();
			this.askedAt = now;
		}
		this.known.keySet().retainAll(queues);
		return queues.stream().flatMap((queue) -> stranded(queue, later(queue))).toList();
	}

	/** Not by computeIfAbsent, whose lock others would wait for while a master hangs. */
	private List<Shard> later(QueueLayout queue) {
		List<Shard> later = this.known.get(queue);
		if (later == null) {
			later = search(queue);
			this.known.put(queue, later);
		}
		return later;
	}

	private List<Shard> search(QueueLayout queue) {
		List<Shard> all = new ArrayList<>();
		for (int generation = queue.generation() + 1, before = -1; all.size() > before; generation++) {
			before = all.size();
			List<Shard> some = some(queue, generation, 0);
			for (int from = queue.shards(); !some.isEmpty(); from += queue.shards()) {
				all.addAll(some);
				some = some(queue, generation, from);
			}
		}
		return all;
	}

	/** As many as are recorded, since there may be more in a later generation. */
	private List<Shard> some(QueueLayout queue, int generation, int from) {
		return this.inspection
			.counts(IntStream.range(from, from + queue.shards())
				.mapToObj((index) -> new Shard(queue.name(), generation, index))
				.toList())
			.stream()
			.filter((shard) -> shard.epoch() > 0 || jobs(shard) > 0)
			.map(ShardCounts::shard)
			.toList();
	}

	private Stream<StrandedShards> stranded(QueueLayout queue, List<Shard> later) {
		return this.inspection.counts(later)
			.stream()
			.filter((shard) -> jobs(shard) > 0)
			.collect(Collectors.groupingBy((shard) -> shard.shard().generation()))
			.entrySet()
			.stream()
			.map((found) -> {
				int shards = later.stream()
					.filter((shard) -> shard.generation() == found.getKey())
					.mapToInt((shard) -> shard.index() + 1)
					.reduce(queue.shards(), Math::max);
				return new StrandedShards(queue, found.getValue().stream().map(ShardCounts::shard).toList(),
						found.getValue().stream().mapToLong(LaterGenerations::jobs).sum(),
						"set the field '%s' of %s to '%s:%s'".formatted(queue.name(), this.key, found.getKey(),
								RedisQueueRegistry.layout(shards, queue.oneShardPerGroup())));
			});
	}

	/** Follow-ups on their way become jobs. */
	private static long jobs(ShardCounts shard) {
		return shard.queued() + shard.busy() + shard.dead() + shard.followUps();
	}

}
