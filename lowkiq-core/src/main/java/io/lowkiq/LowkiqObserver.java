package io.lowkiq;

import java.time.Duration;
import java.util.List;

/**
 * Notified of what the client and the server do, for instance for metrics. Its methods
 * are called on the thread that does it, so they must return quickly. Implementations
 * must be thread-safe.
 */
public interface LowkiqObserver {

	/** An observer that ignores everything. */
	LowkiqObserver NONE = new LowkiqObserver() {
	};

	/**
	 * Returns an observer that notifies others. What one of them throws is logged, and
	 * the others are notified nevertheless.
	 * @param observers the others, in their order
	 * @return an observer that doesn't throw
	 */
	static LowkiqObserver guarded(List<? extends LowkiqObserver> observers) {
		return new GuardedObserver(observers);
	}

	/**
	 * Jobs were enqueued.
	 * @param queue the queue's name
	 * @param jobs the number of jobs
	 * @param merged how many of them merged with a job that was already queued
	 * @param took the time from the call to the store's answer
	 */
	default void enqueued(String queue, int jobs, int merged, Duration took) {
	}

	/**
	 * An enqueue threw.
	 * @param queue the queue's name
	 * @param jobs the number of jobs
	 * @param took the time from the call to the exception
	 */
	default void enqueueFailed(String queue, int jobs, Duration took) {
	}

	/**
	 * A worker is about to be called for a job.
	 * @param queue the queue's name
	 * @param payloads the number of the job's payloads that it gets
	 * @param waited how long the job has been due; if it was not delayed, the time since
	 * it was enqueued
	 */
	default void begins(String queue, int payloads, Duration waited) {
	}

	/**
	 * A worker was called.
	 * @param queue the queue's name
	 * @param done the number of ids done
	 * @param failed the number of ids failed
	 * @param took the time the worker took
	 */
	default void performed(String queue, int done, int failed, Duration took) {
	}

	/**
	 * A worker was called for payloads of a job, and their result is decided. The store
	 * doesn't know it yet. Called once for successive payloads with the same result.
	 * @param job the payloads and their result
	 */
	default void performed(PerformedJob job) {
	}

	/**
	 * Payloads went to the morgue.
	 * @param queue the queue's name
	 * @param payloads the number of payloads
	 */
	default void buried(String queue, int payloads) {
	}

	/**
	 * This node moved payloads of a job to the morgue.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param payloads the number of payloads
	 * @param error the reason, as kept with the job, without its earlier attempts
	 */
	default void buried(String queue, String id, int payloads, String error) {
	}

	/**
	 * The store refused a call because the shard has a new owner (I6).
	 * @param queue the queue's name
	 */
	default void fenced(String queue) {
	}

	/**
	 * Jobs begin in a queue with groups, and their ids name no group.
	 * @param queue the queue's name
	 * @param jobs the number of jobs
	 */
	default void ungrouped(String queue, int jobs) {
	}

	/** This node lost its leases before it gave them back. */
	default void leaseLost() {
	}

	/**
	 * The store has forgotten all nodes and queues, and this node was the first to
	 * notice.
	 */
	default void everythingForgotten() {
	}

	/**
	 * The store has forgotten calls that it had answered, in shards of this node, as
	 * after a failover. Called once for each time.
	 * @param shards the number of shards
	 */
	default void callsForgotten(int shards) {
	}

	/**
	 * Jobs of a shard were put back because their owner crashed or its answer was lost.
	 * @param queue the queue's name
	 * @param jobs the number of jobs
	 */
	default void restored(String queue, int jobs) {
	}

}
