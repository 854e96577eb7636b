package io.lowkiq;

/** How enqueueing takes part in a transaction. */
public enum TransactionMode {

	/**
	 * It doesn't: jobs are in the store when enqueueing returns, even if the transaction
	 * is rolled back later.
	 */
	OFF,

	/**
	 * Jobs are sent to the store right after the commit, and dropped on rollback. They
	 * are lost if the process dies in between, or if the store can't be reached at that
	 * moment.
	 */
	AFTER_COMMIT,

	/**
	 * The transaction itself writes the jobs to the table {@code lowkiq_outbox}, and they
	 * are sent from there to the store after the commit. Neither a crash nor an outage of
	 * the store loses them.
	 */
	OUTBOX

}
