package io.lowkiq.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.PackedPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;

/** Payloads as calls of the store: by shard, in order, each quickly answered. */
final class EnqueuePlan {

	/** The chunk that is being filled, by the index of the shard. */
	private final Map<Integer, Chunk> open = new HashMap<>();

	private final List<Chunk> chunks = new ArrayList<>();

	private final List<ShardPayloads> calls = new ArrayList<>();

	EnqueuePlan(QueueLayout queue, List<NewPayload> payloads) {
		for (int i = 0; i < payloads.size(); i++) {
			add(queue, i, payloads.get(i));
		}
	}

	/** The calls to make, those of one shard in order. */
	List<ShardPayloads> calls() {
		return this.calls;
	}

	List<ShardRefusal> notEnqueued(Map<Integer, StoreException> problems) {
		Map<Shard, ShardRefusal> byShard = new LinkedHashMap<>();
		new TreeMap<>(problems).forEach((number, problem) -> {
			Chunk chunk = this.chunks.get(number);
			Shard shard = chunk.call.shard();
			byShard.merge(shard, new ShardRefusal(shard, chunk.positions, problem), EnqueuePlan::together);
		});
		return List.copyOf(byShard.values());
	}

	private static ShardRefusal together(ShardRefusal first, ShardRefusal next) {
		return new ShardRefusal(first.shard(),
				Stream.concat(first.positions().stream(), next.positions().stream()).toList(), first.problem());
	}

	private void add(QueueLayout queue, int position, NewPayload payload) {
		int shard = queue.shardIndexOf(payload.id());
		Chunk chunk = this.open.get(shard);
		if (chunk == null || !chunk.hasRoomFor(payload)) {
			chunk = new Chunk(new ShardPayloads(queue.shard(shard), new ArrayList<>()));
			this.open.put(shard, chunk);
			this.chunks.add(chunk);
			this.calls.add(chunk.call);
		}
		chunk.add(position, payload);
	}

	/** The payloads that go into one shard by one call. */
	private static final class Chunk {

		private final ShardPayloads call;

		private final List<Integer> positions = new ArrayList<>();

		private long bytes;

		private Chunk(ShardPayloads call) {
			this.call = call;
		}

		private boolean hasRoomFor(NewPayload payload) {
			return this.positions.size() < ShardPayloads.MAX_PAYLOADS
					&& this.bytes + PackedPayload.size(payload) <= ShardPayloads.MAX_BYTES;
		}

		private void add(int position, NewPayload payload) {
			this.positions.add(position);
			this.call.payloads().add(payload);
			this.bytes += PackedPayload.size(payload);
		}

	}

}
