package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Map;

import io.lowkiq.store.NewPayload;

/**
 * Where the jobs of a transaction go. Thread-safe.
 */
public interface TransactionTarget {

	/**
	 * The last step of a transaction before its commit. What it throws rolls the
	 * transaction back.
	 * @param jobs the payloads by queue, in their order
	 * @return whether the jobs are part of the transaction now; if not, they are given to
	 * {@link #afterCommit} later
	 */
	default boolean beforeCommit(Map<String, List<NewPayload>> jobs) {
		return false;
	}

	/**
	 * Takes jobs that did not become part of the transaction, after its commit. What it
	 * throws is logged: whoever called the method of the transaction would take it for
	 * failed, and run it again.
	 * @param queue the queue's name
	 * @param payloads the payloads, in their order
	 */
	void afterCommit(String queue, List<NewPayload> payloads);

	/**
	 * The transaction has been committed, or maybe it has.
	 */
	default void ended() {
	}

}
