package io.lowkiq;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StackTraceErrorFormatterTests {

	@Test
	void keepsClassMessageCausesAndStackTrace() {
		Throwable error = new IllegalStateException("outer", new IllegalArgumentException("inner"));
		assertThat(new StackTraceErrorFormatter().format(error))
			.startsWith("java.lang.IllegalStateException: outer\n"
					+ "Caused by: java.lang.IllegalArgumentException: inner\n")
			.contains("\tat io.lowkiq.StackTraceErrorFormatterTests.");
	}

	@Test
	void aCutKeepsTheCausesAndNoHalfCharacter() {
		Throwable error = new IllegalStateException("😀".repeat(100));
		String text = new StackTraceErrorFormatter(60).format(error);
		assertThat(text).hasSizeLessThanOrEqualTo(60).endsWith("…").doesNotContain("?");
		assertThat(Character.isHighSurrogate(text.charAt(text.length() - 2))).isFalse();
	}

	@Test
	void aCircleOfCausesEnds() {
		IllegalStateException first = new IllegalStateException("first");
		first.initCause(new IllegalStateException("second", first));
		assertThat(new StackTraceErrorFormatter().format(first)).contains("second");
	}

}
