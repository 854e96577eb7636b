package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.time.ZoneId;

/**
 * The payload of a job that waits for the next time of a schedule, or that announces a
 * schedule. It has the expression, so that nodes with different ones agree: the last one
 * holds. Times are milliseconds since 1970, or 0.
 *
 * @param time the time to wait for; 0 for an announcement
 * @param first the first time after an announcement; else 0
 * @param unknownSince since when only nodes without the schedule have seen the tick; 0 if
 * a node that has it was the last one
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

	/** This tick as a node passes it on that doesn't have the schedule. */
	ScheduleTick passedOn(long awaited, long since, long lastTime) {
		return new ScheduleTick(this.cron, this.zone, awaited, 0, since, lastTime);
	}

	/** A tick of the same expression that waits for a time. */
	ScheduleTick at(Instant next, long lastTime) {
		return new ScheduleTick(this.cron, this.zone, next.toEpochMilli(), 0, 0, lastTime);
	}

}
