package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardInspection;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counts of all queues, at most once a second however many browsers look, and
 * not at all while none does. One call a shard and two more, whatever lies in the queues.
 * Thread-safe.
 */
final class ClusterReader {

	static final Duration MAX_AGE = Duration.ofSeconds(1);

	private final QueueRegistry queues;

	private final NodeRegistry nodes;

	private final ShardInspection inspection;

	private final InstantSource clock;

	/** Held while the store is read: the others wait for that reading. */
	private final ReentrantLock reading = new ReentrantLock();

	/** Written under the lock, read by all. */
	private volatile @Nullable Taken last;

	ClusterReader(QueueRegistry queues, NodeRegistry nodes, ShardInspection inspection, InstantSource clock) {
		this.queues = queues;
		this.nodes = nodes;
		this.inspection = inspection;
		this.clock = clock;
	}

	/**
	 * A reading that is at most a second old.
	 * @return the reading
	 * @throws io.lowkiq.store.StoreException if the store is out of reach
	 */
	ClusterReading recent() {
		Taken taken = this.last;
		if (taken != null && isRecent(taken)) {
			return taken.reading();
		}
		this.reading.lock();
		try {
			taken = this.last;
			if (taken == null || !isRecent(taken)) {
				taken = new Taken(this.clock.instant(), read());
				this.last = taken;
			}
			return taken.reading();
		}
		finally {
			this.reading.unlock();
		}
	}

	/**
	 * Forgets the last reading, because an action changed what it counted.
	 */
	void forget() {
		this.reading.lock();
		try {
			this.last = null;
		}
		finally {
			this.reading.unlock();
		}
	}

	private boolean isRecent(Taken taken) {
		return Duration.between(taken.at(), this.clock.instant()).abs().compareTo(MAX_AGE) < 0;
	}

	private ClusterReading read() {
		Membership membership = this.nodes.members();
		List<QueueReading> readings = this.queues.all()
			.stream()
			.map((queue) -> new QueueReading(queue, queue.allShards().stream().map(this.inspection::counts).toList()))
			.toList();
		return new ClusterReading(membership.now(), readings, membership.members());
	}

	private record Taken(Instant at, ClusterReading reading) {
	}

}
