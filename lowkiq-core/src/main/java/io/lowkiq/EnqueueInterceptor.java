package io.lowkiq;

import java.util.List;

/**
 * Runs around every enqueue. Interceptors are beans, ordered by {@code @Order}, the
 * lowest value outermost. Called on the enqueueing thread.
 */
@FunctionalInterface
public interface EnqueueInterceptor {

	/**
	 * Intercepts an enqueue.
	 * @param call what is enqueued
	 * @param chain call {@link Chain#proceed(Call)} to continue with the same or a
	 * different call; if it isn't called, the jobs are dropped
	 */
	void enqueue(Call call, Chain chain);

	/**
	 * The jobs that one call of the client enqueues.
	 *
	 * @param queue the queue's name
	 * @param requests the jobs; not modifiable
	 */
	record Call(String queue, List<JobRequest<?>> requests) {

		public Call {
			requests = List.copyOf(requests);
		}

	}

	/** The rest of the interceptors, and the enqueue itself. */
	@FunctionalInterface
	interface Chain {

		/**
		 * Continues.
		 * @param call what to enqueue
		 */
		void proceed(Call call);

	}

}
