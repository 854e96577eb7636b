package io.lowkiq;

import java.time.Instant;

/**
 * Tells a worker about the run in progress on its thread. It is a bean; inject it into
 * workers that need it. Thread-safe: each thread sees its own run.
 */
public interface PerformContext {

	/**
	 * The epoch of the lease under which the job is performed (I6). It grows with every
	 * new owner of the shard, so a store that remembers the largest token it has seen can
	 * reject a writer that has lost its lease.
	 * @return the fencing token, positive
	 * @throws IllegalStateException if the thread is not performing a job
	 */
	long fencingToken();

	/**
	 * The number of the retry, counted as in the Ruby gem: -1 in the first attempt, 0 in
	 * the second one, which is the first retry, and so on. Log lines count attempts
	 * instead: "attempt 1 of 26" is the one with the retry count -1. For a batch, the
	 * retry count of its first job.
	 * @return the retry count
	 * @throws IllegalStateException if the thread is not performing a job
	 */
	int retryCount();

	/**
	 * The time at which the job became due, by the clock of the store: when it was
	 * enqueued, the requested time, or the time of its retry. For a batch, the time of
	 * its first job.
	 * @return the time, in whole milliseconds
	 * @throws IllegalStateException if the thread is not performing a job
	 */
	Instant performAt();

	/**
	 * Whether the lease has been lost while the job is being performed: that of the node,
	 * or that of the job's shard alone. From then on, another node may perform the same
	 * id, and the outcome of this run is not applied, so a long run should stop. A lease
	 * whose answer was lost, and which the node got back with the job, is not lost.
	 * @return true once the lease is lost
	 * @throws IllegalStateException if the thread is not performing a job
	 */
	boolean isLeaseLost();

	/**
	 * Whether newer payloads of the id, or of one of the ids of a batch, have been
	 * enqueued since the run began. If so, a long run may stop early, because the worker
	 * will be called again. This method asks the store and waits for its answer.
	 * @return whether there are newer payloads
	 * @throws IllegalStateException if the thread is not performing a job
	 */
	boolean newerWaiting();

	/**
	 * Reports the progress of a {@link Worker}: the first payloads of its list are done
	 * and are not performed again, even if the run fails. Call it after their effects are
	 * written, not before. If the run fails, the failure is that of the next payload; if
	 * all payloads are done by then, it is logged and counted, and nothing is retried.
	 * Without this call, all payloads fail together.
	 * @param payloads how many payloads are done, 0 to the size of the list
	 * @throws IllegalArgumentException if the number is out of that range
	 * @throws IllegalStateException if the thread is not performing a job of a
	 * {@link Worker}
	 */
	void completed(int payloads);

	/**
	 * Returns a client for jobs that follow this one: what is enqueued through it takes
	 * effect if and only if this job is done. It is written to the store in the step that
	 * completes the job, and moved from there to its queue, by the next owner of the
	 * shard if the node dies. If the perform fails, none of it is enqueued.
	 * <p>
	 * What was enqueued before a payload was done takes effect even if later payloads
	 * fail. In a {@link PayloadWorker}, a payload is done when the call for it returns;
	 * in a {@link Worker}, when {@link #completed} is called.
	 * <p>
	 * Enqueueing throws the same exceptions for invalid requests as any other client,
	 * except for an unknown queue: what is enqueued waits until some application serves
	 * or declares that queue. A queue that this application declares may have to be
	 * recorded first, so a {@link LowkiqException} is thrown while the store can't be
	 * reached. If the worker lets it propagate, the perform fails and is retried.
	 * <p>
	 * A delay and the default score are counted from the time at which the payload
	 * reaches its queue. The payload is enqueued exactly once, even if a node dies in
	 * between. Other threads may use the client until the perform ends. It takes at most
	 * 1,000 payloads with a total size of 1 MiB.
	 * @return the client; it does not take part in transactions
	 * @throws IllegalStateException if the thread is not performing a job, or several
	 */
	LowkiqClient onSuccess();

	/**
	 * Returns a client as {@link #onSuccess()} does, for one job of a batch. What is
	 * enqueued through it takes effect when that job is done. If the job is marked done,
	 * this applies to what was enqueued before the mark.
	 * @param job the job
	 * @return the client
	 * @throws IllegalArgumentException if the thread is not performing that job
	 * @throws IllegalStateException if the thread is not performing a job
	 */
	LowkiqClient onSuccess(Batch.Job<?> job);

}
