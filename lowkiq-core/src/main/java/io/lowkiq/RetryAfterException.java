package io.lowkiq;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a worker that knows when to try again, for instance because a server asked it
 * to wait. It counts as a failure like any other; only the delay is not that of
 * {@link QueueWorker#retryIn(int, Throwable)}.
 */
public class RetryAfterException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	public RetryAfterException(Duration delay) {
		this(delay, null);
	}

	public RetryAfterException(Duration delay, @Nullable Throwable cause) {
		super("To be retried after " + delay, cause);
		if (delay.isNegative()) {
			throw new IllegalArgumentException("The delay is %s; it must not be negative".formatted(delay));
		}
		this.delay = delay;
	}

	/**
	 * How long the job waits.
	 * @return the delay, not negative
	 */
	public Duration delay() {
		return this.delay;
	}

}
