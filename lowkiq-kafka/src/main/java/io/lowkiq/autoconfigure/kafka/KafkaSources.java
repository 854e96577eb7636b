package io.lowkiq.autoconfigure.kafka;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.ResolvableType;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.TransactionMode;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * The sources of the application, each with a container of Spring for Kafka. They start
 * after the server, and stop before it. Can be started again.
 */
class KafkaSources implements SmartLifecycle, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(KafkaSources.class);

	private final List<KafkaSource> sources;

	private final List<ConcurrentMessageListenerContainer<?, ?>> containers = new ArrayList<>();

	/** Each at the place of its container. */
	private final List<KafkaSourceListener> listeners = new ArrayList<>();

	private final RecordDeserializers deserializers;

	private final WorkerRegistry workers;

	private final StoreEnqueuer enqueuer;

	/** Written by the threads that start and stop the context, read by all. */
	private volatile boolean running;

	/**
	 * Sources.
	 * @param sources all sources
	 * @param factory makes their containers
	 * @param workers the workers of the application
	 * @param client enqueues the jobs
	 * @param enqueuer knows the queues
	 * @param store where unfit records go
	 * @param codec reads JSON
	 * @throws LowkiqConfigurationException if a source can't work
	 */
	KafkaSources(List<KafkaSource> sources, SourceContainers factory, WorkerRegistry workers, LowkiqClient client,
			StoreEnqueuer enqueuer, InspectableStore store, PayloadCodec codec) {
		this.sources = sources;
		this.workers = workers;
		this.enqueuer = enqueuer;
		failOnShared(factory);
		this.deserializers = factory.deserializers();
		if (!sources.isEmpty()) {
			this.deserializers.check();
		}
		LowkiqClient direct = sources.isEmpty() ? client : client.transactional(TransactionMode.OFF);
		for (KafkaSource source : sources) {
			RecordEnqueuer records = new RecordEnqueuer(source.queue(),
					new RecordReader(source, payloadType(source), codec), this.deserializers, direct, enqueuer,
					new RecordMorgue(source.queue(), store), System::nanoTime);
			KafkaSourceListener listener = new KafkaSourceListener(source, records, System::nanoTime);
			this.listeners.add(listener);
			this.containers.add(factory.create(source, listener));
		}
	}

	/** Consumers of one group share the partitions of a topic: each would get a part. */
	private void failOnShared(SourceContainers factory) {
		Set<String> seen = new HashSet<>();
		for (KafkaSource source : this.sources) {
			for (String topic : source.topics()) {
				if (!seen.add(factory.groupId(source) + " " + topic)) {
					throw new LowkiqConfigurationException(
							"Two Kafka sources of group '%s' read topic '%s': each would get only some of its records"
								.formatted(factory.groupId(source), topic),
							"Give one of them another groupId");
				}
			}
		}
	}

	private Type payloadType(KafkaSource source) {
		Optional<RegisteredWorker> worker = this.workers.ofQueue(source.queue());
		Type named = source.payloadType();
		if (worker.isEmpty()) {
			if (named == null) {
				throw new LowkiqConfigurationException(
						"The payload type of the Kafka source of queue '%s' is not known: this application does not have its worker"
							.formatted(source.queue()),
						"Name the payload type of the source, or correct the name of the queue");
			}
			return named;
		}
		Type expected = worker.get().payloadType();
		if (named != null && !ResolvableType.forType(expected).isAssignableFrom(ResolvableType.forType(named))) {
			throw new LowkiqConfigurationException(
					"The payload type of the Kafka source of queue '%s' is %s, but its worker, %s, takes %s".formatted(
							source.queue(), named.getTypeName(), worker.get().workerClass().getName(),
							expected.getTypeName()),
					"Remove the payload type of the source");
		}
		return (named != null) ? named : expected;
	}

	/** The containers, in the order of the sources. */
	List<ConcurrentMessageListenerContainer<?, ?>> containers() {
		return Collections.unmodifiableList(this.containers);
	}

	@Override
	public boolean isAutoStartup() {
		return this.containers.stream().allMatch(ConcurrentMessageListenerContainer::isAutoStartup);
	}

	@Override
	public int getPhase() {
		return AbstractMessageListenerContainer.DEFAULT_PHASE;
	}

	@Override
	public void start() {
		this.sources.forEach((source) -> checkQueue(source.queue()));
		this.containers.forEach(ConcurrentMessageListenerContainer::start);
		this.running = true;
	}

	private void checkQueue(String queue) {
		try {
			this.enqueuer.check(queue);
		}
		catch (UnknownQueueException ex) {
			throw new LowkiqConfigurationException(
					"The Kafka source of queue '%s' has nowhere to put its records. %s".formatted(queue,
							ex.getMessage()),
					"Correct the name, start an application with the worker of the queue first, or declare it by lowkiq.queues.%s.shards"
						.formatted(queue));
		}
		catch (StoreException ex) {
			logger.warn(
					"The store can't be reached; the records for queue '{}' will be enqueued as soon as it responds: {}",
					queue, ex.getMessage());
		}
	}

	@Override
	public void stop() {
		this.containers.forEach(ConcurrentMessageListenerContainer::stop);
		this.running = false;
	}

	@Override
	public void destroy() {
		this.deserializers.destroy();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
