package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a job is enqueued through the outbox by a connection to another database
 * than the one whose rows are sent. Nothing is enqueued.
 */
public class OtherDatabaseException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	/**
	 * An exception.
	 * @param actual the URL of the connection
	 * @param expected the URL of the database whose rows are sent; null if it has not
	 * been reached yet
	 */
	public OtherDatabaseException(String actual, @Nullable String expected) {
		super((expected != null)
				? "A job can't be enqueued by a connection to %s, because the outbox only sends the rows of %s. "
					.formatted(actual, expected)
						+ "Enqueue when the data source chooses that database, or with client.transactional(TransactionMode.AFTER_COMMIT)"
				: "A job can't be enqueued by a connection to %s, because the database whose rows the outbox sends has not been reached yet. "
					.formatted(actual) + "Enqueue again later");
	}

}
