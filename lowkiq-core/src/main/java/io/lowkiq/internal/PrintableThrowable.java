package io.lowkiq.internal;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a throwable that is safe to print, regardless of its class: methods like
 * {@link Throwable#getMessage()} may throw or return megabytes, and causes may form a
 * cycle.
 */
public final class PrintableThrowable extends Throwable {

	private static final long serialVersionUID = 1L;

	private static final int MAX_MESSAGE_LENGTH = 2_000;

	private static final int MAX_FRAMES = 200;

	/** Calls workers. */
	private static final String PERFORMER = "io.lowkiq.engine.perform.Performer";

	/** Includes the throwable itself, its causes and their suppressed exceptions. */
	private static final int MAX_COPIES = 20;

	private final String text;

	private PrintableThrowable(String text, @Nullable Throwable cause) {
		super(text, cause, true, true);
		this.text = text;
	}

	/** Does nothing: the frames are those of the copied throwable. */
	@Override
	@SuppressWarnings("UnsynchronizedOverridesSynchronized")
	public Throwable fillInStackTrace() {
		return this;
	}

	/** Logs the throwable, for error trackers, or a copy if printing it could do harm. */
	public static void log(Throwable thrown, Consumer<Throwable> line) {
		boolean harmless = isHarmless(thrown, Collections.newSetFromMap(new IdentityHashMap<>()));
		line.accept(harmless ? thrown : of(thrown));
	}

	private static boolean isHarmless(Throwable thrown, Set<Throwable> seen) {
		try {
			if (!isToBeCopied(thrown, seen) || !isHarmless(thrown.getMessage()) || !isHarmless(thrown.toString())
					|| thrown.getStackTrace().length > MAX_FRAMES) {
				return false;
			}
			seen.add(thrown);
			Throwable cause = thrown.getCause();
			return (cause == null || isHarmless(cause, seen))
					&& Stream.of(thrown.getSuppressed()).allMatch((suppressed) -> isHarmless(suppressed, seen));
		}
		catch (Throwable ex) {
			return false;
		}
	}

	private static boolean isHarmless(@Nullable String text) {
		return text == null || LogText.of(text, MAX_MESSAGE_LENGTH).equals(text);
	}

	/** Copies a throwable with its causes and their suppressed exceptions. */
	public static PrintableThrowable of(Throwable thrown) {
		return copy(thrown, (message) -> LogText.of(message, MAX_MESSAGE_LENGTH));
	}

	/** Copies a throwable and keeps the line breaks of its messages. */
	public static PrintableThrowable of(Throwable thrown, int maxMessageLength) {
		return copy(thrown, (message) -> cut(message, maxMessageLength));
	}

	private static PrintableThrowable copy(Throwable thrown, UnaryOperator<String> kept) {
		return copy(thrown, kept, Collections.newSetFromMap(new IdentityHashMap<>()));
	}

	private static PrintableThrowable copy(Throwable thrown, UnaryOperator<String> kept, Set<Throwable> copied) {
		copied.add(thrown);
		Throwable cause = cause(thrown);
		boolean withCause = cause != null && isToBeCopied(cause, copied);
		PrintableThrowable copy = new PrintableThrowable(describe(thrown, kept),
				(cause != null && withCause) ? copy(cause, kept, copied) : null);
		copy.setStackTrace(frames(thrown));
		for (Throwable suppressed : thrown.getSuppressed()) {
			if (isToBeCopied(suppressed, copied)) {
				copy.addSuppressed(copy(suppressed, kept, copied));
			}
		}
		return copy;
	}

	private static boolean isToBeCopied(Throwable thrown, Set<Throwable> copied) {
		return copied.size() < MAX_COPIES && !copied.contains(thrown);
	}

	private static @Nullable Throwable cause(Throwable thrown) {
		try {
			return thrown.getCause();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	private static StackTraceElement[] frames(Throwable thrown) {
		try {
			StackTraceElement[] frames = thrown.getStackTrace();
			return Arrays.copyOf(frames, framesToKeep(frames));
		}
		catch (Throwable ex) {
			return new StackTraceElement[0];
		}
	}

	private static int framesToKeep(StackTraceElement[] frames) {
		int most = Math.min(frames.length, MAX_FRAMES);
		for (int i = 1; i < most; i++) {
			if (frames[i].getClassName().equals(PERFORMER)) {
				return i;
			}
		}
		return most;
	}

	/** The class and the message on one line, cut to a printable length. */
	public static String describe(Throwable thrown) {
		return describe(thrown, (message) -> LogText.of(message, MAX_MESSAGE_LENGTH));
	}

	private static String describe(Throwable thrown, UnaryOperator<String> kept) {
		String name = thrown.getClass().getName();
		try {
			String message = thrown.getLocalizedMessage();
			return (message != null) ? name + ": " + kept.apply(message) : name;
		}
		catch (Throwable ex) {
			return name + " (its message can't be read: " + ex.getClass().getName() + ")";
		}
	}

	private static String cut(String message, int maxLength) {
		int end = LogText.cut(message, maxLength);
		return (end < message.length()) ? message.substring(0, end) + "…" : message;
	}

	/** The class and the message of the copied throwable. */
	@Override
	@SuppressWarnings("OverrideThrowableToString") // it stands for another class
	public String toString() {
		return this.text;
	}

}
