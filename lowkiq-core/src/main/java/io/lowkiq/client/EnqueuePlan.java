package io.lowkiq.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardPayloads;

/**
 * Payloads turned into calls of the store: by shard, in their order, no call larger than
 * what a store answers quickly.
 */
final class EnqueuePlan {

	private static final int MAX_JOBS = 1_000;

	private static final int MAX_BYTES = 1 << 20;

	/** The chunk that is being filled, by the index of the shard. */
	private final Map<Integer, Chunk> open = new HashMap<>();

	private final List<Chunk> chunks = new ArrayList<>();

	/**
	 * Plans.
	 * @param queue the queue
	 * @param payloads the payloads
	 */
	EnqueuePlan(QueueLayout queue, List<NewPayload> payloads) {
		for (NewPayload payload : payloads) {
			add(queue, queue.shardIndexOf(payload.id()), payload);
		}
	}

	/** The calls to make, those of one shard in order. */
	List<ShardPayloads> calls() {
		return this.chunks.stream().map((chunk) -> new ShardPayloads(chunk.shard, chunk.payloads)).toList();
	}

	private void add(QueueLayout queue, int shard, NewPayload payload) {
		Chunk chunk = this.open.get(shard);
		if (chunk == null || !chunk.hasRoomFor(payload)) {
			chunk = new Chunk(queue.shard(shard));
			this.open.put(shard, chunk);
			this.chunks.add(chunk);
		}
		chunk.add(payload);
	}

	/** What goes into one shard by one call. */
	private static final class Chunk {

		private final Shard shard;

		private final List<NewPayload> payloads = new ArrayList<>();

		private long bytes;

		private Chunk(Shard shard) {
			this.shard = shard;
		}

		private boolean hasRoomFor(NewPayload payload) {
			return this.payloads.size() < MAX_JOBS && this.bytes + size(payload) <= MAX_BYTES;
		}

		private void add(NewPayload payload) {
			this.payloads.add(payload);
			this.bytes += size(payload);
		}

		private static long size(NewPayload payload) {
			return payload.payload().length + payload.id().length() * 3L;
		}

	}

}
