package io.lowkiq;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/**
 * A payload to enqueue for an id. Immutable; each method that sets something returns a
 * copy.
 *
 * @param <P> the type of the payload
 * @param id what the payload belongs to: 1 to {@value #MAX_ID_BYTES} bytes in UTF-8
 * @param payload the payload
 * @param score orders the payloads of one id, finite and between -{@value #MAX_SCORE} and
 * {@value #MAX_SCORE}; null for a score after that of every payload already enqueued for
 * the id (I2)
 * @param performAt the earliest time at which the job is performed; null for now, by the
 * clock of the store
 * @param performIn the delay from now, by the clock of the store, not negative, up to 100
 * years; null if {@code performAt} is set or the job is due at once
 * @param next what to enqueue when the payload is done; null for nothing
 */
public record JobRequest<P>(String id, P payload, @Nullable Double score, @Nullable Instant performAt,
		@Nullable Duration performIn, @Nullable Step next) {

	/**
	 * The next step of a chain.
	 *
	 * @param queue the queue's name
	 * @param request what is enqueued into it
	 */
	public record Step(String queue, JobRequest<?> request) {

		public Step {
			Ids.checkQueue(queue);
			if (request == null) {
				throw new InvalidJobException("The next step, in queue '%s', is null".formatted(queue));
			}
		}

	}

	/** The maximum number of steps of a chain. */
	public static final int MAX_STEPS = 100;

	/** The maximum length of an id in UTF-8 bytes. */
	public static final int MAX_ID_BYTES = 1024;

	/** The largest absolute value of a score. */
	public static final double MAX_SCORE = 1e300;

	/** The largest absolute value of a whole number as a score: 2^53. */
	public static final long MAX_WHOLE_SCORE = 1L << 53;

	private static final Duration MAX_DELAY = Duration.ofDays(36525);

	private static final Instant MAX_TIME = Instant.parse("9999-12-31T23:59:59Z");

	public JobRequest {
		Ids.check(id);
		if (payload == null) {
			throw new InvalidJobException("The payload of job '%s' is null".formatted(LogText.of(id)));
		}
		if (score != null && !(Math.abs(score) <= MAX_SCORE)) {
			throw new InvalidJobException("The score of job '%s' is %s; it must be a finite number of at most %s"
				.formatted(LogText.of(id), score, MAX_SCORE));
		}
		if (performAt != null && performIn != null) {
			throw new InvalidJobException(
					"Job '%s' has both performAt and performIn; set one".formatted(LogText.of(id)));
		}
		if (performAt != null && (performAt.isBefore(Instant.EPOCH) || performAt.isAfter(MAX_TIME))) {
			throw new InvalidJobException("performAt of job '%s' is %s; it must be between 1970 and 9999"
				.formatted(LogText.of(id), performAt));
		}
		if (performIn != null && (performIn.isNegative() || performIn.compareTo(MAX_DELAY) > 0)) {
			throw new InvalidJobException("performIn of job '%s' is %s; it must be between 0 and 100 years"
				.formatted(LogText.of(id), DurationText.of(performIn)));
		}
		int steps = 1;
		for (Step step = next; step != null; step = step.request().next()) {
			steps++;
		}
		if (steps > MAX_STEPS) {
			throw new InvalidJobException(
					"The chain that begins with job '%s' has more than %s steps".formatted(LogText.of(id), MAX_STEPS));
		}
	}

	/**
	 * A request that is due at once and comes after all payloads already enqueued for the
	 * id.
	 * @param <P> the type of the payload
	 * @param id what the payload belongs to
	 * @param payload the payload
	 * @return the request
	 */
	public static <P> JobRequest<P> of(String id, P payload) {
		return new JobRequest<>(id, payload, null, null, null, null);
	}

	/**
	 * Sets the score, which orders the payload among those of its id, for instance a
	 * version or a time in milliseconds. A score is kept as a double, which can't tell
	 * all whole numbers apart beyond 2^53, such as snowflake ids or times in nanoseconds:
	 * these are refused.
	 * @param score a whole number between -{@value #MAX_WHOLE_SCORE} and
	 * {@value #MAX_WHOLE_SCORE}
	 * @return a copy with that score
	 * @throws InvalidJobException if the number is beyond that
	 */
	public JobRequest<P> score(long score) {
		if (score > MAX_WHOLE_SCORE || score < -MAX_WHOLE_SCORE) {
			throw new InvalidJobException(
					"The score of job '%s' is %s; a whole number must be between -2^53 and 2^53 (%s), beyond which different scores would count as equal. Use a smaller number, such as milliseconds or a sequence number per id; or score((double) …), if near scores may be equal"
						.formatted(LogText.of(this.id), score, MAX_WHOLE_SCORE));
		}
		return score((double) score);
	}

	/**
	 * Sets the score, which orders the payload among those of its id. For whole numbers,
	 * there is {@link #score(long)}.
	 * @param score a finite number of at most {@link #MAX_SCORE}
	 * @return a copy with that score
	 */
	public JobRequest<P> score(double score) {
		return new JobRequest<>(this.id, this.payload, score, this.performAt, this.performIn, this.next);
	}

	/**
	 * Sets the earliest time at which the job is performed.
	 * @param performAt a time between 1970 and 9999
	 * @return a copy with that time
	 */
	public JobRequest<P> performAt(Instant performAt) {
		return new JobRequest<>(this.id, this.payload, this.score, performAt, null, this.next);
	}

	/**
	 * Sets the minimum delay before the job is performed, by the clock of the store.
	 * @param delay the delay, not negative, up to 100 years
	 * @return a copy with that delay
	 */
	public JobRequest<P> performIn(Duration delay) {
		return new JobRequest<>(this.id, this.payload, this.score, null, delay, this.next);
	}

	/**
	 * Adds a step at the end of the chain that begins with this request. Each step is
	 * enqueued when the payload of the previous one is done. Both are written to the
	 * store atomically, so a crash can't separate them. If a payload goes to the morgue
	 * or is discarded, the steps after it are not enqueued. If it is enqueued again from
	 * the morgue, the chain continues. A delay and the default score are counted from the
	 * time at which the step reaches its queue.
	 * <p>
	 * The steps are kept with the payload: payloads with different next steps are
	 * different payloads, so they don't merge. To enqueue several jobs after one, use
	 * {@link PerformContext#onSuccess()}.
	 * @param queue the queue's name
	 * @param request what to enqueue into it; may have further steps
	 * @return a copy with that step
	 * @throws InvalidJobException if the chain would have more than {@value #MAX_STEPS}
	 * steps
	 */
	public JobRequest<P> then(String queue, JobRequest<?> request) {
		Step last = this.next;
		Step added = (last == null) ? new Step(queue, request)
				: new Step(last.queue(), last.request().then(queue, request));
		return new JobRequest<>(this.id, this.payload, this.score, this.performAt, this.performIn, added);
	}

}
