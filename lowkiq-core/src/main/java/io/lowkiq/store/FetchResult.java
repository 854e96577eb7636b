package io.lowkiq.store;

import java.util.List;

/**
 * The store's answer to {@link ShardStore#completeAndFetch}.
 */
public sealed interface FetchResult {

	/** Stands for "no job is queued", in place of a time. */
	long NOTHING = Long.MAX_VALUE;

	/**
	 * The outcomes were applied, and these jobs are busy now.
	 *
	 * @param jobs the fetched jobs in the order of performAt; may be empty
	 * @param next when the next job can be fetched, in milliseconds since 1970:
	 * {@code now} if one is ready, else the smallest performAt of the delayed jobs;
	 * {@link #NOTHING} if there is none or the queue is paused
	 * @param nextSuspect the smallest performAt of the suspects; {@link #NOTHING} if
	 * there is none or the queue is paused
	 * @param now the store's time, in milliseconds since 1970
	 * @param buried the number of payloads that went to the morgue
	 */
	record Fetched(List<FetchedJob> jobs, long next, long nextSuspect, long now, int buried) implements FetchResult {
	}

	/**
	 * Nothing was changed: the shard has another owner or a later epoch (I6).
	 */
	record Fenced() implements FetchResult {
	}

	/**
	 * Nothing was changed: the sequence number is not the next one, or other jobs are
	 * busy than the owner knows of. Either a call with this number was applied before,
	 * and its answer is lost; or the storage has lost an earlier call, in a failover. The
	 * owner acquires the shard again.
	 */
	record OutOfStep() implements FetchResult {
	}

}
