package io.lowkiq.engine.perform;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.PrintableThrowable;
import io.lowkiq.QueueWorker;
import io.lowkiq.RetryPolicy;
import io.lowkiq.store.Outcome;

/**
 * Decides what becomes of a job that failed: another try (rule 5), or the morgue (rule
 * 6). Never throws, whatever the exception and the worker do.
 */
final class FailureRule {

	private static final Logger logger = LoggerFactory.getLogger(FailureRule.class);

	private static final Duration LONGEST = Duration.ofDays(36525);

	private final FailureText failureText;

	FailureRule(FailureText failureText) {
		this.failureText = failureText;
	}

	/**
	 * Decides.
	 * @param queue the queue of the job
	 * @param worker the worker; null if there is none because its bean can't be made
	 * @param job the job
	 * @param error why it failed
	 * @return what becomes of the job
	 */
	Outcome outcome(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job, Throwable error) {
		int retryCount = job.retryCount() + 1;
		String text = this.failureText.of(error);
		if (retryCount >= queue.worker().settings().maxRetryCount()) {
			logger.warn("Job '{}' of queue '{}' failed and its {} retries are used up; its oldest payload goes to "
					+ "the morgue", job.id(), queue.name(), retryCount, PrintableThrowable.of(error));
			retriesExhausted(queue, worker, job, error);
			return new Outcome.Bury(job.id(), text);
		}
		Duration delay = delay(queue, worker, retryCount);
		logger.warn("Job '{}' of queue '{}' failed; retry {} comes in {}", job.id(), queue.name(), retryCount, delay,
				PrintableThrowable.of(error));
		return new Outcome.Retry(job.id(), delay.toMillis(), text, error instanceof OutOfMemoryError);
	}

	@SuppressWarnings("unchecked")
	private void retriesExhausted(ServedQueue queue, @Nullable QueueWorker<?> worker, ReadableJob job,
			Throwable error) {
		if (worker == null || job.isUnreadable()) {
			return;
		}
		try {
			((QueueWorker<Object>) worker).retriesExhausted(job.id(), job.payloads().get(0), error);
		}
		catch (Throwable ex) {
			logger.warn("retriesExhausted of queue '{}' threw for job '{}'", queue.name(), job.id(),
					PrintableThrowable.of(ex));
		}
	}

	@SuppressWarnings("ConstantValue")
	private static Duration delay(ServedQueue queue, @Nullable QueueWorker<?> worker, int retryCount) {
		if (worker == null) {
			return RetryPolicy.standard().retryIn(retryCount);
		}
		try {
			Duration delay = worker.retryIn(retryCount);
			if (delay != null && !delay.isNegative()) {
				return (delay.compareTo(LONGEST) < 0) ? delay : LONGEST;
			}
			logger.warn("retryIn({}) of queue '{}' returned {}; the standard delay is used", retryCount, queue.name(),
					delay);
		}
		catch (Throwable ex) {
			logger.warn("retryIn({}) of queue '{}' threw; the standard delay is used", retryCount, queue.name(),
					PrintableThrowable.of(ex));
		}
		return RetryPolicy.standard().retryIn(retryCount);
	}

}
