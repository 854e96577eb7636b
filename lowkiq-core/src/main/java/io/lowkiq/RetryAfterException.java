package io.lowkiq;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.lowkiq.internal.DurationText;

/**
 * Thrown by a worker that knows when to try again, for instance because a server asked it
 * to wait. It counts as a failure like any other, but its delay replaces that of
 * {@link QueueWorker#retryIn(int, Throwable)}.
 */
public class RetryAfterException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	public RetryAfterException(Duration delay) {
		this(delay, null);
	}

	public RetryAfterException(Duration delay, @Nullable Throwable cause) {
		super("Retry after " + DurationText.of(delay), cause);
		if (delay.isNegative()) {
			throw new IllegalArgumentException(
					"The delay is %s; it must not be negative".formatted(DurationText.of(delay)));
		}
		this.delay = delay;
	}

	/**
	 * The delay before the retry.
	 * @return the delay, not negative
	 */
	public Duration delay() {
		return this.delay;
	}

}
