package io.lowkiq.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.lowkiq.Ids;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.KnownLayouts;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

/** The layouts of the queues into which this client has enqueued. Thread-safe. */
final class KnownQueues {

	private final Map<String, QueueDeclaration> declared = new HashMap<>();

	private final QueueRegistry registry;

	private final KnownLayouts layouts;

	KnownQueues(WorkerRegistry workers, Collection<QueueDeclaration> declarations, QueueRegistry registry,
			LongSupplier nanoTime) {
		declarations.forEach((queue) -> this.declared.put(queue.queue(), queue));
		workers.all().forEach((worker) -> this.declared.put(worker.queue(), worker.declaration()));
		this.registry = registry;
		this.layouts = new KnownLayouts(nanoTime);
	}

	/** Whether this application declares a queue, has its worker, or has found it. */
	boolean isKnown(String queue) {
		return this.declared.containsKey(queue) || this.layouts.contains(queue);
	}

	/** Records a queue that this application declares, or whose worker it has. */
	void record(String queue) {
		if (this.declared.containsKey(queue)) {
			layout(queue);
		}
	}

	/**
	 * Recorded now if this application declares it, or has its worker, and it isn't yet.
	 */
	QueueLayout layout(String queue) {
		QueueLayout known = this.layouts.find(queue);
		return (known != null) ? known : lookUp(queue);
	}

	/** As it is recorded now; the known one if the store does not answer. */
	QueueLayout lookUp(String queue) {
		Ids.checkQueue(queue);
		QueueDeclaration own = this.declared.get(queue);
		return this.layouts.lookUp(queue, () -> (own != null) ? this.registry.register(own).require(own) : find(queue));
	}

	private QueueLayout find(String queue) {
		return this.registry.find(queue)
			.orElseThrow(() -> new UnknownQueueException(("No queue '%1$s' is recorded in the store, and no worker of "
					+ "this application serves it. Check the name, or start an application with its worker once: "
					+ "this records the queue. Or declare it with lowkiq.queues.%1$s.shards")
				.formatted(queue)));
	}

}
