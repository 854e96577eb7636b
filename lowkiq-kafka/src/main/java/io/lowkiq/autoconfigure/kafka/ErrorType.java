package io.lowkiq.autoconfigure.kafka;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLException;

import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

import org.springframework.expression.EvaluationException;

import io.lowkiq.InvalidJobException;
import io.lowkiq.PayloadException;

/** The meaning of an error's type for the record that has failed with it. */
enum ErrorType {

	/** The record can't become a job whatever else happens. */
	OF_RECORD,

	/** Something else is at fault, such as a connection, and may be there again soon. */
	PASSING,

	/** The type says neither. */
	UNKNOWN;

	private static final List<Class<? extends Throwable>> PASSING_TYPES = List.of(SocketException.class,
			UnknownHostException.class, InterruptedIOException.class, HttpTimeoutException.class, SSLException.class,
			ClosedChannelException.class, TimeoutException.class, RetriableException.class, InterruptException.class,
			InterruptedException.class);

	/** Decide wherever they are among the causes. */
	private static final List<Class<? extends Throwable>> ABOUT_RECORDS = List.of(JacksonException.class,
			InvalidJobException.class);

	/** Decide as the innermost cause. */
	private static final List<Class<? extends Throwable>> TYPES_OF_RECORD = List.of(PayloadException.class,
			CharacterCodingException.class, EvaluationException.class);

	/** Jackson 2, which this module doesn't depend on. */
	private static final String OTHER_JACKSON = "com.fasterxml.jackson.";

	private static final int LONGEST_CHAIN = 20;

	/**
	 * The type of an error and its causes: a passing cause decides, then a cause about
	 * records, then the innermost. Null if the record itself is at fault.
	 */
	static ErrorType of(@Nullable Throwable error) {
		Throwable innermost = null;
		boolean isOfRecord = error == null;
		int length = 0;
		for (Throwable cause = error; cause != null && length < LONGEST_CHAIN; cause = cause.getCause()) {
			if (isPassing(cause)) {
				return PASSING;
			}
			isOfRecord |= isAny(ABOUT_RECORDS, cause) || cause.getClass().getName().startsWith(OTHER_JACKSON)
					|| (innermost instanceof PayloadException && cause instanceof IllegalArgumentException);
			innermost = cause;
			length++;
		}
		return (isOfRecord || isAny(TYPES_OF_RECORD, innermost)) ? OF_RECORD : UNKNOWN;
	}

	/** Subtypes of {@code IOException} are mostly about data. */
	private static boolean isPassing(Throwable cause) {
		return cause.getClass() == IOException.class || isAny(PASSING_TYPES, cause);
	}

	private static boolean isAny(List<Class<? extends Throwable>> types, @Nullable Throwable cause) {
		return types.stream().anyMatch((type) -> type.isInstance(cause));
	}

}
