package io.lowkiq;

/**
 * Decides what is kept of an exception with a failed job. Thread-safe.
 */
@FunctionalInterface
public interface ErrorFormatter {

	/**
	 * Turns an exception into the text that is kept.
	 * @param error what the perform threw
	 * @return the text; more than 64 KiB of it are cut off
	 */
	String format(Throwable error);

}
