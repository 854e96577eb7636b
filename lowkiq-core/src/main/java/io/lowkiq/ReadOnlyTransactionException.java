package io.lowkiq;

/**
 * Thrown when a job is enqueued through the outbox in a read-only transaction, which
 * can't write it. Nothing is enqueued.
 */
public class ReadOnlyTransactionException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public ReadOnlyTransactionException() {
		super("A job can't be enqueued in a read-only transaction, because the outbox is a table. "
				+ "Make the transaction read-write, or enqueue with client.transactional(TransactionMode.OFF)");
	}

}
