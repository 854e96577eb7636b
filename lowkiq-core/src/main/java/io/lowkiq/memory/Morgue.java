package io.lowkiq.memory;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The dead jobs of a shard. Guarded by the lock of its shard.
 */
final class Morgue {

	/**
	 * A dead job.
	 *
	 * @param id the job's id
	 * @param buriedAt the time of its last burial, in milliseconds since 1970
	 * @param error why it was buried last
	 * @param payloads its payloads
	 * @param producers who enqueued those that were buried last
	 */
	record DeadJob(String id, long buriedAt, @Nullable String error, PayloadSet payloads, ProducerSet producers) {
	}

	private static final Comparator<DeadJob> LONGEST_DEAD_FIRST = Comparator.comparingLong(DeadJob::buriedAt)
		.thenComparing(DeadJob::id, MemoryJob.BY_ID_BYTES);

	private final Map<String, DeadJob> byId = new HashMap<>();

	/**
	 * Buries payloads, together with those of the id that are dead already.
	 * @param job the job
	 * @param payloads the payloads, which belong to the morgue from now on; if there are
	 * none, nothing is buried
	 * @param now milliseconds since 1970
	 * @param error why
	 * @param latest whether of equal payloads the larger score stays
	 */
	void bury(MemoryJob job, PayloadSet payloads, long now, @Nullable String error, boolean latest) {
		if (payloads.isEmpty()) {
			return;
		}
		String id = job.id();
		DeadJob known = this.byId.get(id);
		if (known != null) {
			payloads.addAll(known.payloads(), latest);
		}
		this.byId.put(id, new DeadJob(id, now, error, payloads, job.producers().copy()));
	}

	@Nullable DeadJob find(String id) {
		return this.byId.get(id);
	}

	@Nullable DeadJob remove(String id) {
		return this.byId.remove(id);
	}

	Stream<DeadJob> all() {
		return this.byId.values().stream();
	}

	/**
	 * The ids that have been dead for the longest time.
	 * @param before only jobs buried before this time, in milliseconds since 1970
	 * @param limit the largest number of ids
	 * @return the ids, the longest dead first
	 */
	List<String> buriedBefore(long before, int limit) {
		return all().filter((job) -> job.buriedAt() < before)
			.sorted(LONGEST_DEAD_FIRST)
			.limit(limit)
			.map(DeadJob::id)
			.toList();
	}

	boolean anyBuriedBefore(long before) {
		return all().anyMatch((job) -> job.buriedAt() < before);
	}

	int size() {
		return this.byId.size();
	}

}
