package io.lowkiq;

/** Decides what text of an exception is kept with a failed job. Thread-safe. */
@FunctionalInterface
public interface ErrorFormatter {

	/**
	 * Formats an exception as the text to keep.
	 * @param error what the perform threw
	 * @return the text, which is cut at 64 KiB
	 */
	String format(Throwable error);

}
