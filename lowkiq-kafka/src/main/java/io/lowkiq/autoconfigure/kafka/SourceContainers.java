package io.lowkiq.autoconfigure.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.Properties;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import org.springframework.boot.kafka.autoconfigure.ConcurrentKafkaListenerContainerFactoryConfigurer;
import org.springframework.context.ApplicationContext;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.ExponentialBackOff;

import io.lowkiq.autoconfigure.LowkiqConfigurationException;

/** As {@code spring.kafka} sets them, but nothing is committed before it is stored. */
final class SourceContainers {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	/** So soon what waits can be tried again while no records come. */
	private static final Duration LONGEST_POLL = Duration.ofMillis(250);

	private final ConcurrentKafkaListenerContainerFactoryConfigurer configurer;

	private final ConsumerFactory<Object, Object> consumers;

	private final ApplicationContext context;

	private final String keyPrefix;

	SourceContainers(ConcurrentKafkaListenerContainerFactoryConfigurer configurer,
			ConsumerFactory<Object, Object> consumers, ApplicationContext context, String keyPrefix) {
		this.configurer = configurer;
		this.consumers = consumers;
		this.context = context;
		this.keyPrefix = keyPrefix;
	}

	/** Each queue has its own: consumers of one group share the partitions. */
	String groupId(KafkaSource source) {
		if (!source.groupId().isEmpty()) {
			return source.groupId();
		}
		return isOfService(source) ? configuredGroup() + "-" + source.queue() : formerGroupId(source);
	}

	/** Whether the group is made of that of the service. */
	boolean isOfService(KafkaSource source) {
		return source.groupId().isEmpty() && !configuredGroup().isEmpty();
	}

	/** The group of a source where nothing is configured. */
	String formerGroupId(KafkaSource source) {
		return this.keyPrefix + "-" + source.queue();
	}

	private String configuredGroup() {
		Object configured = this.consumers.getConfigurationProperties().get(ConsumerConfig.GROUP_ID_CONFIG);
		return (configured != null) ? configured.toString() : "";
	}

	/** Deserialize what the consumers get. */
	RecordDeserializers deserializers() {
		return new RecordDeserializers(this.consumers);
	}

	ConcurrentMessageListenerContainer<?, ?> create(String name, KafkaSource source, KafkaSourceListener listener) {
		if (source.topics().isEmpty() || source.topics().stream().anyMatch(String::isBlank)) {
			throw new LowkiqConfigurationException(
					"The Kafka source of queue '%s' has the topics %s".formatted(source.queue(), source.topics()),
					"Name at least one topic");
		}
		ConcurrentKafkaListenerContainerFactory<Object, Object> factory = new ConcurrentKafkaListenerContainerFactory<>();
		this.configurer.configure(factory, ofBytes());
		factory.setBatchListener(true);
		factory.setCommonErrorHandler(retrying());
		factory.setApplicationContext(this.context);
		factory.setApplicationEventPublisher(this.context);
		ContainerProperties properties = factory.getContainerProperties();
		// The listener commits
		properties.setAckMode(ContainerProperties.AckMode.MANUAL);
		properties.setAsyncAcks(false);
		properties.setSyncCommits(true);
		properties.setKafkaAwareTransactionManager(null);
		properties.setPollTimeout(Math.min(properties.getPollTimeout(), LONGEST_POLL.toMillis()));
		if (properties.getAuthExceptionRetryInterval() == null) {
			properties.setAuthExceptionRetryInterval(LONGEST_PAUSE);
		}
		ConcurrentMessageListenerContainer<Object, Object> container = factory
			.createContainer(source.topics().toArray(String[]::new));
		container.getContainerProperties().setGroupId(groupId(source));
		container.getContainerProperties().setKafkaConsumerProperties(consumerProperties());
		container.setupMessageListener(listener);
		setInterceptor(container, listener);
		listener
			.pausedBy((partition) -> container.isPauseRequested() || container.isPartitionPauseRequested(partition));
		container.setBeanName(name);
		Integer concurrency = source.concurrency();
		if (concurrency != null) {
			if (concurrency < 1) {
				throw new LowkiqConfigurationException(
						"The concurrency of the Kafka source of queue '%s' is %s; it must be at least 1"
							.formatted(source.queue(), concurrency),
						"Change it");
			}
			container.setConcurrency(concurrency);
		}
		return container;
	}

	/** It is called before each poll. */
	@SuppressWarnings("unchecked")
	private static void setInterceptor(ConcurrentMessageListenerContainer<Object, Object> container,
			BatchInterceptor<?, ?> interceptor) {
		container.setBatchInterceptor((BatchInterceptor<Object, Object>) interceptor);
	}

	/**
	 * Repeats a batch until it is in the store. Meanwhile the partitions are paused, and
	 * the consumer polls, so that it keeps them.
	 */
	private static DefaultErrorHandler retrying() {
		ExponentialBackOff backOff = new ExponentialBackOff(FIRST_PAUSE.toMillis(), 2);
		backOff.setMaxInterval(LONGEST_PAUSE.toMillis());
		DefaultErrorHandler handler = new DefaultErrorHandler((unused, problem) -> {
			throw new IllegalStateException("The records must be enqueued", problem);
		}, backOff);
		handler.setClassifications(Map.of(), true);
		handler.setLogLevel(KafkaException.Level.DEBUG);
		return handler;
	}

	/**
	 * An instance of a deserializer would come before the properties, so a factory that
	 * has one lends only its configuration.
	 */
	private ConsumerFactory<Object, Object> ofBytes() {
		if (this.consumers.getKeyDeserializer() == null && this.consumers.getValueDeserializer() == null) {
			return this.consumers;
		}
		DefaultKafkaConsumerFactory<Object, Object> factory = new DefaultKafkaConsumerFactory<>(
				this.consumers.getConfigurationProperties());
		this.consumers.getListeners().forEach(factory::addListener);
		this.consumers.getPostProcessors().forEach(factory::addPostProcessor);
		return factory;
	}

	private Properties consumerProperties() {
		Map<String, Object> configured = this.consumers.getConfigurationProperties();
		Properties properties = new Properties();
		properties.setProperty(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
		if (!configured.containsKey(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)) {
			properties.setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
		}
		String bytes = ByteArrayDeserializer.class.getName();
		properties.setProperty(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, bytes);
		properties.setProperty(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, bytes);
		return properties;
	}

}
