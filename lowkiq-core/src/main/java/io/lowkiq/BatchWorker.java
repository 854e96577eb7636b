package io.lowkiq;

/**
 * Performs the jobs of a queue, up to {@code batchSize} ids of one shard at a time.
 *
 * @param <P> the type of the payloads
 * @see LowkiqWorker#batchSize()
 */
@FunctionalInterface
public non-sealed interface BatchWorker<P> extends QueueWorker<P> {

	/**
	 * Performs a batch of jobs with distinct ids. When it returns normally, every job
	 * that is not {@linkplain Batch.Job#fail(Throwable) marked failed} is done. When it
	 * throws, every job that is not {@linkplain Batch.Job#done() marked done} has failed.
	 * @param batch the jobs; only valid during the call
	 * @throws Exception if the jobs not marked done have failed
	 */
	void perform(Batch<P> batch) throws Exception;

}
