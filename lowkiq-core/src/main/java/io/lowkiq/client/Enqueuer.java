package io.lowkiq.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.store.job.NewPayload;

/** Takes what a client has checked and encoded. Thread-safe. */
@FunctionalInterface
public interface Enqueuer {

	/** Enqueues at least one payload, now or later. */
	void enqueue(String queue, List<NewPayload> payloads);

	/** Enqueues payloads without waiting for the store, where that can be done. */
	default CompletableFuture<Void> enqueueAsync(String queue, List<NewPayload> payloads) {
		try {
			enqueue(queue, payloads);
			return CompletableFuture.completedFuture(null);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
