package io.lowkiq.autoconfigure.endpoint;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.lowkiq.store.inspection.ShardCounts;

/**
 * The answer of the endpoint {@code lowkiq} for a queue.
 *
 * @param name the queue's name
 * @param generation the generation of the number of shards
 * @param shards the shards in their order
 */
public record QueueDescriptor(String name, int generation, List<Shard> shards) implements OperationResponseBody {

	/**
	 * A shard.
	 *
	 * @param index the place in the queue
	 * @param fresh queued jobs that have not failed
	 * @param retry queued jobs that have failed
	 * @param busy jobs being performed
	 * @param dead ids in the morgue
	 * @param lag how long the oldest due job has been due, in seconds
	 * @param processed jobs done, ever
	 * @param failed failures, ever
	 * @param paused whether the queue is paused
	 * @param owner the session that holds it; null if it is free
	 * @param epoch the last epoch; 0 if there was none
	 * @param since since when it has had this owner; null if it is free
	 */
	public record Shard(int index, long fresh, long retry, long busy, long dead, double lag, long processed,
			long failed, boolean paused, @Nullable String owner, long epoch, @Nullable Instant since) {

		static Shard of(ShardCounts counts) {
			return new Shard(counts.shard().index(), counts.fresh(), counts.retry(), counts.busy(), counts.dead(),
					counts.lag() / 1000.0, counts.processed(), counts.failed(), counts.paused(), counts.session(),
					counts.epoch(), (counts.session() != null) ? Instant.ofEpochMilli(counts.since()) : null);
		}

	}

}
