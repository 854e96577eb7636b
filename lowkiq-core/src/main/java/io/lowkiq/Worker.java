package io.lowkiq;

import java.util.List;

/**
 * Performs the jobs of a queue, one id at a time.
 * <p>
 * Performing is <em>at least once</em>: after a crash or a lost answer, the same payloads
 * may be delivered again. A worker must therefore be idempotent or use the
 * {@linkplain PerformContext#fencingToken() fencing token}.
 *
 * @param <P> the type of the payloads
 * @see LowkiqWorker
 */
@FunctionalInterface
public non-sealed interface Worker<P> extends QueueWorker<P> {

	/**
	 * Performs one job. Returning normally removes the job. Throwing schedules a retry of
	 * all payloads, or of those that are not {@linkplain PerformContext#completed(int)
	 * completed}. During the call, no other perform of the same id runs on any node (I1).
	 * @param id the job's id
	 * @param payloads all payloads of the id that waited together, in ascending order of
	 * score (I2); never empty, not modifiable
	 * @throws Exception if the job failed; the exception is kept with the job
	 */
	void perform(String id, List<P> payloads) throws Exception;

}
