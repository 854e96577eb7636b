package io.lowkiq.engine.perform;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a throwable that is safe to log: user code can make {@code getMessage()}
 * throw, return megabytes, or nest causes without end.
 */
@SuppressWarnings("OverrideThrowableToString") // the class named is that of the original
final class PrintableFailure extends Throwable {

	private static final long serialVersionUID = 1L;

	private static final int MAX_MESSAGE_LENGTH = 2_000;

	private static final int MAX_FRAMES = 200;

	private static final int MAX_CAUSES = 10;

	private final String text;

	private PrintableFailure(String text, StackTraceElement[] frames, @Nullable Throwable cause) {
		super(text, cause, false, true);
		this.text = text;
		setStackTrace(frames);
	}

	/**
	 * Copies a throwable with its causes; suppressed exceptions are left out.
	 * @param thrown what user code threw
	 * @return the copy
	 */
	static PrintableFailure of(Throwable thrown) {
		return of(thrown, MAX_CAUSES);
	}

	private static PrintableFailure of(Throwable thrown, int causes) {
		StackTraceElement[] frames = {};
		Throwable cause = null;
		try {
			frames = thrown.getStackTrace();
			cause = thrown.getCause();
		}
		catch (Throwable ex) {
			// What could be read is enough
		}
		if (frames.length > MAX_FRAMES) {
			frames = Arrays.copyOf(frames, MAX_FRAMES);
		}
		return new PrintableFailure(describe(thrown), frames,
				(cause != null && causes > 0) ? of(cause, causes - 1) : null);
	}

	/**
	 * The class and the message of a throwable, cut to a printable length.
	 * @param thrown what user code threw
	 * @return the text
	 */
	static String describe(Throwable thrown) {
		String name = thrown.getClass().getName();
		try {
			String message = thrown.getLocalizedMessage();
			return (message != null) ? name + ": " + cut(message) : name;
		}
		catch (Throwable ex) {
			return name + " (its message can't be read: " + ex.getClass().getName() + ")";
		}
	}

	private static String cut(String message) {
		return (message.length() <= MAX_MESSAGE_LENGTH) ? message : message.substring(0, MAX_MESSAGE_LENGTH) + "…";
	}

	@Override
	public String toString() {
		return this.text;
	}

}
