package io.lowkiq.store;

import java.util.List;

/**
 * What became of a busy job, as its owner tells the store. An outcome for an id that is
 * not busy changes nothing.
 */
public sealed interface Outcome {

	/** A kept error is cut to this number of UTF-8 bytes. */
	int MAX_ERROR_BYTES = 65_536;

	/**
	 * The job's id.
	 * @return the id
	 */
	String id();

	/**
	 * The job was performed (rule 4): it is removed and counts as processed.
	 *
	 * @param id the job's id
	 */
	record Done(String id) implements Outcome {
	}

	/**
	 * The job was fetched and not begun: it goes back with its performAt, retryCount,
	 * crash count and error, merged with what was queued meanwhile. Counts as nothing.
	 *
	 * @param id the job's id
	 */
	record Returned(String id) implements Outcome {
	}

	/**
	 * The job failed and is performed again (rule 5): retryCount grows by one, performAt
	 * becomes now + delay; it is merged with what was queued meanwhile. Counts as failed.
	 *
	 * @param id the job's id
	 * @param delay milliseconds until the retry, not negative
	 * @param error what is kept of the exception
	 * @param suspect whether it comes back as a suspect, because it exhausted the node's
	 * memory: its crash count grows by one, to {@link ShardStore#SUSPECT_AFTER} at least;
	 * otherwise it becomes 0
	 */
	record Retry(String id, long delay, String error, boolean suspect) implements Outcome {

		public Retry(String id, long delay, String error) {
			this(id, delay, error, false);
		}

	}

	/**
	 * The job failed and its retries are used up (rule 6): of its busy payloads the one
	 * with the smallest score goes to the morgue, the others go back with retryCount -1
	 * and performAt now, merged with what was queued meanwhile. Counts as failed and, the
	 * payload, as buried.
	 *
	 * @param id the job's id
	 * @param error what is kept of the exception
	 */
	record Bury(String id, String error) implements Outcome {
	}

	/**
	 * Some payloads of the busy job can't be read (I8): they go to the morgue, the others
	 * stay busy. A job with no other payload is removed and not counted as processed. The
	 * payloads count as buried. Comes before the outcome of the rest.
	 *
	 * @param id the job's id
	 * @param payloads the places of the payloads in {@link FetchedJob#payloads()},
	 * ascending
	 * @param error why they can't be read
	 */
	record Reject(String id, List<Integer> payloads, String error) implements Outcome {
	}

}
