package io.lowkiq.engine;

import io.lowkiq.internal.PrintableThrowable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what should not happen, so that whoever caught it goes on. It may be an
 * out-of-memory error that a job caused and any thread got.
 */
final class Unexpected {

	private static final Logger logger = LoggerFactory.getLogger(Unexpected.class);

	private Unexpected() {
	}

	/** Logs, and throws nothing. */
	static void log(String where, Throwable thrown) {
		try {
			logger.error("Unexpected error {}; continuing", where, PrintableThrowable.of(thrown));
		}
		catch (Throwable ex) {
			// There is no memory to say so
		}
	}

}
