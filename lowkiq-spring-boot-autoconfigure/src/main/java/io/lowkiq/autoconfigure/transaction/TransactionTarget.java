package io.lowkiq.autoconfigure.transaction;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.store.job.NewPayload;

/** Where the jobs of a transaction go: into it, or to the store after it. Thread-safe. */
public interface TransactionTarget {

	/**
	 * Into the transaction, before its commit. What it throws rolls the transaction back.
	 */
	default void write(Map<String, List<NewPayload>> jobs) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Sends changes that are still in memory to the database, so that their locks are
	 * held before jobs get their order. May enqueue more.
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
