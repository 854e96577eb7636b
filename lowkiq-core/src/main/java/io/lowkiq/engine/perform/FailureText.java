package io.lowkiq.engine.perform;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.PrintableThrowable;
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
			return (text != null) ? text : PrintableThrowable.describe(error);
		}
		catch (Throwable ex) {
			logger.warn("The error formatter threw {}; keeping only the class and the message of the failure",
					PrintableThrowable.describe(ex));
			return PrintableThrowable.describe(error);
		}
	}

}
