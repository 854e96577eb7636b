package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.lowkiq.store.Member;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.QueueReading;
import io.lowkiq.store.inspection.RecentReading;
import io.lowkiq.store.inspection.ShardCounts;

/**
 * Reads the counts of all queues, at most once a second however many browsers look, and
 * not at all while none does. One call a shard and three more, whatever the queues hold.
 * Thread-safe.
 */
final class ClusterReader {

	static final Duration MAX_AGE = Duration.ofSeconds(1);

	private final InspectableStore store;

	private final InstantSource clock;

	private final RecentReading<ClusterReading> last;

	/** When somebody looked last. Written and read by all. */
	private volatile @Nullable Instant lookedAt;

	ClusterReader(InspectableStore store, InstantSource clock) {
		this.store = store;
		this.clock = clock;
		this.last = new RecentReading<>(this::read, clock, MAX_AGE);
	}

	/**
	 * A reading that is at most a second old, for somebody who looks.
	 * @return the reading
	 * @throws io.lowkiq.store.StoreException if the store can't be reached
	 */
	ClusterReading recent() {
		this.lookedAt = this.clock.instant();
		return this.last.get();
	}

	/**
	 * A reading that is at most a second old, for the history.
	 * @return the reading
	 * @throws io.lowkiq.store.StoreException if the store can't be reached
	 */
	ClusterReading forHistory() {
		return this.last.get();
	}

	/**
	 * Whether somebody has looked lately.
	 * @param lately the maximum age
	 * @return whether somebody has
	 */
	boolean isWatched(Duration lately) {
		Instant looked = this.lookedAt;
		return looked != null && Duration.between(looked, this.clock.instant()).abs().compareTo(lately) <= 0;
	}

	/**
	 * Forgets the last reading, because an action changed what it counted.
	 */
	void forget() {
		this.last.forget();
	}

	private ClusterReading read() {
		List<Member> members = new ArrayList<>();
		List<QueueReading> queues = QueueReading.of(this.store.inspection(), this.store.queues().all(), () -> {
			members.addAll(this.store.nodes().members().members());
			return sessions(members);
		});
		long now = queues.stream()
			.flatMap((queue) -> queue.shards().stream())
			.mapToLong(ShardCounts::now)
			.max()
			.orElseGet(this.clock::millis);
		return new ClusterReading(now, queues, List.copyOf(members), this.store.nodes().reports());
	}

	private static Set<String> sessions(List<Member> members) {
		return members.stream().map(Member::session).collect(Collectors.toUnmodifiableSet());
	}

}
