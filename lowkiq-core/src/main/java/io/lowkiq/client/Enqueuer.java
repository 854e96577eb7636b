package io.lowkiq.client;

import java.util.List;

import io.lowkiq.store.NewPayload;

/**
 * Takes what a client has checked and encoded. Thread-safe.
 */
@FunctionalInterface
public interface Enqueuer {

	/**
	 * Enqueues payloads, now or later. Those of one id keep their order.
	 * @param queue the queue's name
	 * @param payloads the payloads, at least one
	 */
	void enqueue(String queue, List<NewPayload> payloads);

}
