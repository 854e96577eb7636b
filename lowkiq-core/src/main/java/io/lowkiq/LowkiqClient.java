package io.lowkiq;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/**
 * Enqueues jobs. Thread-safe.
 * <p>
 * Where this application has the worker of a queue, each payload must be of the worker's
 * payload type; another one is refused by an {@link InvalidJobException}.
 * <p>
 * When a method returns normally, the jobs are in the store: each will be performed
 * successfully at least once, or its payload goes to the morgue (I3). When it throws one
 * of {@link InvalidJobException}, {@link InvalidQueueException},
 * {@link UnknownQueueException}, {@link ShardCountMismatchException} or
 * {@link PayloadException}, nothing was written. When it throws anything else, such as
 * {@link io.lowkiq.store.UnconfirmedEnqueueException}, some of the jobs may have been
 * written. Enqueueing the same again loses nothing: equal payloads of an id merge while
 * they wait, and one that was performed meanwhile is performed again.
 * <p>
 * In a transaction, {@link TransactionMode} says when and whether the jobs reach the
 * store.
 */
public interface LowkiqClient {

	/**
	 * Enqueues a payload, due at once, after all payloads of the id.
	 * @param <P> the type of the payload
	 * @param worker the worker of the queue
	 * @param id what the payload belongs to
	 * @param payload the payload
	 */
	<P> void enqueue(Class<? extends QueueWorker<P>> worker, String id, P payload);

	/**
	 * Enqueues a payload with its score and time.
	 * @param <P> the type of the payload
	 * @param worker the worker of the queue
	 * @param request the payload with its id
	 */
	<P> void enqueue(Class<? extends QueueWorker<P>> worker, JobRequest<? extends P> request);

	/**
	 * Enqueues a payload whose id, score and time are computed by
	 * {@link QueueWorker#toJob(Object)}.
	 * @param <P> the type of the payload
	 * @param worker the worker of the queue
	 * @param payload the payload
	 */
	<P> void enqueue(Class<? extends QueueWorker<P>> worker, P payload);

	/**
	 * Enqueues many payloads in few round trips: one call per shard and chunk. All
	 * requests are checked before the first is written. Each shard's part of a chunk is
	 * written atomically, the whole is not.
	 * @param <P> the type of the payloads
	 * @param worker the worker of the queue
	 * @param requests the payloads with their ids
	 */
	<P> void enqueueAll(Class<? extends QueueWorker<P>> worker, Collection<? extends JobRequest<? extends P>> requests);

	/**
	 * Enqueues a payload, due at once, after all payloads of the id.
	 * @param queue the queue's name
	 * @param id what the payload belongs to
	 * @param payload the payload
	 */
	void enqueue(String queue, String id, Object payload);

	/**
	 * Enqueues a payload with its score and time.
	 * @param queue the queue's name
	 * @param request the payload with its id
	 */
	void enqueue(String queue, JobRequest<?> request);

	/**
	 * Enqueues many payloads in few round trips, as
	 * {@link #enqueueAll(Class, Collection)} does.
	 * @param queue the queue's name
	 * @param requests the payloads with their ids
	 */
	void enqueueAll(String queue, Collection<? extends JobRequest<?>> requests);

	/**
	 * Enqueues a payload without waiting for the store, as
	 * {@link #enqueueAsync(String, JobRequest)} does.
	 * @param <P> the type of the payload
	 * @param worker the worker of the queue
	 * @param request the payload with its id
	 * @return ends when the store has confirmed the job, or has not
	 */
	default <P> CompletableFuture<Void> enqueueAsync(Class<? extends QueueWorker<P>> worker,
			JobRequest<? extends P> request) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Enqueues a payload without waiting for the store.
	 * <p>
	 * What is wrong with the request itself is thrown at once:
	 * {@link InvalidJobException}, {@link InvalidQueueException},
	 * {@link PayloadException}. The future completes normally when the store has
	 * confirmed the job (I3); otherwise exceptionally, with what
	 * {@link #enqueue(String, JobRequest)} would have thrown. It completes on a thread of
	 * the common pool, or on that of the transaction. Cancelling it changes nothing.
	 * <p>
	 * Jobs are stored in the order of the calls of a thread, also those of one id (I2).
	 * If one fails, those after it are stored all the same. A waiting
	 * {@link #enqueue(String, JobRequest)} may overtake a job whose future has not
	 * completed. Jobs that wait go to the store together: when the store does not answer,
	 * the futures of all of them end exceptionally, and each job may have been written.
	 * <p>
	 * Interceptors and observations run on the calling thread and end before the store
	 * has confirmed. Once 16 MiB of jobs wait, the calling thread waits for room.
	 * <p>
	 * In a transaction, {@link TransactionMode} says when and whether the job reaches the
	 * store: after the commit, the future completes when the store has confirmed it; with
	 * the outbox, when the transaction is committed; if that is rolled back,
	 * exceptionally with an {@link EnqueueRolledBackException}. Don't wait for the future
	 * within the transaction.
	 * @param queue the queue's name
	 * @param request the payload with its id
	 * @return ends when the store has confirmed the job, or has not
	 */
	default CompletableFuture<Void> enqueueAsync(String queue, JobRequest<?> request) {
		throw new UnsupportedOperationException();
	}

	/**
	 * A client of the same queues that enqueues in another mode than
	 * {@code lowkiq.client.transactional} says. It can be kept.
	 * @param mode what enqueueing has to do with transactions
	 * @return the client
	 * @throws IllegalArgumentException if this application has nothing for that mode
	 */
	default LowkiqClient transactional(TransactionMode mode) {
		throw new UnsupportedOperationException();
	}

}
