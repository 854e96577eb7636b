package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.time.ZoneId;

/**
 * The payload of a job that waits for the next time of a schedule, or that says that a
 * node has started. It has the expression, so that nodes with different ones agree: the
 * last one holds.
 *
 * @param cron the expression
 * @param zone the id of its time zone
 * @param time the time, in milliseconds since 1970; 0 if a node has started
 */
record ScheduleTick(String cron, String zone, long time) {

	boolean isOf(ScheduleTick other) {
		return this.cron.equals(other.cron) && this.zone.equals(other.zone);
	}

	boolean hasTime() {
		return this.time != 0;
	}

	Instant instant() {
		return Instant.ofEpochMilli(this.time);
	}

	Schedule schedule(String id) {
		return new Schedule(id, this.cron, ZoneId.of(this.zone));
	}

}
