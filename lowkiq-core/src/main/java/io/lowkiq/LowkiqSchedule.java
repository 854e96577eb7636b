package io.lowkiq;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Enqueues a job again and again, at the times of a cron expression. Stands on the class
 * of a worker, whose {@link QueueWorker#payloadAt} makes the payloads. Overridden by
 * {@code lowkiq.workers.<queue>.schedules.<id>.cron} and {@code .zone}.
 * <p>
 * Each time gives one job, whatever the number of nodes. If no node of the queue runs at
 * one or several of its times, one job is enqueued as soon as one runs again, with the
 * first of these times. A changed expression takes effect when a node starts with it. The
 * next time of each schedule is that of a delayed job of the queue
 * {@code <queue>.schedules}, which has one shard.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(LowkiqSchedule.Schedules.class)
public @interface LowkiqSchedule {

	/**
	 * The id of the jobs. A job that is still queued when the next one is enqueued
	 * gathers with it.
	 * @return the id, unlike that of the worker's other schedules
	 */
	String id();

	/**
	 * When a job is enqueued, as Spring's
	 * {@link org.springframework.scheduling.support.CronExpression}: second, minute,
	 * hour, day of month, month, day of week; or {@code @daily} and the like. May have
	 * placeholders.
	 * @return the expression; {@code "-"} for never
	 */
	String cron();

	/**
	 * The time zone of the expression. May have placeholders.
	 * @return the id of the zone, such as {@code Europe/Berlin}; empty for that of the
	 * JVM, which should be the same on all nodes
	 */
	String zone() default "";

	/**
	 * Several schedules of a worker.
	 */
	@Target(ElementType.TYPE)
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
