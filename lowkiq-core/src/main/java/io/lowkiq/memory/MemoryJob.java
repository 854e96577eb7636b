package io.lowkiq.memory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

import io.lowkiq.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * A queued or busy job. Guarded by the lock of its shard.
 *
 * @param id the job's id
 * @param place where a queued job waits; of a busy one, where it was fetched from
 * @param performAt milliseconds since 1970
 * @param retryCount -1 for a fresh job
 * @param crashes how many nodes have died while performing it (rule 8)
 * @param error what is kept of the last failure
 * @param payloads its payloads; the only part that changes
 */
record MemoryJob(String id, Place place, long performAt, int retryCount, int crashes, @Nullable String error,
		PayloadSet payloads) {

	/** By the unsigned bytes of the id in UTF-8. */
	static final Comparator<String> BY_ID_BYTES = (one, other) -> Arrays
		.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

	/** By performAt, equal ones by their ids. */
	static final Comparator<MemoryJob> BY_PERFORM_AT = Comparator.comparingLong(MemoryJob::performAt)
		.thenComparing(MemoryJob::id, BY_ID_BYTES);

	/**
	 * Where a queued job waits.
	 */
	enum Place {

		/** In the list of ready jobs. */
		READY,

		/** Among the delayed jobs. */
		DELAYED,

		/** Among the suspects. */
		SUSPECT,

		/** Behind the busy job of its id. */
		BEHIND

	}

	/**
	 * A delayed job that has not failed.
	 * @param id the job's id
	 * @param performAt milliseconds since 1970
	 * @param payloads its payloads
	 * @return the job
	 */
	static MemoryJob fresh(String id, long performAt, PayloadSet payloads) {
		return new MemoryJob(id, Place.DELAYED, performAt, -1, 0, null, payloads);
	}

	MemoryJob at(Place place) {
		return new MemoryJob(this.id, place, this.performAt, this.retryCount, this.crashes, this.error, this.payloads);
	}

	/**
	 * The job among the delayed ones, or among the suspects by its crashes.
	 * @return the job
	 */
	MemoryJob waiting() {
		return at((this.crashes >= ShardStore.SUSPECT_AFTER) ? Place.SUSPECT : Place.DELAYED);
	}

	MemoryJob dueAt(long performAt) {
		return new MemoryJob(this.id, this.place, performAt, this.retryCount, this.crashes, this.error, this.payloads);
	}

	MemoryJob with(PayloadSet payloads) {
		return new MemoryJob(this.id, this.place, this.performAt, this.retryCount, this.crashes, this.error, payloads);
	}

	MemoryJob crashed(int crashes) {
		return new MemoryJob(this.id, this.place, this.performAt, this.retryCount, crashes, this.error, this.payloads);
	}

	/**
	 * The job after a failure that is not its last (rule 5).
	 * @param performAt milliseconds since 1970
	 * @param error what is kept of the failure
	 * @return the job
	 */
	MemoryJob failed(long performAt, String error) {
		return new MemoryJob(this.id, this.place, performAt, this.retryCount + 1, this.crashes, error, this.payloads);
	}

	boolean isDue(long now) {
		return this.performAt <= now;
	}

	boolean isRetry() {
		return this.retryCount >= 0;
	}

}
