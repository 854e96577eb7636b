package io.lowkiq.client;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import io.lowkiq.Ids;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

/**
 * The layouts of the queues into which this client has enqueued. Thread-safe.
 */
final class KnownQueues {

	/**
	 * After that a queue is looked up again: another application may have removed it. The
	 * marks of removed shards, which refuse what comes too late, stay much longer.
	 */
	private static final Duration GOOD_FOR = Duration.ofHours(1);

	/** The numbers of shards by queue. */
	private final Map<String, Integer> declared = new HashMap<>();

	private final QueueRegistry registry;

	private final LongSupplier nanoTime;

	private final Map<String, Known> layouts = new ConcurrentHashMap<>();

	KnownQueues(WorkerRegistry workers, Collection<QueueDeclaration> declarations, QueueRegistry registry,
			LongSupplier nanoTime) {
		declarations.forEach((queue) -> this.declared.put(queue.queue(), queue.shards()));
		workers.all().forEach((worker) -> this.declared.put(worker.queue(), worker.settings().shards()));
		this.registry = registry;
		this.nanoTime = nanoTime;
	}

	/**
	 * Whether this application declares a queue, has its worker, or has found it.
	 */
	boolean isKnown(String queue) {
		return this.declared.containsKey(queue) || this.layouts.containsKey(queue);
	}

	/**
	 * The layout of a queue: recorded now if this application declares it, or has its
	 * worker, and it isn't recorded yet.
	 */
	QueueLayout layout(String queue) {
		Known known = this.layouts.get(queue);
		return (known != null && this.nanoTime.getAsLong() - known.at() < GOOD_FOR.toNanos()) ? known.layout()
				: lookUp(queue);
	}

	/**
	 * The layout of a queue as it is recorded now, though another one may be known.
	 */
	QueueLayout lookUp(String queue) {
		long now = this.nanoTime.getAsLong();
		Ids.checkQueue(queue);
		Integer shards = this.declared.get(queue);
		QueueLayout layout = (shards != null) ? register(queue, shards) : find(queue);
		this.layouts.put(queue, new Known(layout, now));
		return layout;
	}

	private QueueLayout register(String queue, int shards) {
		QueueLayout layout = this.registry.register(queue, shards);
		if (layout.shards() != shards) {
			throw new ShardCountMismatchException(queue, shards, layout.shards());
		}
		return layout;
	}

	private QueueLayout find(String queue) {
		return this.registry.find(queue)
			.orElseThrow(() -> new UnknownQueueException(("No queue '%1$s' is recorded in the store, and no worker of "
					+ "this application serves it. Check the name, or start an application with its worker once: "
					+ "this records the queue. Or declare it with lowkiq.queues.%1$s.shards")
				.formatted(queue)));
	}

	/**
	 * A layout, and when it was looked up.
	 */
	private record Known(QueueLayout layout, long at) {
	}

}
