package io.lowkiq;

import java.util.regex.Pattern;

import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/** The rules for the names of queues and the ids of jobs. */
public final class Ids {

	private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._-]{1,200}");

	private Ids() {
	}

	/**
	 * Checks the id of a job.
	 * @param id the id to check
	 * @return the id
	 * @throws InvalidJobException if it is null, empty, longer than
	 * {@link JobRequest#MAX_ID_BYTES} bytes in UTF-8, or contains half a surrogate pair
	 */
	public static String check(@Nullable String id) {
		if (id == null || id.isEmpty()) {
			throw new InvalidJobException("The id of a job is null or empty");
		}
		int bytes = 0;
		for (int i = 0; i < id.length(); i++) {
			char c = id.charAt(i);
			if (Character.isHighSurrogate(c) && i + 1 < id.length() && Character.isLowSurrogate(id.charAt(i + 1))) {
				bytes += 4;
				i++;
			}
			else if (Character.isSurrogate(c)) {
				throw new InvalidJobException(
						"The id of a job has half a surrogate pair at position %s, which UTF-8 can't represent"
							.formatted(i));
			}
			else {
				bytes += (c < 0x80) ? 1 : (c < 0x800) ? 2 : 3;
			}
		}
		if (bytes > JobRequest.MAX_ID_BYTES) {
			throw new InvalidJobException("The id of a job is %s bytes long in UTF-8; at most %s are allowed: %s"
				.formatted(bytes, JobRequest.MAX_ID_BYTES, LogText.of(id, 40)));
		}
		return id;
	}

	/**
	 * Checks the name of a queue.
	 * @param queue the name to check
	 * @return the name
	 * @throws InvalidQueueException if it doesn't consist of 1 to 200 letters, digits,
	 * {@code .}, {@code _} or {@code -}
	 */
	public static String checkQueue(@Nullable String queue) {
		if (queue == null || !QUEUE.matcher(queue).matches()) {
			throw new InvalidQueueException("'%s' is not a queue name: use 1 to 200 letters, digits, '.', '_' or '-'"
				.formatted((queue != null) ? LogText.of(queue) : null));
		}
		return queue;
	}

}
