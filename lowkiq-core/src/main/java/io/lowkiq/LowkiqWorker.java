package io.lowkiq;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * Marks a bean as the worker of one queue. The bean implements {@link Worker},
 * {@link PayloadWorker} or {@link BatchWorker}. It is a Spring stereotype, so component
 * scanning finds annotated classes. On a {@code @Bean} method, it makes the returned
 * object a worker.
 * <p>
 * All texts but the bean's name may have placeholders, {@code ${…}}. The properties
 * {@code lowkiq.workers.<queue>.*} override the attributes.
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

	/** The default maximum number of retries before a payload goes to the morgue. */
	int DEFAULT_MAX_RETRY_COUNT = 25;

	/**
	 * Alias for {@link #queue()}, for instance {@code @LowkiqWorker("orders")}.
	 * @return the queue's name, or empty for the simple name of the worker's class
	 */
	@AliasFor("queue")
	String value() default "";

	/**
	 * The queue's name: 1 to 200 letters, digits, {@code .}, {@code _} or {@code -}.
	 * @return the queue's name, or empty for the simple name of the worker's class
	 */
	@AliasFor("value")
	String queue() default "";

	/**
	 * The bean's name, as in {@link Component#value()}; ignored on a method.
	 * @return the bean's name, or empty for the generated one
	 */
	@AliasFor(annotation = Component.class, attribute = "value")
	String beanName() default "";

	/**
	 * The number of shards, 1 to 65,536. A shard belongs to one node at a time, so this
	 * limits how many nodes can share the queue. It can't be changed later.
	 * @return the number of shards
	 */
	int shards() default DEFAULT_SHARDS;

	/**
	 * The number of ids that a {@link BatchWorker} gets at once, at least 1; other
	 * workers always get one.
	 * @return the number of ids in a batch
	 */
	int batchSize() default DEFAULT_BATCH_SIZE;

	/**
	 * The maximum number of retries before a payload goes to the morgue, at least 0. With
	 * 0, it goes there after its first failure.
	 * @return the number of retries
	 */
	int maxRetryCount() default DEFAULT_MAX_RETRY_COUNT;

	/**
	 * The maximum number of ids of one shard that are performed at a time, 0 to 1,000.
	 * With 0, only the node's threads limit it; with 1, ids are performed one at a time,
	 * as in the Ruby gem.
	 * @return the number of ids, or 0 for no limit
	 */
	int shardConcurrency() default 0;

	/**
	 * The separator between the group of an id and the rest, 1 to 8 characters such as
	 * {@code :}. Groups take turns, so that one with many jobs doesn't delay the others:
	 * a free thread takes a job of the group that has used the least thread time on its
	 * node. Ids without the separator form one group together.
	 * @return the separator, or empty for no groups
	 */
	String groupSeparator() default "";

	/**
	 * Whether all ids of a group belong to one shard, and so to one node at a time. Then
	 * a group can have limits. The shards are as evenly used as the groups are. It can't
	 * be changed later, nor can the separator.
	 * @return whether the group decides the shard
	 */
	boolean oneShardPerGroup() default false;

	/**
	 * Exceptions after which the failed payloads go to the morgue at once, instead of
	 * being retried. Subclasses are included, unless {@link #discardOn()} names a closer
	 * class.
	 * @return the types of the exceptions
	 */
	Class<? extends Throwable>[] buryOn() default {};

	/**
	 * Exceptions after which the failed payloads are dropped. Subclasses are included,
	 * unless {@link #buryOn()} names a closer class.
	 * @return the types of the exceptions
	 */
	Class<? extends Throwable>[] discardOn() default {};

	/**
	 * The action to take when a job's retries are used up.
	 * @return the action
	 */
	RetriesExhausted retriesExhausted() default RetriesExhausted.BURY_OLDEST;

	/**
	 * How long a payload that can't be read is tried again before it goes to the morgue,
	 * so that a rolling deploy loses nothing. Meanwhile it keeps its position in the
	 * order, and the attempts don't count as retries.
	 * @return a duration in the format of properties, such as {@code 15m} or
	 * {@code PT15M}
	 */
	String unreadableGrace() default "15m";

	/**
	 * How long one call of the worker may take. After this time, its thread is
	 * interrupted, and everything that is not marked done fails with a
	 * {@link PerformTimeoutException}. A worker that ignores the interrupt keeps its ids
	 * and its thread until it returns.
	 * @return a duration such as {@code 30s}; no limit by default
	 */
	String performTimeout() default "0";

	/**
	 * The quiet time: how long no payload may be enqueued for an id before it is
	 * performed, so that changes gather. Takes effect once a server has served the queue.
	 * @return a duration such as {@code 500ms}; none by default
	 */
	String debounce() default "0";

	/**
	 * The longest time that an id waits after its first payload while more arrive. An id
	 * also becomes due when it has {@code max-payloads} payloads.
	 * @return a duration such as {@code 5s}, not shorter than {@link #debounce()}; no
	 * limit by default
	 */
	String maxWait() default "0";

	/**
	 * The minimum time between the end of one run of an id and the start of the next.
	 * @return a duration such as {@code 10s}; none by default
	 */
	String minInterval() default "0";

	/**
	 * The payloads to keep when several wait together.
	 * @return the payloads; all by default
	 */
	Keep keep() default Keep.ALL;

	/**
	 * The score to keep when equal payloads wait together.
	 * @return the score; the earliest by default, as in the Ruby gem
	 */
	EqualPayloads equalPayloads() default EqualPayloads.EARLIEST;

	/**
	 * The effect of a new payload on an id that waits for a retry.
	 * @return the effect; by default, the payload waits, too
	 */
	WhileRetryWaits whileRetryWaits() default WhileRetryWaits.WAIT;

	/** The payloads to keep when several wait together. */
	enum Keep {

		/** All of them. */
		ALL,

		/** The one with the largest score; the others are dropped. */
		LATEST

	}

	/** The score to keep when equal payloads wait together. */
	enum EqualPayloads {

		/** The smaller one. For ON, OFF, ON, the worker gets [ON, OFF]. */
		EARLIEST,

		/** The larger one. For ON, OFF, ON, the worker gets [OFF, ON]. */
		LATEST

	}

	/** The effect of a new payload on an id that waits for a retry. */
	enum WhileRetryWaits {

		/** It waits for the retry, too. */
		WAIT,

		/**
		 * It makes the retry due now, or after the {@link LowkiqWorker#debounce()
		 * debounce}.
		 */
		RETRY_NOW

	}

}
