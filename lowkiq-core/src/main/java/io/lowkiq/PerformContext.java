package io.lowkiq;

/**
 * What a worker can learn about the perform that its thread is running. A bean; inject it
 * into the worker that needs it. Thread-safe: each thread sees its own perform.
 */
public interface PerformContext {

	/**
	 * The epoch of the lease under which the job is performed (I6): it grows with every
	 * new owner of the shard. A store that keeps the largest token it has seen can turn
	 * away a writer that lost its lease.
	 * @return the fencing token, positive
	 * @throws IllegalStateException if the thread performs no job
	 */
	long fencingToken();

	/**
	 * How often the job has failed, less one: -1 for a fresh job. For a batch, that of
	 * its first job.
	 * @return the retry count
	 * @throws IllegalStateException if the thread performs no job
	 */
	int retryCount();

	/**
	 * Whether the lease has run out while the job is performed. From then on another node
	 * may perform the same id, so a long perform should stop.
	 * @return true once the lease is lost
	 * @throws IllegalStateException if the thread performs no job
	 */
	boolean isLeaseLost();

	/**
	 * Whether newer payloads of the id, or of one of the ids of a batch, have been
	 * enqueued since the perform began: a long perform may stop early, because it will be
	 * called again. Asks the store, and waits for its answer.
	 * @return whether there are newer payloads
	 * @throws IllegalStateException if the thread performs no job
	 */
	boolean newerWaiting();

	/**
	 * Says how far a {@link Worker} has got with its list: the first payloads are done,
	 * and are not performed again even if the perform fails. If it fails, the payload
	 * after them is the one that failed. Without this call, all payloads have failed
	 * together.
	 * @param payloads how many payloads are done, 0 to the size of the list
	 * @throws IllegalArgumentException if the list is not that long
	 * @throws IllegalStateException if the thread performs no job of a {@link Worker}
	 */
	void completed(int payloads);

}
