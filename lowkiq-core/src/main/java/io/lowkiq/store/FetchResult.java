package io.lowkiq.store;

import java.util.List;

import io.lowkiq.store.job.FetchedJob;

/** The store's answer to {@link ShardStore#completeAndFetch}. */
public sealed interface FetchResult {

	/** Instead of a time: no job is queued. */
	long NOTHING = Long.MAX_VALUE;

	/**
	 * The outcomes were applied, and these jobs are busy now.
	 *
	 * @param jobs the fetched jobs: the suspect, if one was fetched, then the others in
	 * the order of the shard, or in turn of groups; may be empty
	 * @param next when the next job that is no suspect can be fetched, in milliseconds
	 * since 1970: {@code now} if one is ready or there may be one behind too many void
	 * entries, else the smallest performAt of the delayed jobs, which may be past;
	 * {@link #NOTHING} if there is none or the queue is paused. Groups that are full
	 * don't count
	 * @param nextSuspect the smallest performAt of the suspects; {@link #NOTHING} if
	 * there is none or the queue is paused
	 * @param now the store's time, in milliseconds since 1970
	 * @param groups the groups that wait, if the fetch was in turn
	 */
	record Fetched(List<FetchedJob> jobs, long next, long nextSuspect, long now, int buried,
			WaitingGroups groups) implements FetchResult {

		/** Of a queue without groups. */
		public Fetched(List<FetchedJob> jobs, long next, long nextSuspect, long now, int buried) {
			this(jobs, next, nextSuspect, now, buried, WaitingGroups.NONE);
		}

	}

	/** Nothing was changed: the shard has another owner or another epoch (I6). */
	record Fenced(LastCall last) implements FetchResult {
	}

	/**
	 * Nothing was changed: the number is not the next one, or other jobs are busy than
	 * the owner knows of. Either this call was applied before and its answer lost, or a
	 * failover has lost an earlier call.
	 */
	record OutOfStep(LastCall last) implements FetchResult {
	}

}
