package io.lowkiq;

import java.util.concurrent.CompletableFuture;

/**
 * Enqueues jobs. Thread-safe.
 * <p>
 * If this application has the worker of a queue, each payload must be of the worker's
 * payload type; otherwise an {@link InvalidJobException} is thrown.
 * <p>
 * When a method returns normally, the jobs are in the store: each will be performed
 * successfully at least once, or its payload goes to the morgue (I3). When it throws one
 * of {@link InvalidJobException}, {@link InvalidQueueException},
 * {@link UnknownQueueException}, {@link LayoutMismatchException} or
 * {@link PayloadException}, nothing was written. When it throws anything else, such as
 * {@link UnconfirmedEnqueueException}, some of the jobs may have been written; a
 * {@link PartlyEnqueuedException} says which were not. It is safe to enqueue the same
 * jobs again: equal payloads of an id merge while they wait, and a payload that has been
 * performed in the meantime is performed again.
 * <p>
 * In a transaction, the {@link TransactionMode} determines whether and when the jobs
 * reach the store.
 */
public interface LowkiqClient {

	/**
	 * Enqueues a payload that is due at once, after all payloads already enqueued for the
	 * id.
	 * @param <P> the type of the payload
	 * @param worker the worker of the queue
	 * @param id what the payload belongs to
	 * @param payload the payload
	 */
	<P> void enqueue(Class<? extends QueueWorker<P>> worker, String id, P payload);

	/**
	 * Enqueues a payload with its id, score and time.
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
	 * Enqueues many payloads in few round trips, with one call per shard and chunk. Each
	 * shard's part of a chunk is written atomically, but the whole is not.
	 * <p>
	 * Requests are read and enqueued in parts of at most 10,000 requests and about 8 MiB,
	 * so they may be made as they are read, such as by a stream's {@code iterator()}. All
	 * requests of a part are checked before the first is written, and no further part is
	 * read after one that failed: then a {@link PartlyEnqueuedException} says how many
	 * are enqueued. Each part is a call of its own to interceptors and traces. In a
	 * transaction, all parts wait in memory for the commit.
	 * @param <P> the type of the payloads
	 * @param worker the worker of the queue
	 * @param requests the payloads with their ids, iterated over once
	 */
	<P> void enqueueAll(Class<? extends QueueWorker<P>> worker, Iterable<? extends JobRequest<? extends P>> requests);

	/**
	 * Enqueues a payload that is due at once, after all payloads already enqueued for the
	 * id.
	 * @param queue the queue's name
	 * @param id what the payload belongs to
	 * @param payload the payload
	 */
	void enqueue(String queue, String id, Object payload);

	/**
	 * Enqueues a payload with its id, score and time.
	 * @param queue the queue's name
	 * @param request the payload with its id
	 */
	void enqueue(String queue, JobRequest<?> request);

	/**
	 * Enqueues many payloads in few round trips, as {@link #enqueueAll(Class, Iterable)}
	 * does.
	 * @param queue the queue's name
	 * @param requests the payloads with their ids, iterated over once
	 */
	void enqueueAll(String queue, Iterable<? extends JobRequest<?>> requests);

	/**
	 * Enqueues a payload without waiting for the store, as
	 * {@link #enqueueAsync(String, JobRequest)} does.
	 * @param <P> the type of the payload
	 * @param worker the worker of the queue
	 * @param request the payload with its id
	 * @return a future that completes when the store has confirmed the job, or when that
	 * has failed
	 */
	<P> CompletableFuture<Void> enqueueAsync(Class<? extends QueueWorker<P>> worker, JobRequest<? extends P> request);

	/**
	 * Enqueues a payload without waiting for the store.
	 * <p>
	 * An invalid request throws at once: {@link InvalidJobException},
	 * {@link InvalidQueueException} or {@link PayloadException}. The future completes
	 * normally when the store has confirmed the job (I3). Otherwise it completes
	 * exceptionally, with what {@link #enqueue(String, JobRequest)} would have thrown. It
	 * completes on a thread of the common pool, or on the thread of the transaction.
	 * Cancelling it has no effect.
	 * <p>
	 * The jobs of one thread are stored in the order of its calls, including those of one
	 * id (I2). If one fails, the jobs after it are stored nevertheless. A blocking
	 * {@link #enqueue(String, JobRequest)} may overtake a job whose future has not
	 * completed. Waiting jobs are sent to the store together. If the store doesn't
	 * answer, all their futures complete exceptionally, and each of the jobs may have
	 * been written.
	 * <p>
	 * Interceptors and observations run on the calling thread and end before the store
	 * has confirmed the job. While 16 MiB of jobs are waiting, the calling thread waits
	 * for room.
	 * <p>
	 * In a transaction, the {@link TransactionMode} determines whether and when the job
	 * reaches the store. With {@link TransactionMode#AFTER_COMMIT}, the future completes
	 * when the store has confirmed the job; with {@link TransactionMode#OUTBOX}, when the
	 * transaction has been committed. If the transaction is rolled back, the future
	 * completes exceptionally with an {@link EnqueueRolledBackException}. Don't wait for
	 * the future within the transaction.
	 * @param queue the queue's name
	 * @param request the payload with its id
	 * @return a future that completes when the store has confirmed the job, or when that
	 * has failed
	 */
	CompletableFuture<Void> enqueueAsync(String queue, JobRequest<?> request);

	/**
	 * Returns a client of the same queues with a different mode than
	 * {@code lowkiq.client.transactional}. It can be kept and reused.
	 * @param mode how enqueueing takes part in transactions
	 * @return the client
	 * @throws IllegalArgumentException if this application doesn't support the mode
	 */
	LowkiqClient transactional(TransactionMode mode);

}
