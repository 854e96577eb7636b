package io.lowkiq;

/**
 * Declares a queue to which an application enqueues without having its worker. The queue
 * is recorded with the first job, unless a server has recorded it already. Define a bean
 * of this type, or set {@code lowkiq.queues.<queue>.shards}.
 *
 * @param queue the queue's name
 * @param shards the number of shards, 1 to {@value RegisteredWorker#MAX_SHARDS}, the same
 * as for the queue's worker
 */
public record QueueDeclaration(String queue, int shards) {

	public QueueDeclaration {
		Ids.checkQueue(queue);
		RegisteredWorker.Settings.check(queue, "shards", shards, 1, RegisteredWorker.MAX_SHARDS);
	}

}
