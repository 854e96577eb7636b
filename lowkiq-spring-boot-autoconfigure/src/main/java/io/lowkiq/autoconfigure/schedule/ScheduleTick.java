package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.time.ZoneId;

/**
 * The payload of a job that waits for the next time of a schedule, or that announces a
 * schedule. It has the expression, so that nodes with different ones agree: the last one
 * holds.
 *
 * @param time the time to wait for, in milliseconds since 1970; 0 for an announcement
 * @param first the first time after an announcement, in milliseconds since 1970; else 0
 * @param unknownSince since when only nodes without the schedule have seen the tick, in
 * milliseconds since 1970; 0 if a node that has it was the last one
 * @param last the time of the last job, in milliseconds since 1970; 0 if there was none
 */
public record ScheduleTick(String cron, String zone, long time, long first, long unknownSince, long last) {

	boolean isOf(ScheduleTick other) {
		return this.cron.equals(other.cron) && this.zone.equals(other.zone);
	}

	Instant instant() {
		return Instant.ofEpochMilli(this.time);
	}

	Schedule schedule(String id) {
		return new Schedule(id, this.cron, ZoneId.of(this.zone));
	}

	/**
	 * This tick as a node passes it on that doesn't have the schedule.
	 * @param awaited the time to wait for, in milliseconds since 1970; 0 for none
	 * @param since since when it has been passed on, in milliseconds since 1970
	 * @param lastTime the time of the last job, in milliseconds since 1970; 0 for none
	 */
	ScheduleTick passedOn(long awaited, long since, long lastTime) {
		return new ScheduleTick(this.cron, this.zone, awaited, 0, since, lastTime);
	}

	/**
	 * A tick of the same expression that waits for a time.
	 * @param lastTime the time of the last job, in milliseconds since 1970; 0 for none
	 */
	ScheduleTick at(Instant next, long lastTime) {
		return new ScheduleTick(this.cron, this.zone, next.toEpochMilli(), 0, 0, lastTime);
	}

}
