package io.lowkiq.engine;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * The status of a server at a moment.
 *
 * @param session the node's session; null while it has none
 * @param startedAt when the server was started; null if it never was
 * @param failure why the server failed; null unless it did
 * @param storeProblem what the store answered last if it can't be reached; null if all is
 * well
 * @param clockDifference how far the node's clock differs from the store's, for people;
 * null if they agree within a second
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
	 * A shard that this node serves.
	 *
	 * @param holder the session that holds the lease as far as the node knows; null if
	 * none
	 * @param epoch the epoch of the node's lease; 0 if not held
	 * @param newer whether a newer version has written it, so that this node doesn't
	 * serve it
	 */
	public record ShardStatus(Shard shard, boolean held, @Nullable String holder, long epoch, Instant since,
			boolean newer) {
	}

	/**
	 * A performing thread.
	 *
	 * @param shard the shard whose jobs it performs; null if it waits
	 * @param ids the ids that it performs; empty if it performs none
	 */
	public record ThreadStatus(String name, @Nullable Shard shard, List<String> ids, Instant since) {
	}

}
