package io.lowkiq.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardGroup;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;

/**
 * The counts of all recorded queues, and of their largest groups, read from the store at
 * most once per a given time, however many ask. Thread-safe.
 */
public final class QueueStatistics {

	private static final int MAX_OF_A_SHARD = 100;

	private final UnaryOperator<String> separators;

	private final RecentSnapshot<Reading> readings;

	/** Read when they are requested, not with the counts. */
	private final RecentSnapshot<Map<String, Map<String, Long>>> groups;

	/** A reading of all queues. */
	private record Reading(Snapshot snapshot, List<QueueSnapshot> queues) {
	}

	/**
	 * Statistics of the queues of a store.
	 * @param separators what separates the group of an id from the rest, by queue, as far
	 * as it isn't recorded; empty if it isn't known
	 */
	public QueueStatistics(RedisStore store, InstantSource clock, Duration maxAge, int mostGroups,
			UnaryOperator<String> separators) {
		this.separators = separators;
		this.readings = new RecentSnapshot<>(() -> read(store, clock), clock, maxAge);
		this.groups = new RecentSnapshot<>(() -> readGroups(store, mostGroups), clock, maxAge);
	}

	private static Reading read(RedisStore store, InstantSource clock) {
		List<QueueSnapshot> queues = store.inspection().snapshots(store.queues().all(), () -> sessions(store));
		List<Shard> stranded = store.stranded().stream().flatMap((some) -> some.shards().stream()).toList();
		return new Reading(
				new Snapshot(clock.instant(), queues.stream().map((queue) -> QueueCounts.of(queue, stranded)).toList()),
				queues);
	}

	private Map<String, Map<String, Long>> readGroups(RedisStore store, int most) {
		Map<String, Map<String, Long>> waiting = new HashMap<>();
		for (QueueSnapshot queue : (most > 0) ? this.readings.get().queues() : List.<QueueSnapshot>of()) {
			String recorded = queue.layout().oneShardPerGroup();
			String separator = recorded.isEmpty() ? this.separators.apply(queue.layout().name()) : recorded;
			List<Shard> grouped = queue.grouped(separator);
			if (!grouped.isEmpty()) {
				waiting.put(queue.layout().name(), largest(store.inspection()
					.groups(grouped, separator, MAX_OF_A_SHARD)
					.groups()
					.stream()
					.collect(Collectors.groupingBy(ShardGroup::name, Collectors.summingLong(ShardGroup::waiting))),
						most));
			}
		}
		return Map.copyOf(waiting);
	}

	private static Map<String, Long> largest(Map<String, Long> groups, int most) {
		return groups.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Long>comparingByValue().reversed())
			.limit(most)
			.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	private static Set<String> sessions(RedisStore store) {
		return store.livingNodes()
			.look()
			.living()
			.stream()
			.map(Member::session)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * The counts of all queues, not older than the age given at construction.
	 * @throws StoreException if the store can't be reached, or was at a reading that is
	 * not older than that
	 */
	public Snapshot snapshot() {
		return this.readings.get().snapshot();
	}

	/**
	 * The groups with the most ready jobs of each queue in which groups wait, not older
	 * than the age given at construction.
	 * @throws StoreException if the store can't be reached, or was at a reading that is
	 * not older than that
	 */
	public Map<String, Map<String, Long>> waitingGroups() {
		return this.groups.get();
	}

	/** The counts of all queues at a time. */
	public record Snapshot(Instant takenAt, List<QueueCounts> queues) {

		public Snapshot {
			queues = List.copyOf(queues);
		}

		/** The counts of a queue. */
		public Optional<QueueCounts> of(String queue) {
			return this.queues.stream().filter((counts) -> counts.queue().equals(queue)).findFirst();
		}

		/** A count summed over all queues. */
		public long sum(ToLongFunction<QueueCounts> count) {
			return this.queues.stream().mapToLong(count).sum();
		}

		/** In milliseconds. */
		public long lag() {
			return this.queues.stream().mapToLong(QueueCounts::lag).max().orElse(0);
		}

	}

	/**
	 * The counts of a queue.
	 *
	 * @param fresh queued jobs with retryCount -1
	 * @param retry queued jobs with retryCount 0 or more
	 * @param lag how long the oldest due job that may start has been due, in
	 * milliseconds; 0 if none is
	 * @param lagOfAll the same of all due jobs, those that are held back included
	 */
	public record QueueCounts(String queue, int shards, long fresh, long retry, long busy, long held, long followUps,
			long dead, long lag, long lagOfAll, long processed, long failed, List<Shard> unownedShards, int paused) {

		public QueueCounts {
			unownedShards = List.copyOf(unownedShards);
		}

		/** The number of shards without a living owner. */
		public int unowned() {
			return this.unownedShards.size();
		}

		/** The queued jobs. */
		public long queued() {
			return this.fresh + this.retry;
		}

		private static QueueCounts of(QueueSnapshot queue, List<Shard> stranded) {
			return new QueueCounts(queue.layout().name(), queue.layout().shards(), queue.sum(ShardCounts::fresh),
					queue.sum(ShardCounts::retry), queue.sum(ShardCounts::busy), queue.sum(ShardCounts::held),
					queue.sum(ShardCounts::followUps), queue.sum(ShardCounts::dead), queue.lag(), queue.lagOfAll(),
					queue.sum(ShardCounts::processed), queue.sum(ShardCounts::failed),
					Stream
						.concat(queue.unownedShards().stream(),
								stranded.stream().filter((shard) -> shard.queue().equals(queue.layout().name())))
						.toList(),
					queue.paused());
		}

	}

}
