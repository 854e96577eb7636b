package io.lowkiq;

import java.time.Instant;

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
	 * The time from which the job was to be performed, by the clock of the store: that of
	 * its enqueue, or what was asked for, or that of its retry. For a batch, that of its
	 * first job.
	 * @return the time, in whole milliseconds
	 * @throws IllegalStateException if the thread performs no job
	 */
	Instant performAt();

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

	/**
	 * A client for what is to follow the job: whatever is enqueued through it takes
	 * effect exactly if the job is done. It is written to the store in the step that
	 * completes the job, and moved to its queue from there, by the next owner of the
	 * shard if the node dies. If the perform fails, nothing of it is enqueued.
	 * <p>
	 * What has been enqueued when a payload is done takes effect even if the others fail:
	 * in a {@link PayloadWorker} when the call for a payload returns, in a {@link Worker}
	 * with {@link #completed}.
	 * <p>
	 * Bad input is refused at once, as by any client. A delay and the default score are
	 * counted from when the payload reaches its queue. It is enqueued once, whatever dies
	 * meanwhile. The client can be used by other threads until the perform ends, and for
	 * no more than 1,000 payloads and 1 MiB of them.
	 * @return the client; it knows nothing of transactions
	 * @throws IllegalStateException if the thread performs no job, or several
	 */
	LowkiqClient onSuccess();

	/**
	 * The same for one job of a batch. It takes effect when that job is done, or if it is
	 * marked done, as far as it was enqueued before the mark.
	 * @param job the job
	 * @return the client
	 * @throws IllegalArgumentException if the thread does not perform that job
	 * @throws IllegalStateException if the thread performs no job
	 */
	LowkiqClient onSuccess(Batch.Job<?> job);

}
