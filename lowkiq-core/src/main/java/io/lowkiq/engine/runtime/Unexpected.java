package io.lowkiq.engine.runtime;

import io.lowkiq.internal.PrintableThrowable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs errors that should not happen, so that whoever caught them continues. Such an
 * error may be an out-of-memory error that a job caused and another thread got.
 */
public final class Unexpected {

	private static final Logger logger = LoggerFactory.getLogger(Unexpected.class);

	private Unexpected() {
	}

	public static void log(String where, Throwable thrown) {
		try {
			PrintableThrowable.log(thrown,
					(printable) -> logger.error("Unexpected error {}; continuing", where, printable));
		}
		catch (Throwable ex) {
			// There is no memory to say so
		}
	}

}
