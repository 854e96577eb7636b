package io.lowkiq;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The common part of {@link Worker}, {@link PayloadWorker} and {@link BatchWorker}: how a
 * job is retried, what happens when its retries are used up, and how a payload becomes a
 * job.
 * <p>
 * One instance serves all shards of its queue, so several threads call its methods at the
 * same time, but never two for the same id (I1).
 *
 * @param <P> the type of the payloads
 */
public sealed interface QueueWorker<P> permits Worker, PayloadWorker, BatchWorker {

	/**
	 * Decides how long a failed job waits before it is performed again. Not called if the
	 * error is a {@link RetryAfterException}. By default, the {@link RetryPolicy} of the
	 * queue decides.
	 * @param retryCount the number of the next retry: 0 after the first failure of the
	 * job, or of the payload that has become its oldest
	 * @param error why it failed
	 * @return the time to wait, not negative, or null to leave it to the retry policy
	 */
	default @Nullable Duration retryIn(int retryCount, Throwable error) {
		return null;
	}

	/**
	 * Called when the retries of a job are used up: for each payload just before it goes
	 * to the morgue, or for the oldest payload before the job is put on hold. It may be
	 * called again for the same payload if the node dies in between. Exceptions are
	 * logged and ignored.
	 * @param id the job's id
	 * @param payload the payload that goes to the morgue, or is on hold
	 * @param error what the last perform threw
	 */
	default void retriesExhausted(String id, P payload, Throwable error) {
	}

	/**
	 * Computes the id, score and time of a job from its payload, for
	 * {@link LowkiqClient#enqueue(Class, Object)}.
	 * @param payload the payload to enqueue
	 * @return the job to enqueue
	 */
	default JobRequest<P> toJob(P payload) {
		throw new UnsupportedOperationException(getClass().getName()
				+ " does not override toJob(payload): override it, or pass the id when enqueueing");
	}

	/**
	 * Creates the payload of a recurring job, for {@link LowkiqSchedule}. If it throws,
	 * it is called again a minute later.
	 * @param schedule the id of the schedule
	 * @param time the time of the schedule for which the job is enqueued; may be in the
	 * past if no node was running then
	 * @return the payload
	 */
	default P payloadAt(String schedule, Instant time) {
		throw new UnsupportedOperationException(
				getClass().getName() + " does not override payloadAt(schedule, time), so it can't have schedules");
	}

}
