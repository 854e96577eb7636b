package io.lowkiq;

import java.util.List;

/**
 * Intercepts every run of a worker. Interceptors are beans, ordered by {@code @Order},
 * the lowest value outermost. Called on the performing thread.
 */
@FunctionalInterface
public interface PerformInterceptor {

	/**
	 * Intercepts a run.
	 * @param call what is performed
	 * @param chain call {@link Chain#proceed()} to continue; if it isn't called, the jobs
	 * are done without having been performed
	 * @throws Exception if the jobs have failed, except those that are marked done
	 */
	void perform(Call call, Chain chain) throws Exception;

	/**
	 * Surrounds the conclusion of a run, on the same thread: the results of the jobs are
	 * decided, a failure is logged, and observers are notified. Override it to give the
	 * line of a failure the context of the run. Called once after each run, even if an
	 * outer interceptor didn't let it get here. What it throws is ignored.
	 * @param call what was performed
	 * @param conclusion to be run once
	 */
	default void conclude(Call call, Runnable conclusion) {
		conclusion.run();
	}

	/**
	 * The jobs that one call of the worker performs.
	 *
	 * @param queue the queue's name
	 * @param shard the index of the shard in the queue
	 * @param jobs the jobs, with distinct ids; only one, unless the worker is a
	 * {@link BatchWorker}; not modifiable
	 * @param fencingToken the epoch of the lease (I6)
	 * @param producers who enqueued the payloads, if that was traced
	 */
	record Call(String queue, int shard, List<? extends Batch.Job<?>> jobs, long fencingToken, Producers producers) {

		/** A call whose producers are not traced. */
		public Call(String queue, int shard, List<? extends Batch.Job<?>> jobs, long fencingToken) {
			this(queue, shard, jobs, fencingToken, Producers.NONE);
		}
	}

	/** The rest of the interceptors, and the worker itself. */
	@FunctionalInterface
	interface Chain {

		/**
		 * Continues.
		 * @throws Exception what the worker throws
		 */
		void proceed() throws Exception;

	}

}
