package io.lowkiq.engine.perform;

import java.nio.charset.StandardCharsets;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.PrintableThrowable;
import io.lowkiq.store.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The text that is kept of an exception, whatever the exception and the user's formatter
 * do.
 */
final class FailureText {

	private static final Logger logger = LoggerFactory.getLogger(FailureText.class);

	private final ErrorFormatter formatter;

	FailureText(ErrorFormatter formatter) {
		this.formatter = formatter;
	}

	@SuppressWarnings("ConstantValue")
	String of(Throwable error) {
		try {
			String text = this.formatter.format(error);
			return cut((text != null) ? text : PrintableThrowable.describe(error));
		}
		catch (Throwable ex) {
			logger.warn("The error formatter threw {}; only the class and the message of the failure are kept",
					PrintableThrowable.describe(ex));
			return PrintableThrowable.describe(error);
		}
	}

	/** Cuts a text to what the store keeps, at a whole character. */
	private static String cut(String text) {
		if (text.length() <= Outcome.MAX_ERROR_BYTES / 3) {
			return text;
		}
		byte[] bytes = text.substring(0, Math.min(text.length(), Outcome.MAX_ERROR_BYTES))
			.getBytes(StandardCharsets.UTF_8);
		if (bytes.length <= Outcome.MAX_ERROR_BYTES) {
			return new String(bytes, StandardCharsets.UTF_8);
		}
		int end = Outcome.MAX_ERROR_BYTES;
		while ((bytes[end] & 0xC0) == 0x80) {
			end--;
		}
		return new String(bytes, 0, end, StandardCharsets.UTF_8);
	}

}
