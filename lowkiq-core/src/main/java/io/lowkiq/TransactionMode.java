package io.lowkiq;

/**
 * What enqueueing has to do with the transaction in which it happens.
 */
public enum TransactionMode {

	/**
	 * Nothing: jobs are in the store when enqueueing returns, even if the transaction is
	 * rolled back later.
	 */
	OFF,

	/**
	 * Jobs go to the store right after the commit, and nowhere on rollback. They are lost
	 * if the process dies in between, or if the store is out of reach then.
	 */
	AFTER_COMMIT,

	/**
	 * Jobs are written to the table {@code lowkiq_outbox} by the transaction itself, and
	 * go from there to the store after the commit. Neither a crash nor an outage of the
	 * store loses one.
	 */
	OUTBOX

}
