package io.lowkiq;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A payload to enqueue for an id. Immutable; each method that sets something returns a
 * copy.
 *
 * @param <P> the type of the payload
 * @param id what the payload belongs to: 1 to {@value #MAX_ID_BYTES} bytes in UTF-8
 * @param payload the payload
 * @param score orders the payloads of one id, finite and between -{@value #MAX_SCORE} and
 * {@value #MAX_SCORE}; null for a score after all payloads of the id enqueued before (I2)
 * @param performAt the time before which the job is not started; null for now, by the
 * clock of the store
 * @param performIn the delay from now, by the clock of the store, not negative, up to 100
 * years; null if {@code performAt} is set or the job is due at once
 */
public record JobRequest<P>(String id, P payload, @Nullable Double score, @Nullable Instant performAt,
		@Nullable Duration performIn) {

	/** The length of an id in UTF-8 may not exceed this number of bytes. */
	public static final int MAX_ID_BYTES = 1024;

	/** The largest absolute value of a score. */
	public static final double MAX_SCORE = 1e300;

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
				.formatted(LogText.of(id), performIn));
		}
	}

	/**
	 * A request that is due at once and comes after all payloads of the id.
	 * @param <P> the type of the payload
	 * @param id what the payload belongs to
	 * @param payload the payload
	 * @return the request
	 */
	public static <P> JobRequest<P> of(String id, P payload) {
		return new JobRequest<>(id, payload, null, null, null);
	}

	/**
	 * Orders the payload among those of its id, for instance by a version.
	 * @param score a finite number of at most {@link #MAX_SCORE}
	 * @return a copy with that score
	 */
	public JobRequest<P> score(double score) {
		return new JobRequest<>(this.id, this.payload, score, this.performAt, this.performIn);
	}

	/**
	 * Sets the time before which the job is not started.
	 * @param performAt a time between 1970 and 9999
	 * @return a copy with that time
	 */
	public JobRequest<P> performAt(Instant performAt) {
		return new JobRequest<>(this.id, this.payload, this.score, performAt, null);
	}

	/**
	 * Sets the delay before which the job is not started, counted by the clock of the
	 * store.
	 * @param delay the delay, not negative, up to 100 years
	 * @return a copy with that delay
	 */
	public JobRequest<P> performIn(Duration delay) {
		return new JobRequest<>(this.id, this.payload, this.score, null, delay);
	}

}
