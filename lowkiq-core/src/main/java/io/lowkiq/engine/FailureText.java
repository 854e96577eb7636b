package io.lowkiq.engine;

import java.nio.charset.StandardCharsets;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.store.Outcome;

/**
 * The text that is kept of an exception, whatever the user's formatter does.
 */
final class FailureText {

	private static final Logger logger = LoggerFactory.getLogger(FailureText.class);

	private final ErrorFormatter formatter;

	FailureText(ErrorFormatter formatter) {
		this.formatter = formatter;
	}

	String of(Throwable error) {
		try {
			return cut(this.formatter.format(error));
		}
		catch (Exception | StackOverflowError ex) {
			logger.warn("The error formatter threw; only the exception's class is kept", ex);
			return error.getClass().getName();
		}
	}

	/** Cuts a text to what the store keeps, at a whole character. */
	private static String cut(String text) {
		if (text.length() <= Outcome.MAX_ERROR_BYTES / 3) {
			return text;
		}
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= Outcome.MAX_ERROR_BYTES) {
			return text;
		}
		int end = Outcome.MAX_ERROR_BYTES;
		while ((bytes[end] & 0xC0) == 0x80) {
			end--;
		}
		return new String(bytes, 0, end, StandardCharsets.UTF_8);
	}

}
