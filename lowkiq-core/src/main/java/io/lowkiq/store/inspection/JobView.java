package io.lowkiq.store.inspection;

import io.lowkiq.Producers;
import io.lowkiq.store.KeptError;
import io.lowkiq.store.Shard;

import io.lowkiq.store.Payload;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A job as people look at it.
 *
 * @param shard its shard
 * @param state whether it is queued, busy or dead
 * @param id the job's id
 * @param performAt milliseconds since 1970; of a dead job, the time of its last burial
 * @param retryCount -1 for a fresh job; of a dead job always -1
 * @param crashes the crash count, as in {@link FetchedJob#crashes()}; of a dead job
 * always 0
 * @param error what is kept of the last failure, in the form of the store
 * @param payloadCount how many payloads it has
 * @param payloads the first of them by score, as many as were asked for
 * @param producers who enqueued its payloads, as far as that is traced; of a dead job,
 * those of its last burial
 */
public record JobView(Shard shard, State state, String id, long performAt, int retryCount, int crashes,
		@Nullable String error, long payloadCount, List<Payload> payloads, Producers producers) {

	/**
	 * A job whose producers are not traced.
	 */
	public JobView(Shard shard, State state, String id, long performAt, int retryCount, int crashes,
			@Nullable String error, long payloadCount, List<Payload> payloads) {
		this(shard, state, id, performAt, retryCount, crashes, error, payloadCount, payloads, Producers.NONE);
	}

	/**
	 * The record of its failures.
	 * @return the text of the last failure, and the last attempts; null if it has no
	 * error
	 */
	public @Nullable KeptError keptError() {
		return (this.error != null) ? KeptError.parse(this.error) : null;
	}

	/** The states of a job. */
	public enum State {

		/** Waiting to be performed. */
		QUEUED,

		/** Being performed. */
		BUSY,

		/** In the morgue. */
		DEAD

	}

}
