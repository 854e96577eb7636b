package io.lowkiq.autoconfigure.transaction;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.store.NewPayload;

/**
 * Where the jobs of a transaction go: into the transaction, through
 * {@link TransactionJobs#beforeCommit}, or to the store after it. Thread-safe.
 */
public interface TransactionTarget {

	/**
	 * Makes jobs part of this thread's transaction, which has not been committed. What it
	 * throws rolls the transaction back.
	 */
	default void write(Map<String, List<NewPayload>> jobs) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Sends the changes that the transaction still keeps in memory to its database, so
	 * that their locks are held before jobs get their order. May enqueue more.
	 */
	default void flush() {
	}

	/** The transaction with the jobs that were written was committed. */
	default void committed(boolean isLate) {
	}

	/** Takes jobs that are not part of the transaction, after its commit. */
	CompletableFuture<Void> afterCommit(String queue, List<NewPayload> payloads);

	/** A transaction with jobs was committed, and they were not made part of it. */
	default void missed() {
	}

	/** The transaction has been committed, or maybe it has. */
	default void ended() {
	}

}
