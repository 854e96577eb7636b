package io.lowkiq.engine.perform;

import java.io.PrintWriter;
import java.io.Writer;

import io.lowkiq.ErrorFormatter;
import io.lowkiq.internal.PrintableThrowable;

/** Keeps class, message, causes and stack trace, up to a maximum length. */
public final class StackTraceErrorFormatter implements ErrorFormatter {

	public static final int DEFAULT_MAX_LENGTH = 8_192;

	private static final String CUT = "…";

	private final int maxLength;

	/** Creates a formatter that keeps {@value #DEFAULT_MAX_LENGTH} characters. */
	public StackTraceErrorFormatter() {
		this(DEFAULT_MAX_LENGTH);
	}

	public StackTraceErrorFormatter(int maxLength) {
		if (maxLength < 1) {
			throw new IllegalArgumentException("maxLength is %s; it must be at least 1".formatted(maxLength));
		}
		this.maxLength = maxLength;
	}

	@Override
	public String format(Throwable error) {
		PrintableThrowable printable = PrintableThrowable.of(error, Math.max(100, this.maxLength / 4));
		StringBuilder text = new StringBuilder(causes(printable)).append('\n');
		BoundedWriter writer = new BoundedWriter(text, this.maxLength);
		printable.printStackTrace(new PrintWriter(writer));
		return cut(text);
	}

	/** The classes and messages, outermost first, so that a cut keeps all causes. */
	private static String causes(PrintableThrowable error) {
		StringBuilder text = new StringBuilder(error.toString());
		Throwable cause = error.getCause();
		while (cause != null) {
			text.append("\nCaused by: ").append(cause);
			cause = cause.getCause();
		}
		return text.toString();
	}

	private String cut(StringBuilder text) {
		if (text.length() <= this.maxLength) {
			return text.toString().stripTrailing();
		}
		int end = this.maxLength - CUT.length();
		if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
			end--;
		}
		return text.substring(0, end) + CUT;
	}

	/** Drops what goes beyond a length, so that a deep stack costs no memory. */
	private static final class BoundedWriter extends Writer {

		private final StringBuilder text;

		private final int maxLength;

		BoundedWriter(StringBuilder text, int maxLength) {
			this.text = text;
			this.maxLength = maxLength;
		}

		@Override
		public void write(char[] chars, int offset, int length) {
			int room = this.maxLength + 1 - this.text.length();
			if (room > 0) {
				this.text.append(chars, offset, Math.min(room, length));
			}
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
		}

	}

}
