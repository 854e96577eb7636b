package io.lowkiq.autoconfigure.kafka;

import java.lang.reflect.Type;
import java.util.List;
import java.util.function.Function;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Kafka topics whose records become jobs of a queue. Immutable; each method that sets
 * something returns a copy. A bean of this type is started with the application.
 * {@link LowkiqKafkaSource} does the same by an annotation, and says what the texts mean.
 *
 * @param id the id of a record's job
 * @param score what orders the payloads of an id
 * @param groupId the consumer group; empty for
 * {@code <spring.kafka.consumer.group-id>-<queue>}, or without that property
 * {@code <lowkiq.key-prefix>-<queue>}
 * @param concurrency the number of consumers; null for
 * {@code spring.kafka.listener.concurrency}
 * @param payloadType the type of the payloads; null for that of the worker
 * @param payload makes the payload of a record; null if its value is the payload, or the
 * JSON of it
 * @param tombstones what to do with records that have no value; null for
 * {@link Tombstones#AS_NULL} if there is a {@code payload} function, else
 * {@link Tombstones#BURY}
 */
public record KafkaSource(String queue, List<String> topics, String id, String score, String groupId,
		@Nullable Integer concurrency, @Nullable Type payloadType, @Nullable Function<ConsumerRecord<?, ?>, ?> payload,
		@Nullable Tombstones tombstones) {

	public KafkaSource {
		topics = List.copyOf(topics);
	}

	/** A source with the key as the id and the offset as the score. */
	public static KafkaSource of(String queue, String... topics) {
		return new KafkaSource(queue, List.of(topics), "#{key}", "offset", "", null, null, null, null);
	}

	/**
	 * Sets the id of a record's job.
	 * @param text as {@link LowkiqKafkaSource#id()} says
	 */
	public KafkaSource id(String text) {
		return new KafkaSource(this.queue, this.topics, text, this.score, this.groupId, this.concurrency,
				this.payloadType, this.payload, this.tombstones);
	}

	/**
	 * Sets what orders the payloads of an id.
	 * @param text as {@link LowkiqKafkaSource#score()} says
	 */
	public KafkaSource score(String text) {
		return new KafkaSource(this.queue, this.topics, this.id, text, this.groupId, this.concurrency, this.payloadType,
				this.payload, this.tombstones);
	}

	/** Sets the consumer group. */
	public KafkaSource groupId(String group) {
		return new KafkaSource(this.queue, this.topics, this.id, this.score, group, this.concurrency, this.payloadType,
				this.payload, this.tombstones);
	}

	/**
	 * Sets the number of consumers.
	 * @param consumers the number, 1 or more
	 */
	public KafkaSource concurrency(int consumers) {
		return new KafkaSource(this.queue, this.topics, this.id, this.score, this.groupId, consumers, this.payloadType,
				this.payload, this.tombstones);
	}

	/**
	 * Sets the type of the payloads, where this application doesn't have the worker of
	 * the queue.
	 */
	public KafkaSource payloadType(Type type) {
		return new KafkaSource(this.queue, this.topics, this.id, this.score, this.groupId, this.concurrency, type,
				this.payload, this.tombstones);
	}

	/**
	 * Sets what makes the payload of a record, for instance of a tombstone, whose value
	 * is null.
	 * @param function gets the record as the deserializers of the application have read
	 * it, and returns a payload of the worker's type. If it throws or returns null, the
	 * record goes to the morgue. Called by several threads
	 */
	public KafkaSource payload(Function<ConsumerRecord<?, ?>, ?> function) {
		return new KafkaSource(this.queue, this.topics, this.id, this.score, this.groupId, this.concurrency,
				this.payloadType, function, this.tombstones);
	}

	/** Sets what to do with records that have no value. */
	public KafkaSource tombstones(Tombstones treatment) {
		return new KafkaSource(this.queue, this.topics, this.id, this.score, this.groupId, this.concurrency,
				this.payloadType, this.payload, treatment);
	}

	/** The decision about tombstones. */
	Tombstones treatmentOfTombstones() {
		return (this.tombstones != null) ? this.tombstones
				: (this.payload != null) ? Tombstones.AS_NULL : Tombstones.BURY;
	}

}
