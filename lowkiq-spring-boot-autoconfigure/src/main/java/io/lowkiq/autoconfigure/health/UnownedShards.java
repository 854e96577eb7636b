package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.lowkiq.metrics.QueueStatistics.QueueCounts;
import io.lowkiq.metrics.QueueStatistics.Snapshot;
import io.lowkiq.store.job.Shard;

/**
 * The shards that have had no living owner for too long, by consecutive readings of the
 * store. What a node remembers of shards that it gave away says nothing about them.
 * Thread-safe.
 */
class UnownedShards {

	private final LongSupplier nanoTime;

	private final Duration patience;

	/** Since when each shard has been seen without an owner; guarded by the monitor. */
	private final Map<Shard, Long> since = new HashMap<>();

	/** No shard has been seen without an owner yet. */
	UnownedShards(LongSupplier nanoTime, Duration patience) {
		this.nanoTime = nanoTime;
		this.patience = patience;
	}

	/** The shards without an owner in this reading and all others since that time. */
	synchronized List<Shard> after(Snapshot reading) {
		long now = this.nanoTime.getAsLong();
		List<Shard> unowned = reading.queues().stream().map(QueueCounts::unownedShards).flatMap(List::stream).toList();
		this.since.keySet().retainAll(unowned.stream().collect(Collectors.toUnmodifiableSet()));
		return unowned.stream()
			.filter((shard) -> now - this.since.computeIfAbsent(shard, (first) -> now) > this.patience.toNanos())
			.toList();
	}

}
