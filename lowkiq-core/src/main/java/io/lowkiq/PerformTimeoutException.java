package io.lowkiq;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a run that took longer than its worker's limit. Its cause is what the
 * worker threw when it was interrupted, if anything. It can be listed in
 * {@link LowkiqWorker#buryOn()} and {@link LowkiqWorker#discardOn()}.
 *
 * @see LowkiqWorker#performTimeout()
 */
public class PerformTimeoutException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception for a run that took too long.
	 * @param limit the limit
	 * @param cause what the worker threw when it was interrupted; null if it returned
	 */
	public PerformTimeoutException(Duration limit, @Nullable Throwable cause) {
		super("The perform lasted longer than perform-timeout (%s)".formatted(text(limit)), cause);
	}

	/** A duration as it is written in properties, such as 30s. */
	private static String text(Duration duration) {
		return duration.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
	}

}
