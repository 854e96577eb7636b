package io.lowkiq.engine;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The status of a server. Null stands for no session, no start, no failure, a store that
 * answers, and clocks that agree within a second.
 */
public record ServerStatus(State state, String node, @Nullable String session, @Nullable Instant startedAt,
		@Nullable Throwable failure, @Nullable String storeProblem, @Nullable String clockDifference,
		List<RefusedQueue> refusedQueues, List<String> stoppedQueues, SortedMap<String, String> foreignQueues,
		List<ShardStatus> shards, List<ThreadStatus> threads, Map<String, String> unreadableJobs) {

	public enum State {

		/** Not started, or stopped. */
		STOPPED,

		/** Started, but it has no session yet because the store can't be reached. */
		STARTING,

		RUNNING,

		/** Not fetching any more; runs in progress are finished. */
		STOPPING,

		/** Stopped by an error that no job can be blamed for. */
		FAILED

	}

	/** A queue that the node can't serve. */
	public record RefusedQueue(String queue, String reason) {
	}

	/**
	 * A shard that this node serves. The holder is null if none is known, the epoch 0 if
	 * this node holds no lease; a newer shard was written by a newer version, and is not
	 * served.
	 */
	public record ShardStatus(Shard shard, boolean held, @Nullable String holder, long epoch, Instant since,
			boolean newer) {
	}

	/** A performing thread; without a shard and ids, it waits. */
	public record ThreadStatus(String name, @Nullable Shard shard, List<String> ids, Instant since) {
	}

}
