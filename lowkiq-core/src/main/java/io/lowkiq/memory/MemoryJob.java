package io.lowkiq.memory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.store.FetchResult;
import io.lowkiq.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * A queued or busy job. Guarded by the lock of its shard.
 *
 * @param id the job's id
 * @param place where a queued job waits; of a busy one, where it was fetched from
 * @param performAt milliseconds since 1970; {@link #HELD} while it waits for a person
 * @param retryCount -1 for a fresh job
 * @param crashes the crash count, as in {@link FetchedJob#crashes()}
 * @param error what is kept of the last failure
 * @param unreadableSince since when its first payload is known to be unreadable, in
 * milliseconds since 1970; null if it isn't
 * @param gathersUntil the latest time until which it gathers payloads; null if it doesn't
 * @param notBefore before when it is not due, to keep a distance from the last perform;
 * null if it may be at any time
 * @param payloads its payloads; these and the producers are the only parts that change
 * @param producers who enqueued them
 */
record MemoryJob(String id, Place place, long performAt, int retryCount, int crashes, @Nullable String error,
		@Nullable Long unreadableSince, @Nullable Long gathersUntil, @Nullable Long notBefore, PayloadSet payloads,
		ProducerSet producers) {

	/** Instead of performAt: the job waits for a person. */
	static final long HELD = FetchResult.NOTHING;

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
		return new MemoryJob(id, Place.DELAYED, performAt, -1, 0, null, null, null, null, payloads, new ProducerSet());
	}

	private MemoryJob with(Place newPlace, long newPerformAt, int newRetryCount, int newCrashes,
			@Nullable String newError) {
		return new MemoryJob(this.id, newPlace, newPerformAt, newRetryCount, newCrashes, newError, this.unreadableSince,
				this.gathersUntil, this.notBefore, this.payloads, this.producers);
	}

	private MemoryJob unreadableSince(@Nullable Long since) {
		return new MemoryJob(this.id, this.place, this.performAt, this.retryCount, this.crashes, this.error, since,
				this.gathersUntil, this.notBefore, this.payloads, this.producers);
	}

	/**
	 * The job with other limits to its performAt.
	 * @param until until when it gathers
	 * @param before before when it is not due
	 */
	MemoryJob between(@Nullable Long until, @Nullable Long before) {
		return new MemoryJob(this.id, this.place, this.performAt, this.retryCount, this.crashes, this.error,
				this.unreadableSince, until, before, this.payloads, this.producers);
	}

	/** The job that is not due before a time. */
	MemoryJob notBefore(long time) {
		return dueAt(Math.max(this.performAt, time)).between(this.gathersUntil, time);
	}

	MemoryJob at(Place place) {
		return with(place, this.performAt, this.retryCount, this.crashes, this.error);
	}

	/** The job among the delayed ones, or among the suspects by its crashes. */
	MemoryJob waiting() {
		return at((this.crashes >= ShardStore.SUSPECT_AFTER) ? Place.SUSPECT : Place.DELAYED);
	}

	MemoryJob dueAt(long performAt) {
		return with(this.place, performAt, this.retryCount, this.crashes, this.error);
	}

	MemoryJob with(PayloadSet payloads) {
		return new MemoryJob(this.id, this.place, this.performAt, this.retryCount, this.crashes, this.error,
				this.unreadableSince, this.gathersUntil, this.notBefore, payloads, this.producers);
	}

	/** The job with other producers. */
	MemoryJob by(ProducerSet newProducers) {
		return new MemoryJob(this.id, this.place, this.performAt, this.retryCount, this.crashes, this.error,
				this.unreadableSince, this.gathersUntil, this.notBefore, this.payloads, newProducers);
	}

	MemoryJob crashed(int crashes) {
		return with(this.place, this.performAt, this.retryCount, crashes, this.error);
	}

	/**
	 * The job after a failure that is not its last (rule 5).
	 * @param performAt milliseconds since 1970
	 * @param error what is kept of the failure
	 * @return the job
	 */
	MemoryJob failed(long performAt, String error) {
		return with(this.place, performAt, this.retryCount + 1, this.crashes, error).unreadableSince(null);
	}

	/** The job with a first payload that can't be read. */
	MemoryJob unreadable(long performAt, String error, long now) {
		return with(this.place, performAt, this.retryCount, this.crashes, error)
			.unreadableSince((this.unreadableSince != null) ? this.unreadableSince : now);
	}

	/**
	 * The job with a payload in front that has not failed yet.
	 * @param buriedFor why another payload was buried; null if none was
	 */
	MemoryJob afresh(@Nullable String buriedFor) {
		return with(this.place, this.performAt, -1, 0, buriedFor).unreadableSince(null);
	}

	/** The job after a person has put it on hold. */
	MemoryJob held() {
		return with(Place.DELAYED, HELD, this.retryCount, 0, this.error).between(null, null);
	}

	/**
	 * What is left of a busy job when its id was erased: its payloads are nobody's.
	 */
	static MemoryJob erased(String id) {
		return fresh(id, 0, PayloadSet.of(List.of()));
	}

	boolean isErased() {
		return this.payloads.isEmpty();
	}

	/** The job after a person has released it. */
	MemoryJob released(long now) {
		return with(this.place, now, -1, this.crashes, this.error);
	}

	/** The job with the error that it had in the morgue. */
	MemoryJob because(@Nullable String error) {
		return with(this.place, this.performAt, this.retryCount, this.crashes, error);
	}

	/** Whether its performAt stands, whatever is enqueued for its id. */
	boolean waitsForRetry() {
		return isRetry() || this.unreadableSince != null;
	}

	boolean isDue(long now) {
		return this.performAt <= now;
	}

	/**
	 * Whether the job waits for a person.
	 * @return whether it does
	 */
	boolean isHeld() {
		return this.performAt == HELD;
	}

	boolean isRetry() {
		return this.retryCount >= 0;
	}

}
