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
	 * @param chain call {@link Chain#proceed(Call)} to continue, with the same or another
	 * call; not calling it drops the jobs
	 */
	void enqueue(Call call, Chain chain);

	/**
	 * What is enqueued by one call of the client.
	 *
	 * @param queue the queue's name
	 * @param requests the jobs; not modifiable
	 */
	record Call(String queue, List<JobRequest<?>> requests) {

		public Call {
			requests = List.copyOf(requests);
		}

	}

	/**
	 * The rest of the interceptors, and the enqueue itself.
	 */
	@FunctionalInterface
	interface Chain {

		/**
		 * Continues.
		 * @param call what to enqueue
		 */
		void proceed(Call call);

	}

}
