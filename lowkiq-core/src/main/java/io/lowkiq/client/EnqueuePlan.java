package io.lowkiq.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.lowkiq.JobRequest;
import io.lowkiq.PayloadCodec;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardPayloads;

/**
 * Requests turned into calls of the store: by shard, in the order of the requests, no
 * call larger than what a store answers quickly. Made before the first call, so that a
 * payload that can't be encoded costs no other one its place.
 */
final class EnqueuePlan {

	private static final int MOST_JOBS = 1_000;

	private static final int MOST_BYTES = 1 << 20;

	/** The chunk that is being filled, by the index of the shard. */
	private final Map<Integer, Chunk> open = new HashMap<>();

	private final List<Chunk> chunks = new ArrayList<>();

	/**
	 * Plans.
	 * @param queue the queue
	 * @param requests the requests
	 * @param payloadType the worker's payload type; null if it isn't known
	 * @param codec turns payloads into bytes
	 * @throws io.lowkiq.PayloadException if a payload can't be encoded
	 */
	EnqueuePlan(QueueLayout queue, List<JobRequest<?>> requests, @Nullable Type payloadType, PayloadCodec codec) {
		for (JobRequest<?> request : requests) {
			Object payload = request.payload();
			byte[] bytes = codec.encode(payload, (payloadType != null) ? payloadType : payload.getClass());
			add(queue, queue.shardIndexOf(request.id()), newPayload(request, bytes));
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

	private static NewPayload newPayload(JobRequest<?> request, byte[] payload) {
		Instant performAt = request.performAt();
		Duration performIn = request.performIn();
		return new NewPayload(request.id(), payload, request.score(), millis(performAt),
				(performIn != null) ? ceilMillis(performIn) : 0);
	}

	/** Rounded up: a job is never started before its time. */
	private static @Nullable Long millis(@Nullable Instant time) {
		return (time != null) ? ceilMillis(Duration.between(Instant.EPOCH, time)) : null;
	}

	private static long ceilMillis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
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
			return this.payloads.size() < MOST_JOBS && this.bytes + size(payload) <= MOST_BYTES;
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
