package io.lowkiq.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * The counts of all recorded queues, read from the store at most once per a given time,
 * however many ask. Thread-safe.
 */
public final class QueueStatistics {

	private final ShardInspection inspection;

	private final QueueRegistry queues;

	private final InstantSource clock;

	private final Duration maxAge;

	/** Held while the store is read: the others wait for that reading. */
	private final ReentrantLock reading = new ReentrantLock();

	/** Written under the lock, read by all. */
	private volatile @Nullable Reading last;

	/**
	 * Statistics of the queues of a store.
	 * @param inspection counts what lies in a shard
	 * @param queues the recorded queues
	 * @param clock tells how old a reading is
	 * @param maxAge how long a reading is answered before the next one is made
	 */
	public QueueStatistics(ShardInspection inspection, QueueRegistry queues, InstantSource clock, Duration maxAge) {
		this.inspection = inspection;
		this.queues = queues;
		this.clock = clock;
		this.maxAge = maxAge;
	}

	/**
	 * The counts of all queues, not older than the age given at construction.
	 * @return the counts
	 * @throws StoreException if the store is out of reach, or was at a reading that is
	 * not older than that
	 */
	public Snapshot snapshot() {
		Reading reading = this.last;
		if (reading == null || !isRecent(reading)) {
			this.reading.lock();
			try {
				reading = this.last;
				if (reading == null || !isRecent(reading)) {
					reading = read();
					this.last = reading;
				}
			}
			finally {
				this.reading.unlock();
			}
		}
		if (reading.snapshot() == null) {
			throw new StoreException("The queues can't be counted", reading.problem());
		}
		return reading.snapshot();
	}

	private boolean isRecent(Reading reading) {
		Duration age = Duration.between(reading.at(), this.clock.instant());
		return age.abs().compareTo(this.maxAge) < 0;
	}

	private Reading read() {
		try {
			List<QueueCounts> counts = new ArrayList<>();
			for (QueueLayout queue : this.queues.all()) {
				counts.add(QueueCounts.of(queue, queue.allShards().stream().map(this.inspection::counts).toList()));
			}
			Instant now = this.clock.instant();
			return new Reading(now, new Snapshot(now, counts), null);
		}
		catch (StoreException ex) {
			return new Reading(this.clock.instant(), null, ex);
		}
	}

	private record Reading(Instant at, @Nullable Snapshot snapshot, @Nullable StoreException problem) {
	}

	/**
	 * The counts of all queues at a time.
	 *
	 * @param takenAt when they were read
	 * @param queues the counts by the name of the queue
	 */
	public record Snapshot(Instant takenAt, List<QueueCounts> queues) {

		public Snapshot {
			queues = List.copyOf(queues);
		}

		/**
		 * The counts of a queue.
		 * @param queue the queue's name
		 * @return the counts, if the queue is recorded
		 */
		public Optional<QueueCounts> of(String queue) {
			return this.queues.stream().filter((counts) -> counts.queue().equals(queue)).findFirst();
		}

		/**
		 * A count summed over all queues.
		 * @param count which count
		 * @return the sum
		 */
		public long sum(ToLongFunction<QueueCounts> count) {
			return this.queues.stream().mapToLong(count).sum();
		}

		/**
		 * The largest lag of all queues.
		 * @return the lag, in milliseconds
		 */
		public long lag() {
			return this.queues.stream().mapToLong(QueueCounts::lag).max().orElse(0);
		}

	}

	/**
	 * What lies in the shards of a queue.
	 *
	 * @param queue the queue's name
	 * @param shards the number of shards
	 * @param fresh queued jobs with retryCount -1
	 * @param retry queued jobs with retryCount 0 or more
	 * @param busy jobs being performed
	 * @param dead ids in the morgue
	 * @param lag how long the oldest due job has been due, in milliseconds; 0 if none is
	 * @param processed jobs done, ever
	 * @param failed failures, ever
	 * @param unowned shards that no node holds
	 * @param paused paused shards
	 */
	public record QueueCounts(String queue, int shards, long fresh, long retry, long busy, long dead, long lag,
			long processed, long failed, int unowned, int paused) {

		/**
		 * The queued jobs.
		 * @return fresh and retry
		 */
		public long queued() {
			return this.fresh + this.retry;
		}

		private static QueueCounts of(QueueLayout queue, List<ShardCounts> shards) {
			return new QueueCounts(queue.name(), queue.shards(), sum(shards, ShardCounts::fresh),
					sum(shards, ShardCounts::retry), sum(shards, ShardCounts::busy), sum(shards, ShardCounts::dead),
					shards.stream().mapToLong(ShardCounts::lag).max().orElse(0), sum(shards, ShardCounts::processed),
					sum(shards, ShardCounts::failed),
					(int) shards.stream().filter((shard) -> shard.session() == null).count(),
					(int) shards.stream().filter(ShardCounts::paused).count());
		}

		private static long sum(List<ShardCounts> shards, ToLongFunction<ShardCounts> count) {
			return shards.stream().mapToLong(count).sum();
		}

	}

}
