package io.lowkiq.autoconfigure.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.util.ClassUtils;

import io.lowkiq.autoconfigure.LowkiqConfigurationException;

/**
 * Deserializes records as the consumers of the application would. The consumers of a
 * source get bytes: so whatever a deserializer throws concerns its record only, and can
 * be tried again. Thread-safe, although deserializers are not: each call has its own.
 */
final class RecordDeserializers implements DisposableBean {

	private final ConsumerFactory<?, ?> consumers;

	/** Idle deserializers; filled and emptied by all threads. */
	private final Queue<Pair> idle = new ConcurrentLinkedQueue<>();

	RecordDeserializers(ConsumerFactory<?, ?> consumers) {
		this.consumers = consumers;
	}

	Deserialized deserialize(ConsumerRecord<byte[], byte[]> raw) {
		Pair pair = this.idle.poll();
		Pair used = (pair != null) ? pair : create();
		Deserialized deserialized = used.deserialize(raw);
		this.idle.add(used);
		return deserialized;
	}

	/** Refuses what can't be made before the first record comes. */
	void check() {
		this.idle.add(create());
	}

	private Pair create() {
		return new Pair(deserializer(this.consumers.getKeyDeserializer(), ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG),
				deserializer(this.consumers.getValueDeserializer(), ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG));
	}

	private Deserializer<?> deserializer(@Nullable Deserializer<?> instance, String property) {
		boolean isKey = property.equals(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG);
		Map<String, Object> configuration = new HashMap<>(this.consumers.getConfigurationProperties());
		if (instance != null) {
			try {
				instance.configure(configuration, isKey);
			}
			catch (IllegalStateException ex) {
				// It is configured by code, and says so
			}
			return instance;
		}
		Object type = configuration.get(property);
		try {
			Class<?> named = (type instanceof Class<?> known) ? known
					: ClassUtils.forName(String.valueOf(type), getClass().getClassLoader());
			Deserializer<?> created = (Deserializer<?>) BeanUtils.instantiateClass(named);
			created.configure(configuration, isKey);
			return created;
		}
		catch (RuntimeException | ClassNotFoundException | LinkageError ex) {
			throw new LowkiqConfigurationException(
					"The %s of Kafka sources is %s, which can't be used: %s".formatted(property, type, ex),
					"Correct spring.kafka.consumer.%s-deserializer".formatted(isKey ? "key" : "value"));
		}
	}

	@Override
	public void destroy() {
		for (Pair pair = this.idle.poll(); pair != null; pair = this.idle.poll()) {
			pair.key().close();
			pair.value().close();
		}
	}

	/** A record, with null for what can't be deserialized, and why that can't be. */
	record Deserialized(ConsumerRecord<?, ?> kafkaRecord, @Nullable Throwable keyProblem,
			@Nullable Throwable valueProblem) {
	}

	private record Pair(Deserializer<?> key, Deserializer<?> value) {

		Deserialized deserialize(ConsumerRecord<byte[], byte[]> raw) {
			// Deserializers remove headers
			RecordHeaders headers = new RecordHeaders(raw.headers().toArray());
			Part ofKey = part(this.key, raw, headers, raw.key());
			Part ofValue = part(this.value, raw, headers, raw.value());
			return new Deserialized(new ConsumerRecord<>(raw.topic(), raw.partition(), raw.offset(), raw.timestamp(),
					raw.timestampType(), raw.serializedKeySize(), raw.serializedValueSize(), ofKey.object(),
					ofValue.object(), headers, raw.leaderEpoch()), ofKey.problem(), ofValue.problem());
		}

		private static Part part(Deserializer<?> deserializer, ConsumerRecord<?, ?> raw, RecordHeaders headers,
				byte @Nullable [] bytes) {
			try {
				return new Part(deserializer.deserialize(raw.topic(), headers, bytes), null);
			}
			catch (Throwable ex) {
				return new Part(null, ex);
			}
		}

	}

	private record Part(@Nullable Object object, @Nullable Throwable problem) {
	}

}
