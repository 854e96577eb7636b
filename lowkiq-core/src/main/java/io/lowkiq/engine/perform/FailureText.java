package io.lowkiq.engine.perform;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.store.job.Failure;
import io.lowkiq.store.job.Failure.Attempt;
import io.lowkiq.store.job.FetchedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kept text of an exception, with the failed attempts of its job, whatever the
 * exception and the user's formatter do. Thread-safe.
 */
final class FailureText {

	private static final Logger logger = LoggerFactory.getLogger(FailureText.class);

	private final ErrorFormatter formatter;

	private final String node;

	private final InstantSource clock;

	FailureText(ErrorFormatter formatter, String node, InstantSource clock) {
		this.formatter = formatter;
		this.node = node;
		this.clock = clock;
	}

	Failure ofAttempt(FetchedJob job, boolean afresh, Throwable error) {
		String text = of(error);
		List<Attempt> attempts = new ArrayList<>(afresh ? List.of() : attempts(job));
		int number = afresh ? 1 : job.retryCount() + 2;
		attempts.add(new Attempt(number, this.clock.millis(), this.node, text));
		return new Failure(text, attempts);
	}

	/** The record of a payload that can't be read, which is no attempt. */
	Failure ofUnreadable(FetchedJob job, boolean afresh, Throwable reason) {
		return new Failure(of(reason), afresh ? List.of() : attempts(job));
	}

	/** A fresh job may have the error that its payloads, or others, had in the morgue. */
	private static List<Attempt> attempts(FetchedJob job) {
		Failure failure = job.failure();
		return (job.retryCount() >= 0 && failure != null) ? failure.attempts() : List.of();
	}

	@SuppressWarnings("ConstantValue")
	private String of(Throwable error) {
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
