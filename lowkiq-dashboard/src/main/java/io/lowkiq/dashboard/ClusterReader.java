package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.InstantSource;

import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.inspection.QueueReading;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.RecentReading;
import io.lowkiq.store.inspection.ShardInspection;

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

	private final RecentReading<ClusterReading> last;

	ClusterReader(QueueRegistry queues, NodeRegistry nodes, ShardInspection inspection, InstantSource clock) {
		this.queues = queues;
		this.nodes = nodes;
		this.inspection = inspection;
		this.last = new RecentReading<>(this::read, clock, MAX_AGE);
	}

	/**
	 * A reading that is at most a second old.
	 * @return the reading
	 * @throws io.lowkiq.store.StoreException if the store is out of reach
	 */
	ClusterReading recent() {
		return this.last.get();
	}

	/**
	 * Forgets the last reading, because an action changed what it counted.
	 */
	void forget() {
		this.last.forget();
	}

	private ClusterReading read() {
		Membership membership = this.nodes.members();
		return new ClusterReading(membership.now(), QueueReading.of(this.inspection, this.queues.all()),
				membership.members());
	}

}
