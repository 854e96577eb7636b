package io.lowkiq.autoconfigure.outbox;

import java.util.List;

import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NotEnqueued;
import io.lowkiq.store.Shard;

/**
 * Where the rows of the outbox go. Thread-safe.
 */
interface OutboxTarget {

	/**
	 * Enqueues payloads.
	 * @param queue the queue's name
	 * @param payloads the payloads, at least one
	 * @return what is not enqueued, or not certainly; empty if all are
	 * @throws io.lowkiq.LowkiqException if the queue can't be enqueued into
	 */
	List<NotEnqueued> enqueue(String queue, List<NewPayload> payloads);

	/**
	 * The shard of an id.
	 * @param queue the name of a queue that has been enqueued into
	 * @param id the id
	 * @return its shard
	 */
	Shard shardOf(String queue, String id);

	/**
	 * A store as a target.
	 * @param store the store
	 * @return the target
	 */
	static OutboxTarget of(StoreEnqueuer store) {
		return new OutboxTarget() {

			@Override
			public List<NotEnqueued> enqueue(String queue, List<NewPayload> payloads) {
				return store.enqueueByShard(queue, payloads);
			}

			@Override
			public Shard shardOf(String queue, String id) {
				return store.shardOf(queue, id);
			}

		};
	}

}
