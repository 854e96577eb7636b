package io.lowkiq.client;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.Ids;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

/**
 * The layouts of the queues into which this client has enqueued. Thread-safe.
 */
final class KnownQueues {

	private final WorkerRegistry workers;

	private final QueueRegistry registry;

	private final Map<String, QueueLayout> layouts = new ConcurrentHashMap<>();

	KnownQueues(WorkerRegistry workers, QueueRegistry registry) {
		this.workers = workers;
		this.registry = registry;
	}

	/**
	 * The layout of a queue: recorded now if a worker of this application serves it and
	 * it isn't recorded yet.
	 */
	QueueLayout layout(String queue) {
		QueueLayout known = this.layouts.get(queue);
		if (known != null) {
			return known;
		}
		Ids.checkQueue(queue);
		Optional<RegisteredWorker> worker = this.workers.ofQueue(queue);
		QueueLayout layout = worker.map(this::register).orElseGet(() -> find(queue));
		this.layouts.put(queue, layout);
		return layout;
	}

	private QueueLayout register(RegisteredWorker worker) {
		int declared = worker.settings().shards();
		QueueLayout layout = this.registry.register(worker.queue(), declared);
		if (layout.shards() != declared) {
			throw new ShardCountMismatchException(worker.queue(), declared, layout.shards());
		}
		return layout;
	}

	private QueueLayout find(String queue) {
		return this.registry.find(queue)
			.orElseThrow(() -> new UnknownQueueException(("No queue '%s' is recorded in the store, and no worker of "
					+ "this application serves it. Check the name, or start an application with its worker once: "
					+ "that records the queue")
				.formatted(queue)));
	}

}
