package io.lowkiq.engine.perform;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StackTraceErrorFormatterTests {

	@Test
	void keepsClassMessageCausesAndStackTrace() {
		Throwable error = new IllegalStateException("outer", new IllegalArgumentException("inner"));
		assertThat(new StackTraceErrorFormatter().format(error))
			.startsWith("java.lang.IllegalStateException: outer\n"
					+ "Caused by: java.lang.IllegalArgumentException: inner\n")
			.contains("\tat io.lowkiq.engine.perform.StackTraceErrorFormatterTests.");
	}

	@Test
	void aCutKeepsTheCausesAndNoHalfCharacter() {
		Throwable error = new IllegalStateException("😀".repeat(100));
		String text = new StackTraceErrorFormatter(60).format(error);
		assertThat(text).hasSizeLessThanOrEqualTo(60).endsWith("…").doesNotContain("?");
		assertThat(Character.isHighSurrogate(text.charAt(text.length() - 2))).isFalse();
	}

	@Test
	void theStackTraceEndsWhereTheWorkerWasCalled() {
		StackTraceElement worker = new StackTraceElement("com.example.MailWorker", "perform", "MailWorker.java", 7);
		StackTraceElement performer = new StackTraceElement("io.lowkiq.engine.perform.Performer", "call", null, 1);
		StackTraceElement thread = new StackTraceElement("java.lang.Thread", "run", null, 1);
		Exception error = new Exception("lost");
		error.setStackTrace(new StackTraceElement[] { worker, performer, thread });
		assertThat(new StackTraceErrorFormatter().format(error)).contains("MailWorker.java:7")
			.doesNotContain("Performer", "Thread");
		error.setStackTrace(new StackTraceElement[] { performer, thread });
		assertThat(new StackTraceErrorFormatter().format(error)).contains("Performer", "Thread");
	}

	@Test
	void aCircleOfCausesEnds() {
		IllegalStateException first = new IllegalStateException("first");
		first.initCause(new IllegalStateException("second", first));
		assertThat(new StackTraceErrorFormatter().format(first)).contains("second");
	}

	@Test
	void keepsWhatWasSuppressed() {
		IllegalStateException error = new IllegalStateException("outer");
		error.addSuppressed(new IllegalArgumentException("when closed"));
		assertThat(new StackTraceErrorFormatter(100_000).format(error))
			.contains("Suppressed: java.lang.IllegalArgumentException: when closed");
	}

	@Test
	void anExceptionWhoseMethodsThrowIsPrintedAsFarAsItCanBe() {
		RuntimeException hostile = new RuntimeException("unseen") {

			@Override
			public String getMessage() {
				throw new IllegalStateException("boom");
			}

			@Override
			public synchronized Throwable getCause() {
				throw new AssertionError("boom");
			}

			@Override
			public String toString() {
				throw new NoClassDefFoundError("boom");
			}

		};
		String text = new StackTraceErrorFormatter().format(new IllegalStateException("outer", hostile));
		assertThat(text)
			.startsWith("java.lang.IllegalStateException: outer\nCaused by: " + hostile.getClass().getName())
			.contains("\tat io.lowkiq.engine.perform.StackTraceErrorFormatterTests.");
	}

	@Test
	void aHugeMessageLeavesRoomForTheCausesAndTheStackTrace() {
		Throwable error = new IllegalStateException("x".repeat(12_000_000), new IllegalArgumentException("inner"));
		assertThat(new StackTraceErrorFormatter().format(error)).hasSizeLessThanOrEqualTo(8_192)
			.contains("Caused by: java.lang.IllegalArgumentException: inner")
			.contains("\tat io.lowkiq.engine.perform.StackTraceErrorFormatterTests.");
	}

}
