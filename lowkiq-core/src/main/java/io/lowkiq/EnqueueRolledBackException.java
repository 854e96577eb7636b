package io.lowkiq;

/**
 * Thrown when a job was enqueued in a transaction that was rolled back, entirely or to a
 * savepoint. The job was not enqueued.
 */
public class EnqueueRolledBackException extends LowkiqException {

	private static final long serialVersionUID = 1L;

	public EnqueueRolledBackException() {
		super("The transaction in which the job was enqueued was rolled back: it was not enqueued");
	}

}
