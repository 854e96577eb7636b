package io.lowkiq;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Enqueues a recurring job at the times of a cron expression. Annotates the class or the
 * {@code @Bean} method of a worker, whose {@link QueueWorker#payloadAt} method creates
 * the payloads. Can be overridden by {@code lowkiq.workers.<queue>.schedules.<id>.cron}
 * and {@code .zone}. All texts may have placeholders, {@code ${…}}.
 * <p>
 * One job is enqueued each time, regardless of the number of nodes. If no node of the
 * queue is running at one or more of these times, a single job is enqueued as soon as a
 * node runs again, for the first of the missed times. A changed expression takes effect
 * when a node starts with it. The next time of each schedule is kept as a delayed job of
 * the queue {@code <queue>.schedules}, which has one shard.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(LowkiqSchedule.Schedules.class)
public @interface LowkiqSchedule {

	/**
	 * The id of the jobs. A job that is still queued when the next one is enqueued
	 * gathers with it.
	 * @return the id, unique among the schedules of the worker
	 */
	String id();

	/**
	 * When to enqueue a job, in the format of Spring's
	 * {@link org.springframework.scheduling.support.CronExpression}: second, minute,
	 * hour, day of month, month, day of week; or a macro such as {@code @daily}.
	 * @return the expression; {@code "-"} for never
	 */
	String cron();

	/**
	 * The time zone of the expression.
	 * @return the id of the zone, such as {@code Europe/Berlin}; empty for the JVM's
	 * default, which should be the same on all nodes
	 */
	String zone() default "";

	/** Several schedules of a worker. */
	@Target({ ElementType.TYPE, ElementType.METHOD })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Schedules {

		/**
		 * The schedules.
		 * @return the schedules
		 */
		LowkiqSchedule[] value();

	}

}
