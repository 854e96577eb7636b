package io.lowkiq.autoconfigure.kafka;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Enqueues the records of Kafka topics. Stands on a worker or on any other bean, such as
 * a configuration class. All texts may have placeholders, {@code ${…}}.
 * <p>
 * A {@link KafkaSource} bean does the same, and can turn records into payloads by code.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(LowkiqKafkaSource.Container.class)
public @interface LowkiqKafkaSource {

	/**
	 * The topics, at least one.
	 * @return the names
	 */
	String[] topics();

	/**
	 * The queue. May be left out on a worker: it is the worker's then.
	 * @return the queue's name
	 */
	String queue() default "";

	/**
	 * The id of a record's job: a text with SpEL expressions, {@code #{…}}, of
	 * {@code key}, {@code value} (the payload), {@code headers} (a map of texts),
	 * {@code topic}, {@code partition}, {@code offset} and {@code timestamp}.
	 * @return the text
	 */
	String id() default "#{key}";

	/**
	 * The order of an id's payloads: {@code offset}, {@code timestamp}, or a SpEL
	 * expression, {@code #{…}}, as for the id, whose result is a number.
	 * @return the text
	 */
	String score() default "offset";

	/**
	 * The consumer group. Without one, it is
	 * {@code <spring.kafka.consumer.group-id>-<queue>}, or without that property
	 * {@code <lowkiq.key-prefix>-<queue>}.
	 * @return the group's id
	 */
	String groupId() default "";

	/**
	 * The number of consumers, at most as many as there are partitions; without one,
	 * {@code spring.kafka.listener.concurrency}, else 1.
	 * @return a number of 1 or more
	 */
	String concurrency() default "";

	/**
	 * The type of the payloads, where this application doesn't have the worker of the
	 * queue.
	 * @return the class; {@code void} for the worker's payload type
	 */
	Class<?> payloadType() default void.class;

	/**
	 * The treatment of records that have no value.
	 * @return by default, they go to the morgue
	 */
	Tombstones tombstones() default Tombstones.BURY;

	/** Holds several sources. */
	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Container {

		/**
		 * The sources.
		 * @return the sources
		 */
		LowkiqKafkaSource[] value();

	}

}
