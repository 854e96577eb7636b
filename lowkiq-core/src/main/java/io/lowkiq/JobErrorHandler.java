package io.lowkiq;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.lowkiq.internal.DurationText;

/**
 * Decides what happens to payloads that failed, for the workers of all queues. Handlers
 * are beans, ordered by {@code @Order}. The first one that decides wins. If none does,
 * the queue's {@link FailurePolicy} applies: {@code buryOn}, {@code discardOn},
 * {@link BuryException}, {@link RetryAfterException}, and otherwise a retry.
 * <p>
 * Called once for the payloads of a job that failed with the same error, on the
 * performing thread, for every {@link Throwable} of a worker or an interceptor, and for
 * runs that exceed their time limit. Not called for payloads that could not be read, for
 * workers whose bean can't be created, for runs that were interrupted by the server, and
 * for the queues of Lowkiq itself, such as those of schedules. Implementations must be
 * thread-safe. If a handler throws, that is logged, and the failure policy applies.
 */
@FunctionalInterface
public interface JobErrorHandler {

	/**
	 * Decides.
	 * @param failure what failed
	 * @return what happens, or null to leave it to the next handler
	 */
	@Nullable Decision handle(Failure failure);

	/**
	 * Payloads of a job that failed with one error.
	 *
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param payloads the payloads that failed, in the order of their scores; not
	 * modifiable
	 * @param attempt the number of the attempt, as in log lines: 1 for the first one
	 * @param error why they failed
	 */
	record Failure(String queue, String id, List<Object> payloads, int attempt, Throwable error) {

		public Failure {
			payloads = List.copyOf(payloads);
		}

	}

	/** The treatment of payloads that failed. */
	sealed interface Decision {

		/**
		 * They are retried after the usual time. Retries are limited as always: when they
		 * are used up, {@link RetriesExhausted} applies.
		 * @return the decision
		 */
		static Decision retry() {
			return new Retry(null);
		}

		/**
		 * They are retried after a time. Retries are limited as always.
		 * @param delay the time to wait, not negative
		 * @return the decision
		 * @throws IllegalArgumentException if the delay is negative
		 */
		static Decision retryIn(Duration delay) {
			return new Retry(delay);
		}

		/**
		 * They go to the morgue at once.
		 * @return the decision
		 */
		static Decision bury() {
			return new Bury();
		}

		/**
		 * They are dropped.
		 * @return the decision
		 */
		static Decision discard() {
			return new Discard();
		}

		/**
		 * The job is put on hold: it waits for a person, and newer payloads of its id
		 * wait behind it.
		 * @return the decision
		 */
		static Decision hold() {
			return new Hold();
		}

		/**
		 * Retry.
		 *
		 * @param delay the time to wait; null for the usual one
		 */
		record Retry(@Nullable Duration delay) implements Decision {

			public Retry {
				if (delay != null && delay.isNegative()) {
					throw new IllegalArgumentException(
							"The delay is %s; it must not be negative".formatted(DurationText.of(delay)));
				}
			}

		}

		/** Move the payloads to the morgue. */
		record Bury() implements Decision {
		}

		/** Drop the payloads. */
		record Discard() implements Decision {
		}

		/** Put the job on hold. */
		record Hold() implements Decision {
		}

	}

}
