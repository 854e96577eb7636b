package io.lowkiq.autoconfigure.outbox;

import java.util.List;
import java.util.function.BiFunction;

import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NotEnqueued;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.Shard;

/**
 * Where the rows of the outbox go. Thread-safe.
 *
 * @param enqueue enqueues payloads, at least one, into the queue of a name; returns what
 * is not enqueued, or not certainly, empty if all are; throws a
 * {@link io.lowkiq.LowkiqException} if the queue can't be enqueued into
 */
record OutboxTarget(Enqueue enqueue, BiFunction<String, String, Shard> shardOf) {

	/** Enqueues payloads into the queue of a name, by calls with something in common. */
	@FunctionalInterface
	interface Enqueue {

		List<NotEnqueued> apply(String queue, List<NewPayload> payloads, OutboxCall call);

	}

}
