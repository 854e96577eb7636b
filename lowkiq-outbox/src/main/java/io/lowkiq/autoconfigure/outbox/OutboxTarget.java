package io.lowkiq.autoconfigure.outbox;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import io.lowkiq.StoreException;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.OutboxCall;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;

/**
 * Where the rows of the outbox go. Thread-safe.
 *
 * @param enqueue returns what is not, or not certainly, enqueued; throws a
 * {@link io.lowkiq.LowkiqException} if the queue can't be enqueued into
 * @param ask returns the shards that don't have all calls of an outbox, or have not
 * answered
 */
record OutboxTarget(Enqueue enqueue, BiFunction<List<Shard>, OutboxCall, Map<Shard, StoreException>> ask,
		BiFunction<String, String, Shard> shardOf) {

	static OutboxTarget of(StoreEnqueuer store) {
		return new OutboxTarget(store::enqueueFenced, store::ask, store::shardOf);
	}

	/** Enqueues payloads into the queue of a name, by calls with something in common. */
	@FunctionalInterface
	interface Enqueue {

		List<ShardRefusal> apply(String queue, List<NewPayload> payloads, OutboxCall call);

	}

}
