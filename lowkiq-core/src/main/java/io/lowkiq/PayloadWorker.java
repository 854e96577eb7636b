package io.lowkiq;

/**
 * Performs the payloads of a queue one by one. Payloads that were performed are not
 * performed again when a later payload of the id fails. A payload that is buried or
 * discarded, because of {@link BuryException}, {@link LowkiqWorker#buryOn()} or
 * {@link LowkiqWorker#discardOn()}, doesn't hold up the others: the next one is performed
 * at once.
 * <p>
 * Performing is <em>at least once</em>: after a crash or a lost answer, the payloads that
 * were delivered together may be delivered again. A worker must therefore be idempotent
 * or use the {@linkplain PerformContext#fencingToken() fencing token}.
 *
 * @param <P> the type of the payloads
 * @see LowkiqWorker
 */
@FunctionalInterface
public non-sealed interface PayloadWorker<P> extends QueueWorker<P> {

	/**
	 * Performs one payload. The payloads of an id are delivered in ascending order of
	 * score (I2), each after the previous one is done. Throwing schedules a retry, which
	 * begins with this payload. During the call, no other perform of the same id runs on
	 * any node (I1).
	 * @param id the job's id
	 * @param payload the payload
	 * @throws Exception if the payload failed; the exception is kept with the job
	 */
	void perform(String id, P payload) throws Exception;

}
