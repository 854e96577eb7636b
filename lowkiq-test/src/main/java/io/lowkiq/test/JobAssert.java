package io.lowkiq.test;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about one job, waiting or dead. A failure prints all jobs that are there.
 *
 * @param <S> the type of the assertion
 */
public abstract sealed class JobAssert<S extends JobAssert<S>> extends AbstractAssert<S, StoredJob>
		permits QueuedJobAssert, DeadJobAssert {

	private final Object all;

	JobAssert(StoredJob actual, Object all, Class<?> selfType) {
		super(actual, selfType);
		this.all = all;
	}

	/**
	 * Asserts which payloads the job has.
	 * @param payloads all payloads, ascending by score
	 * @return this assertion
	 */
	public S withPayloads(Object... payloads) {
		return check("payloads", this.actual.payloads(), Arrays.asList(payloads));
	}

	/**
	 * Asserts which scores the payloads have.
	 * @param scores the scores of all payloads, ascending
	 * @return this assertion
	 */
	public S withScores(double... scores) {
		return check("scores", this.actual.scores(), DoubleStream.of(scores).boxed().toList());
	}

	/**
	 * Asserts what is kept of the last failure.
	 * @param text a part of it
	 * @return this assertion
	 */
	public S withErrorContaining(String text) {
		String error = this.actual.error();
		if (error == null || !error.contains(text)) {
			throw fail("an error containing \"%s\"".formatted(text), (error != null) ? error : "no error");
		}
		return this.myself;
	}

	final S check(String what, Object found, Object expected) {
		if (!found.equals(expected)) {
			throw fail("%s %s".formatted(what, texts(expected, found)), texts(found, expected));
		}
		return this.myself;
	}

	/** Values of different types may look the same. */
	private static String texts(Object value, Object other) {
		if (value.toString().equals(other.toString()) && value instanceof List<?> list) {
			return list.stream()
				.map((each) -> "%s (%s)".formatted(each, each.getClass().getName()))
				.toList()
				.toString();
		}
		return value.toString();
	}

	final AssertionError fail(String expected, String found) {
		return failure("Expected job '%s' to have %s, but found %s.%n%n%s", this.actual.id(), expected, found,
				this.all);
	}

}
