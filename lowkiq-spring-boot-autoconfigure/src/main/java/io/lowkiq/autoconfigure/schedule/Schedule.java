package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * When a recurring job is enqueued. Where clocks change, it does what Vixie cron does. An
 * expression with a fixed time of day, one whose minute and hour are neither a wildcard
 * nor a step, runs once each day: at the next moment that exists if its time is skipped,
 * and at the first one if its time comes twice. Any other expression runs at each moment
 * whose local time matches.
 *
 * @param id the id of the jobs
 * @param cron the expression
 * @param zone its time zone
 */
public record Schedule(String id, String cron, ZoneId zone) {

	private static final Pattern FIELDS = Pattern.compile("\\s+");

	private static final int MINUTE = 1;

	private static final int HOUR = 2;

	/**
	 * The first time of the schedule after another time.
	 * @param time the other time
	 * @return the next time; null if there is none
	 * @throws IllegalArgumentException if the expression can't be parsed
	 */
	public @Nullable Instant after(Instant time) {
		CronExpression expression = CronExpression.parse(this.cron);
		ZoneRules rules = this.zone.getRules();
		return isFixedTimeOfDay() ? nextOfFixedTime(expression, rules, time) : nextMoment(expression, rules, time);
	}

	private boolean isFixedTimeOfDay() {
		String expression = this.cron.strip();
		if (expression.startsWith("@")) {
			return !expression.equals("@hourly");
		}
		String[] fields = FIELDS.split(expression, -1);
		return isFixed(fields[MINUTE]) && isFixed(fields[HOUR]);
	}

	private static boolean isFixed(String field) {
		return field.chars().noneMatch((c) -> c == '*' || c == '?' || c == '/');
	}

	/**
	 * Local times are mapped to moments, so that none is left out and none comes twice.
	 */
	private static @Nullable Instant nextOfFixedTime(CronExpression expression, ZoneRules rules, Instant time) {
		LocalDateTime local = LocalDateTime.ofInstant(time, rules.getOffset(time));
		for (local = expression.next(local); local != null; local = expression.next(local)) {
			Instant moment = firstMomentOf(local, rules);
			if (moment.isAfter(time)) {
				return moment;
			}
		}
		return null;
	}

	private static Instant firstMomentOf(LocalDateTime local, ZoneRules rules) {
		ZoneOffsetTransition transition = rules.getTransition(local);
		if (transition == null) {
			return local.toInstant(rules.getOffset(local));
		}
		return transition.isGap() ? transition.getInstant() : local.toInstant(transition.getOffsetBefore());
	}

	/**
	 * The offset is constant between two transitions, so local time only goes forward.
	 */
	private static @Nullable Instant nextMoment(CronExpression expression, ZoneRules rules, Instant time) {
		ZoneOffset offset = rules.getOffset(time);
		ZoneOffsetTransition transition = rules.nextTransition(time);
		LocalDateTime next = expression.next(LocalDateTime.ofInstant(time, offset));
		while (next != null && transition != null && !next.toInstant(offset).isBefore(transition.getInstant())) {
			offset = transition.getOffsetAfter();
			next = expression.next(transition.getDateTimeAfter().minusNanos(1));
			transition = rules.nextTransition(transition.getInstant());
		}
		return (next != null) ? next.toInstant(offset) : null;
	}

	/**
	 * The tick to enqueue when a schedule has none in its queue.
	 * @param first the first time of the schedule
	 * @return the tick
	 */
	ScheduleTick start(Instant first) {
		return new ScheduleTick(this.cron, this.zone.getId(), 0, first.toEpochMilli(), 0, 0);
	}

	/**
	 * The tick that waits for a time of the schedule.
	 * @param time the time
	 * @param last the time of the last job, in milliseconds since 1970; 0 for none
	 * @return the tick
	 */
	ScheduleTick tick(Instant time, long last) {
		return new ScheduleTick(this.cron, this.zone.getId(), time.toEpochMilli(), 0, 0, last);
	}

}
