package io.lowkiq.memory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * A queued or busy job. Guarded by the lock of its shard.
 *
 * @param id the job's id
 * @param performAt milliseconds since 1970
 * @param place the place in line; {@link #NOT_IN_LINE} for a job that is not in line
 * @param retryCount -1 for a fresh job
 * @param crashes how many nodes have died while performing it (rule 8)
 * @param error what is kept of the last failure
 * @param payloads its payloads; the only part that changes
 */
record MemoryJob(String id, long performAt, long place, int retryCount, int crashes, @Nullable String error,
		PayloadSet payloads) {

	/** Sorts a job behind those in line. */
	static final long NOT_IN_LINE = Long.MAX_VALUE;

	/** By the unsigned bytes of the id in UTF-8. */
	static final Comparator<String> BY_ID_BYTES = (one, other) -> Arrays
		.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

	/** The order in which the jobs of a shard are fetched. */
	static final Comparator<MemoryJob> FETCH_ORDER = Comparator.comparingLong(MemoryJob::performAt)
		.thenComparingLong(MemoryJob::place)
		.thenComparing(MemoryJob::id, BY_ID_BYTES);

	/**
	 * A job that has not failed and is not in line.
	 * @param id the job's id
	 * @param performAt milliseconds since 1970
	 * @param payloads its payloads
	 * @return the job
	 */
	static MemoryJob fresh(String id, long performAt, PayloadSet payloads) {
		return new MemoryJob(id, performAt, NOT_IN_LINE, -1, 0, null, payloads);
	}

	MemoryJob inLine(long place) {
		return new MemoryJob(this.id, this.performAt, place, this.retryCount, this.crashes, this.error, this.payloads);
	}

	MemoryJob dueAt(long performAt) {
		return new MemoryJob(this.id, performAt, NOT_IN_LINE, this.retryCount, this.crashes, this.error, this.payloads);
	}

	MemoryJob with(PayloadSet payloads) {
		return new MemoryJob(this.id, this.performAt, this.place, this.retryCount, this.crashes, this.error, payloads);
	}

	/**
	 * The job after a failure that is not its last (rule 5).
	 * @param performAt milliseconds since 1970
	 * @param error what is kept of the failure
	 * @return the job
	 */
	MemoryJob failed(long performAt, String error) {
		return new MemoryJob(this.id, performAt, NOT_IN_LINE, this.retryCount + 1, 0, error, this.payloads);
	}

	/**
	 * The job after a crash of its node (rule 8).
	 * @return the job
	 */
	MemoryJob marked() {
		return new MemoryJob(this.id, this.performAt, this.place, this.retryCount, this.crashes + 1, this.error,
				this.payloads);
	}

	boolean isDue(long now) {
		return this.performAt <= now;
	}

	boolean isInLine() {
		return this.place != NOT_IN_LINE;
	}

	boolean isRetry() {
		return this.retryCount >= 0;
	}

	boolean isSuspect() {
		return this.crashes > 0;
	}

}
