package io.lowkiq.engine;

import org.jspecify.annotations.Nullable;

import io.lowkiq.BatchWorker;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;

/**
 * A queue that this node serves, with its worker, which is asked for when the first job
 * is performed.
 */
final class ServedQueue {

	private final RegisteredWorker worker;

	private final FetchSize fetchSize;

	/** Written and read by all shard threads; all write the same bean. */
	private volatile @Nullable QueueWorker<?> bean;

	ServedQueue(RegisteredWorker worker, ServerSettings settings) {
		this.worker = worker;
		int batchSize = Worker.class.isAssignableFrom(worker.workerClass()) ? 1 : worker.settings().batchSize();
		this.fetchSize = new FetchSize(batchSize, settings.fetchAhead());
	}

	String name() {
		return this.worker.queue();
	}

	RegisteredWorker worker() {
		return this.worker;
	}

	FetchSize fetchSize() {
		return this.fetchSize;
	}

	QueueWorker<?> bean() {
		QueueWorker<?> known = this.bean;
		if (known == null) {
			known = this.worker.worker().get();
			this.bean = known;
		}
		return known;
	}

	/** How many ids one call of the worker gets. */
	int idsPerPerform(@Nullable QueueWorker<?> known) {
		return (known instanceof BatchWorker<?>) ? this.worker.settings().batchSize() : 1;
	}

}
