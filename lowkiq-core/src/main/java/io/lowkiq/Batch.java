package io.lowkiq;

import java.util.List;

/**
 * Jobs with distinct ids that a {@link BatchWorker} performs together. Not thread-safe: a
 * worker that passes jobs to its own threads must mark them on the performing thread.
 *
 * @param <P> the type of the payloads
 */
public interface Batch<P> extends Iterable<Batch.Job<P>> {

	/**
	 * The jobs of the batch, ordered by performAt.
	 * @return the jobs, never empty, not modifiable
	 */
	List<Job<P>> jobs();

	/**
	 * The epoch of the lease under which the batch is performed (I6). It grows with every
	 * new owner of the shard, so a store that remembers the largest token it has seen can
	 * reject a writer that has lost its lease.
	 * @return the fencing token, positive
	 */
	long fencingToken();

	/**
	 * Whether the lease has been lost while the batch is being performed. From then on,
	 * another node may perform the same ids, so a long perform should stop.
	 * @return true once the lease is lost
	 */
	boolean isLeaseLost();

	/**
	 * One id with its payloads.
	 *
	 * @param <P> the type of the payloads
	 */
	interface Job<P> {

		/**
		 * The job's id.
		 * @return the id
		 */
		String id();

		/**
		 * The payloads that waited together, in ascending order of score (I2).
		 * @return the payloads, never empty, not modifiable
		 */
		List<P> payloads();

		/**
		 * The scores of the {@link #payloads()}, in the same order.
		 * @return the scores, not modifiable
		 */
		List<Double> scores();

		/**
		 * The number of failures of the job minus one: -1 for a fresh job.
		 * @return the retry count
		 */
		int retryCount();

		/**
		 * Marks the job done, regardless of the rest of the batch. The last mark counts.
		 * Payloads that were marked individually keep their own marks.
		 */
		void done();

		/**
		 * Marks the job failed, regardless of the rest of the batch. The last mark
		 * counts. Payloads that were marked individually keep their own marks.
		 * @param error the error to keep with the job
		 */
		void fail(Throwable error);

		/**
		 * Marks one payload done: it is not performed again, regardless of the others.
		 * The last mark of the payload counts.
		 * @param payload the index in {@link #payloads()}
		 * @throws IndexOutOfBoundsException if there is no such payload
		 */
		void done(int payload);

		/**
		 * Marks one payload failed: it is performed again, regardless of the others, or
		 * buried or discarded if the error requires it. The last mark of the payload
		 * counts.
		 * @param payload the index in {@link #payloads()}
		 * @param error the error to keep with the job
		 * @throws IndexOutOfBoundsException if there is no such payload
		 */
		void fail(int payload, Throwable error);

	}

}
