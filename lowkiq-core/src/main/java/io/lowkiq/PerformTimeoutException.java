package io.lowkiq;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Why a perform has failed that lasted longer than its worker's limit. Its cause is what
 * the worker threw when it was interrupted, if anything. It can be named by
 * {@link LowkiqWorker#buryOn()} and {@link LowkiqWorker#discardOn()}.
 *
 * @see LowkiqWorker#performTimeout()
 */
public class PerformTimeoutException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	/**
	 * An exception of a perform that lasted too long.
	 * @param limit how long it was allowed to last
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
