package io.lowkiq.autoconfigure.kafka;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.ResolvableType;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.event.ConsumerStoppedEvent;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PerformContext;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.StoreException;
import io.lowkiq.TransactionMode;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.SourceControl;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.redis.RedisStore;

/** The sources of the application. They start after the server, and stop before it. */
class KafkaSources implements SmartLifecycle, DisposableBean, SourceControl {

	private static final Logger logger = LoggerFactory.getLogger(KafkaSources.class);

	private final List<KafkaSource> sources;

	private final List<RunningSource> running = new ArrayList<>();

	private final RecordDeserializers deserializers;

	private final SourceContainers factory;

	private final boolean autoStartup;

	private final WorkerRegistry workers;

	private final StoreEnqueuer enqueuer;

	/** Written by the threads that start and stop the context, read by all. */
	private volatile boolean started;

	/**
	 * @throws LowkiqConfigurationException if a source can't work
	 */
	KafkaSources(List<KafkaSource> sources, SourceContainers factory, WorkerRegistry workers, LowkiqClient client,
			StoreEnqueuer enqueuer, RedisStore store, PayloadCodec codec,
			@Nullable KafkaListenerEndpointRegistry registry) {
		this.sources = sources;
		this.factory = factory;
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
					new RecordMorgue(source.queue(), factory.groupId(source), store), System::nanoTime);
			KafkaSourceListener listener = new KafkaSourceListener(source, records, System::nanoTime);
			String name = name(source.queue());
			this.running.add(new RunningSource(name, source, factory.groupId(source), records, listener,
					factory.create(name, source, listener)));
		}
		this.autoStartup = this.running.stream().allMatch((each) -> each.container().isAutoStartup());
		register(registry);
	}

	private String name(String queue) {
		long same = this.running.stream().filter((each) -> each.source().queue().equals(queue)).count();
		return "lowkiq-kafka-" + queue + ((same > 0) ? "-" + (same + 1) : "");
	}

	/** The registry has the containers, but the sources start them. */
	private void register(@Nullable KafkaListenerEndpointRegistry registry) {
		for (RunningSource each : this.running) {
			each.container().setAutoStartup(false);
			if (registry != null) {
				MethodKafkaListenerEndpoint<Object, Object> endpoint = new MethodKafkaListenerEndpoint<>();
				endpoint.setId(each.name());
				registry.registerListenerContainer(endpoint, new ExistingContainer(each.container()));
			}
		}
	}

	/** A container has stopped by itself. */
	@EventListener
	void stopped(ConsumerStoppedEvent event) {
		if (event.getReason() == ConsumerStoppedEvent.Reason.NORMAL) {
			return;
		}
		Object container = event.getContainer(MessageListenerContainer.class);
		this.running.stream()
			.filter((each) -> each.container() == container)
			.forEach((each) -> logger.warn(
					"A consumer of Kafka source '{}' has stopped ({}). Its partitions are not read here until the source is resumed by LowkiqAdmin or the application is restarted",
					each.name(), event.getReason()));
	}

	/** The workers that read given-up records once more, for each queue. */
	List<RegisteredWorker> recordWorkers(Supplier<PerformContext> context) {
		return this.running.stream()
			.collect(Collectors.groupingBy((each) -> each.source().queue(), LinkedHashMap::new, Collectors.toList()))
			.entrySet()
			.stream()
			.map((queue) -> RecordWorker.registered(queue.getKey(), queue.getValue(), context))
			.toList();
	}

	List<RunningSource> running() {
		return List.copyOf(this.running);
	}

	@Override
	public List<SourceStatus> all() {
		return this.running.stream().map(RunningSource::status).toList();
	}

	@Override
	public void pause(String name) {
		find(name).container().pause();
	}

	@Override
	public void resume(String name) {
		find(name).resume();
	}

	@Override
	public void seek(String name, String topic, int partition, long offset) {
		find(name).seek(new TopicPartition(topic, partition), offset);
	}

	private RunningSource find(String name) {
		return this.running.stream()
			.filter((each) -> each.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no source '%s'. There are %s".formatted(name,
					this.running.stream().map(RunningSource::name).toList())));
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

	List<ConcurrentMessageListenerContainer<?, ?>> containers() {
		return this.running.stream().<ConcurrentMessageListenerContainer<?, ?>>map(RunningSource::container).toList();
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return AbstractMessageListenerContainer.DEFAULT_PHASE;
	}

	@Override
	public void start() {
		this.sources.forEach((source) -> checkQueue(source.queue()));
		for (RunningSource each : this.running) {
			logger.info("Kafka source '{}' reads the topics {} into queue '{}', as consumer group '{}'{}", each.name(),
					each.source().topics(), each.source().queue(), each.groupId(), hint(each.source()));
			each.container().start();
		}
		this.started = true;
	}

	/** The group of such a source was another one once. */
	private String hint(KafkaSource source) {
		return this.factory.isOfService(source)
				? ", which begins with spring.kafka.consumer.group-id. Offsets that group '%s' has committed are not used"
					.formatted(this.factory.formerGroupId(source))
				: "";
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
		this.running.forEach((each) -> each.container().stop());
		this.started = false;
	}

	@Override
	public void destroy() {
		this.deserializers.destroy();
	}

	@Override
	public boolean isRunning() {
		return this.started;
	}

}
