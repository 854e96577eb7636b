package io.lowkiq;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * Marks a bean as the worker of one queue. The bean implements {@link Worker} or
 * {@link BatchWorker}. It is a Spring stereotype, so an annotated class is found by
 * component scanning; on a {@code @Bean} method it makes the method's product a worker.
 * <p>
 * Every attribute can be overridden by {@code lowkiq.workers.<queue>.*}.
 */
@Documented
@Component
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.METHOD })
public @interface LowkiqWorker {

	/** The default number of shards of a queue. */
	int DEFAULT_SHARDS = 5;

	/** The default number of ids that a {@link BatchWorker} gets at once. */
	int DEFAULT_BATCH_SIZE = 1;

	/** The default number of failures after which a payload goes to the morgue. */
	int DEFAULT_MAX_RETRY_COUNT = 25;

	/**
	 * The bean's name, as in {@link Component#value()}; ignored on a method.
	 * @return the bean's name, or empty for the generated one
	 */
	@AliasFor(annotation = Component.class, attribute = "value")
	String value() default "";

	/**
	 * The queue's name: 1 to 200 characters out of letters, digits, {@code .}, {@code _}
	 * and {@code -}. Placeholders are resolved.
	 * @return the queue's name, or empty for the simple name of the worker's class
	 */
	String queue() default "";

	/**
	 * The number of shards, 1 to 65,536. A shard belongs to one node at a time, so this
	 * bounds how many nodes share the queue. It can't be changed later.
	 * @return the number of shards
	 */
	int shards() default DEFAULT_SHARDS;

	/**
	 * The number of ids that a {@link BatchWorker} gets at once, at least 1; a
	 * {@link Worker} always gets one.
	 * @return the number of ids in a batch
	 */
	int batchSize() default DEFAULT_BATCH_SIZE;

	/**
	 * The number of failures after which a payload goes to the morgue, at least 0. With 0
	 * nothing is retried.
	 * @return the number of planned retries
	 */
	int maxRetryCount() default DEFAULT_MAX_RETRY_COUNT;

	/**
	 * How many ids of one shard are performed at a time, 0 to 1,000. With 0, as many as
	 * the node has threads; with 1, one after the other, as in the Ruby gem.
	 * @return the number of ids, or 0 for no limit
	 */
	int shardConcurrency() default 0;

}
