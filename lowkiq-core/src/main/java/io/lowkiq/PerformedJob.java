package io.lowkiq;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Payloads of a job that a worker was called for, which had the same result.
 *
 * @param queue the queue's name
 * @param id the job's id
 * @param payloads the payloads, in the order in which the worker got them; not modifiable
 * @param result what became of them
 * @param error why they failed; null if they are done
 */
public record PerformedJob(String queue, String id, List<Object> payloads, Result result, @Nullable Throwable error) {

	public PerformedJob {
		payloads = List.copyOf(payloads);
	}

	/** The result of payloads. */
	public enum Result {

		/** They are done. */
		DONE,

		/** They failed, and are performed again. */
		RETRIED,

		/** They failed, and go to the morgue. */
		BURIED,

		/** They failed, and are dropped. */
		DISCARDED,

		/** They failed, and their job waits for a person. */
		HELD

	}

}
