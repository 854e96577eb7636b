package io.lowkiq.store.job;

import java.util.List;

import io.lowkiq.store.ShardStore;

/**
 * The result of a busy job, as its owner reports it to the store. An outcome for an id
 * that is not busy changes nothing.
 */
public sealed interface Outcome {

	/** A kept error is cut to this number of UTF-8 bytes. */
	int MAX_ERROR_BYTES = 65_536;

	String id();

	/** The job was performed (rule 4): it is removed and counts as processed. */
	record Done(String id) implements Outcome {
	}

	/**
	 * The job was fetched and not begun: it goes back with its performAt, or due after a
	 * delay in milliseconds, retryCount, crash count and error, merged with what was
	 * queued meanwhile.
	 */
	record Returned(String id, long delay) implements Outcome {

		public Returned(String id) {
			this(id, 0);
		}

	}

	/**
	 * The job failed and is performed again (rule 5): retryCount grows by one, performAt
	 * becomes now + delay; it is merged with what was queued meanwhile.
	 *
	 * @param delay milliseconds until the retry, not negative
	 * @param suspect whether it comes back as a suspect, because it exhausted the node's
	 * memory: its crash count grows by one, to {@link ShardStore#SUSPECT_AFTER} at least;
	 * otherwise it becomes 0
	 */
	record Retry(String id, long delay, Failure failure, boolean suspect) implements Outcome {

		public Retry(String id, long delay, String error, boolean suspect) {
			this(id, delay, new Failure(error), suspect);
		}

		public Retry(String id, long delay, String error) {
			this(id, delay, error, false);
		}

	}

	/**
	 * The job failed, and waits for a person from now on: retryCount grows by one, and it
	 * is never due; it is merged with what was queued meanwhile.
	 */
	record Hold(String id, Failure failure) implements Outcome {

		public Hold(String id, String error) {
			this(id, new Failure(error));
		}

	}

	/**
	 * The first payload of the busy job can't be read, though perhaps by another version
	 * of the application: the job is tried again, with its retryCount and crash count.
	 * performAt becomes now + delay; it is merged with what was queued meanwhile. Since
	 * when it can't be read is remembered until another outcome.
	 *
	 * @param delay milliseconds until the next try, not negative
	 */
	record Unreadable(String id, long delay, Failure failure) implements Outcome {

		public Unreadable(String id, long delay, String error) {
			this(id, delay, new Failure(error));
		}

	}

	/**
	 * A follow-up to enqueue because the job, or some of its payloads, are done: it is
	 * kept in the shard in the same step, and the owner
	 * {@linkplain ShardStore#moveFollowUps enqueues it}. The job stays busy: its other
	 * outcomes come next.
	 *
	 * @param number larger than that of any follow-up of the shard before, and not given
	 * twice under one lease
	 */
	record FollowUp(String id, long number, io.lowkiq.store.job.FollowUp followUp) implements Outcome {
	}

	/**
	 * Some payloads leave the busy job, and the others stay busy: the outcome of these
	 * comes next. With the first payload, the retryCount, the crash count and the error
	 * leave. If all leave, the job is no longer busy.
	 *
	 * @param gone the places of removed payloads: they are done, or discarded
	 * @param dead the places of payloads that go to the morgue, and count as buried
	 */
	record PartlyDone(String id, List<Integer> gone, List<Integer> dead, Failure failure,
			boolean failed) implements Outcome {

		public PartlyDone(String id, List<Integer> gone, List<Integer> dead, String error, boolean failed) {
			this(id, gone, dead, new Failure(error), failed);
		}

	}

}
