package io.lowkiq.autoconfigure;

import java.time.Instant;
import java.time.ZoneId;

/**
 * The payload of a job that waits for the next time of a schedule. It says by itself what
 * comes after it, so a node with another expression goes on with the latest one.
 *
 * @param cron the expression
 * @param zone the id of its time zone
 * @param time the time, in milliseconds since 1970
 */
record ScheduleTick(String cron, String zone, long time) {

	boolean isOf(ScheduleTick other) {
		return this.cron.equals(other.cron) && this.zone.equals(other.zone);
	}

	Instant instant() {
		return Instant.ofEpochMilli(this.time);
	}

	Schedule schedule(String id) {
		return new Schedule(id, this.cron, ZoneId.of(this.zone));
	}

}
