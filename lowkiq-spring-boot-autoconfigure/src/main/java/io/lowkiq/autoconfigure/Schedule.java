package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * When a recurring job is enqueued.
 *
 * @param id the id of the jobs
 * @param cron the expression
 * @param zone its time zone
 */
record Schedule(String id, String cron, ZoneId zone) {

	/**
	 * The first time of the schedule after another time.
	 * @param time the other time
	 * @return the next time; null if there is none
	 */
	@Nullable Instant after(Instant time) {
		ZonedDateTime next = CronExpression.parse(this.cron).next(time.atZone(this.zone));
		return (next != null) ? next.toInstant() : null;
	}

	/**
	 * What is enqueued when a node has started.
	 * @return the tick
	 */
	ScheduleTick start() {
		return new ScheduleTick(this.cron, this.zone.getId(), 0);
	}

	/**
	 * What is enqueued to wait for a time of the schedule.
	 * @param time the time
	 * @return the tick
	 */
	ScheduleTick tick(Instant time) {
		return new ScheduleTick(this.cron, this.zone.getId(), time.toEpochMilli());
	}

}
