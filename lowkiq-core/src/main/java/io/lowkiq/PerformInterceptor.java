package io.lowkiq;

import java.util.List;

/**
 * Runs around every perform. Interceptors are beans, ordered by {@code @Order}, the
 * lowest value outermost. Called on the performing thread.
 */
@FunctionalInterface
public interface PerformInterceptor {

	/**
	 * Intercepts a perform.
	 * @param call what is performed
	 * @param chain call {@link Chain#proceed()} to continue; not calling it marks the
	 * jobs done without performing them
	 * @throws Exception if the jobs that are not marked done have failed
	 */
	void perform(Call call, Chain chain) throws Exception;

	/**
	 * What is performed by one call of the worker.
	 *
	 * @param queue the queue's name
	 * @param shard the index of the shard in the queue
	 * @param jobs the jobs with distinct ids, one unless the worker is a
	 * {@link BatchWorker}; not modifiable
	 * @param fencingToken the epoch of the lease (I6)
	 * @param producers who enqueued the payloads, as far as it was traced
	 */
	record Call(String queue, int shard, List<? extends Batch.Job<?>> jobs, long fencingToken, Producers producers) {

		/**
		 * A call whose producers are not traced.
		 */
		public Call(String queue, int shard, List<? extends Batch.Job<?>> jobs, long fencingToken) {
			this(queue, shard, jobs, fencingToken, Producers.NONE);
		}
	}

	/**
	 * The rest of the interceptors, and the worker itself.
	 */
	@FunctionalInterface
	interface Chain {

		/**
		 * Continues.
		 * @throws Exception what the worker throws
		 */
		void proceed() throws Exception;

	}

}
