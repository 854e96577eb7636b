package io.lowkiq;

import java.time.Duration;

/**
 * What {@link Worker} and {@link BatchWorker} have in common: how a job is retried, what
 * happens when its retries are used up, and how a payload becomes a job.
 * <p>
 * One instance serves all shards of its queue, so the methods are called by several
 * threads at a time, though never by two for the same id (I1).
 *
 * @param <P> the type of the payloads
 */
public sealed interface QueueWorker<P> permits Worker, BatchWorker {

	/**
	 * Tells how long a failed job waits before it is performed again.
	 * @param retryCount the number of the planned retry: 0 after the first failure
	 * @return the time to wait, not negative
	 */
	default Duration retryIn(int retryCount) {
		return RetryPolicy.standard().retryIn(retryCount);
	}

	/**
	 * Called when the retries of a job are used up, just before its payload with the
	 * smallest score goes to the morgue. It may be called again for the same payload when
	 * the node dies in between. What it throws is logged and ignored.
	 * @param id the job's id
	 * @param payload the payload that goes to the morgue
	 * @param error what the last perform threw
	 */
	default void retriesExhausted(String id, P payload, Throwable error) {
	}

	/**
	 * Computes id, score and time of a job from its payload, for
	 * {@link LowkiqClient#enqueue(Class, Object)}.
	 * @param payload the payload to enqueue
	 * @return the job to enqueue
	 */
	default JobRequest<P> toJob(P payload) {
		throw new UnsupportedOperationException(getClass().getName()
				+ " does not override toJob(payload): override it, or name the id when enqueueing");
	}

}
