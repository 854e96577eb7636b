package io.lowkiq.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StoreException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;

/**
 * The queues into which this application enqueues without having their worker. At start,
 * what a producer declares is compared with what is recorded: another layout stops the
 * start.
 */
class DeclaredQueues implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(DeclaredQueues.class);

	private final Collection<QueueDeclaration> declarations;

	private final Map<String, QueueDeclaration> compared = new LinkedHashMap<>();

	private final QueueRegistry registry;

	/** Written by the threads that start and stop the context, read by all. */
	private volatile boolean running;

	DeclaredQueues(Collection<QueueDeclaration> declarations, WorkerRegistry workers, boolean isServer,
			QueueRegistry registry) {
		this.declarations = declarations;
		this.registry = registry;
		declarations.forEach((queue) -> this.compared.put(queue.queue(), queue));
		if (!isServer) {
			workers.all().forEach((worker) -> this.compared.put(worker.queue(), worker.declaration()));
		}
	}

	/** Puts together what beans and properties declare. */
	static Collection<QueueDeclaration> merge(Stream<QueueDeclaration> beans,
			QueueProperties<LowkiqProperties.Queue> properties, WorkerRegistry workers) {
		Map<String, QueueDeclaration> merged = new LinkedHashMap<>();
		beans.forEach((bean) -> add(bean, merged));
		for (String queue : properties.queues()) {
			LowkiqProperties.Queue declared = properties.of(queue, properties.queues(), List.of());
			String separator = Objects.toString(declared.group().separator(), "");
			boolean oneShardPerGroup = Boolean.TRUE.equals(declared.oneShardPerGroup());
			if (oneShardPerGroup == separator.isEmpty()) {
				throw new LowkiqConfigurationException(
						"lowkiq.queues.%s has one of group.separator and one-shard-per-group=true, but not the other"
							.formatted(queue),
						"Set both as the queue's worker has them, or none if it has no one-shard-per-group");
			}
			if (declared.shards() != null) {
				add(declaration(queue, declared.shards(), separator), merged);
			}
			else if (oneShardPerGroup) {
				throw new LowkiqConfigurationException(
						"lowkiq.queues.%s has one-shard-per-group, but no shards".formatted(queue),
						"Set lowkiq.queues.%s.shards to the number at its @LowkiqWorker".formatted(queue));
			}
		}
		for (RegisteredWorker worker : workers.all()) {
			if (merged.containsKey(worker.queue())) {
				add(worker.declaration(), merged);
			}
		}
		return List.copyOf(merged.values());
	}

	private static QueueDeclaration declaration(String queue, int shards, String separator) {
		try {
			return new QueueDeclaration(queue, shards, separator);
		}
		catch (InvalidQueueException ex) {
			throw new LowkiqConfigurationException(String.valueOf(ex.getMessage()),
					"Change the property under lowkiq.queues", ex);
		}
	}

	private static void add(QueueDeclaration declaration, Map<String, QueueDeclaration> merged) {
		QueueDeclaration other = merged.putIfAbsent(declaration.queue(), declaration);
		if (other != null && !other.equals(declaration)) {
			throw new LowkiqConfigurationException(
					"Queue '%s' is declared with %s and with %s".formatted(declaration.queue(), other, declaration),
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
						"The store can't be reached; the layouts of queues will be checked when jobs are enqueued: {}",
						ex.getMessage());
			}
		}
		this.running = true;
	}

	private void compare(QueueLayout recorded) {
		QueueDeclaration declared = this.compared.get(recorded.name());
		if (declared != null) {
			recorded.require(declared);
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
