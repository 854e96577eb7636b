package io.lowkiq.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.StoreException;

/**
 * The queues into which this application enqueues without having their worker. At start,
 * what a producer declares is compared with what is recorded: another number of shards
 * stops the start. If the store can't be reached, the start continues, and the first
 * enqueue compares them.
 */
class DeclaredQueues implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(DeclaredQueues.class);

	private final Collection<QueueDeclaration> declarations;

	/** The numbers of shards to compare, by queue. */
	private final Map<String, Integer> compared = new LinkedHashMap<>();

	private final QueueRegistry registry;

	/** Written by the threads that start and stop the context, read by all. */
	private volatile boolean running;

	/**
	 * Declared queues.
	 * @param declarations one for each queue
	 * @param workers those of the application
	 * @param isServer whether a server records the queues of these workers
	 * @param registry the recorded queues
	 */
	DeclaredQueues(Collection<QueueDeclaration> declarations, WorkerRegistry workers, boolean isServer,
			QueueRegistry registry) {
		this.declarations = declarations;
		this.registry = registry;
		declarations.forEach((queue) -> this.compared.put(queue.queue(), queue.shards()));
		if (!isServer) {
			workers.all().forEach((worker) -> this.compared.put(worker.queue(), worker.settings().shards()));
		}
	}

	/**
	 * Puts together what beans and properties declare.
	 * @param beans the beans
	 * @param properties what is set under {@code lowkiq.queues}
	 * @param workers the workers, whose queues need no declaration
	 * @return one declaration for each queue
	 */
	static Collection<QueueDeclaration> merge(Stream<QueueDeclaration> beans,
			QueueProperties<LowkiqProperties.Queue> properties, WorkerRegistry workers) {
		Map<String, QueueDeclaration> merged = new LinkedHashMap<>();
		beans.forEach((bean) -> add(bean, merged));
		for (String queue : properties.queues()) {
			Integer shards = properties.of(queue, properties.queues()).shards();
			if (shards != null) {
				add(declaration(queue, shards), merged);
			}
		}
		for (RegisteredWorker worker : workers.all()) {
			if (merged.containsKey(worker.queue())) {
				add(new QueueDeclaration(worker.queue(), worker.settings().shards()), merged);
			}
		}
		return List.copyOf(merged.values());
	}

	private static QueueDeclaration declaration(String queue, int shards) {
		try {
			return new QueueDeclaration(queue, shards);
		}
		catch (InvalidQueueException ex) {
			throw new LowkiqConfigurationException(String.valueOf(ex.getMessage()),
					"Change the property under lowkiq.queues", ex);
		}
	}

	private static void add(QueueDeclaration declaration, Map<String, QueueDeclaration> merged) {
		QueueDeclaration other = merged.putIfAbsent(declaration.queue(), declaration);
		if (other != null && other.shards() != declaration.shards()) {
			throw new LowkiqConfigurationException(
					"Queue '%s' is declared with %d shards and with %d".formatted(declaration.queue(), other.shards(),
							declaration.shards()),
					"Declare it once: at its @LowkiqWorker, by lowkiq.queues, or by a bean of type QueueDeclaration");
		}
	}

	Collection<QueueDeclaration> declarations() {
		return this.declarations;
	}

	@Override
	public int getPhase() {
		return LowkiqServerLifecycle.PHASE;
	}

	@Override
	public void start() {
		if (!this.compared.isEmpty()) {
			try {
				this.registry.all().forEach(this::compare);
			}
			catch (StoreException ex) {
				logger.warn(
						"The store can't be reached; the numbers of shards will be checked when jobs are enqueued: {}",
						ex.getMessage());
			}
		}
		this.running = true;
	}

	private void compare(QueueLayout recorded) {
		Integer shards = this.compared.get(recorded.name());
		if (shards != null && shards != recorded.shards()) {
			throw new ShardCountMismatchException(recorded.name(), shards, recorded.shards());
		}
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
