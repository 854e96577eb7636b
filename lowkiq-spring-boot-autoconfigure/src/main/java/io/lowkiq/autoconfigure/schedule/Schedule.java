package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * When a recurring job is enqueued. Where clocks change, it does what Vixie cron does. An
 * expression with fixed times of day, one whose minute and hour are no steps, runs once
 * at each of them: at the next moment that exists if the time is skipped, and at the
 * first one if it comes twice. Any other expression runs at each moment whose local time
 * matches. A field is a step if it takes all values, however they are written, or several
 * ones by a slash.
 */
public record Schedule(String id, String cron, ZoneId zone) {

	private static final Pattern FIELDS = Pattern.compile("\\s+");

	private static final Pattern ELEMENTS = Pattern.compile(",");

	/** A field, and how an expression has each of its values once on a day. */
	private enum Field {

		MINUTE(1, 60, "0 %s 0 * * *"), HOUR(2, 24, "0 0 %s * * *");

		private final int place;

		private final int size;

		private final String daily;

		Field(int place, int size, String daily) {
			this.place = place;
			this.size = size;
			this.daily = daily;
		}

		boolean isStep(String[] fields) {
			String field = fields[this.place];
			return values(field) == this.size || ELEMENTS.splitAsStream(field)
				.anyMatch((element) -> element.indexOf('/') >= 0 && values(element) > 1);
		}

		private long values(String field) {
			CronExpression expression = CronExpression.parse(this.daily.formatted(field));
			LocalDateTime day = LocalDate.EPOCH.atStartOfDay();
			return Stream
				.iterate(expression.next(day.minusNanos(1)), (time) -> time != null && time.isBefore(day.plusDays(1)),
						expression::next)
				.count();
		}

	}

	/**
	 * The first time of the schedule after another time.
	 * @return the next time; null if there is none
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
		return !Field.MINUTE.isStep(fields) && !Field.HOUR.isStep(fields);
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

	/** The tick to enqueue when a schedule has none in its queue. */
	ScheduleTick start(Instant first) {
		return new ScheduleTick(this.cron, this.zone.getId(), 0, first.toEpochMilli(), 0, 0);
	}

	/**
	 * The tick that waits for a time of the schedule.
	 * @param last the time of the last job, in milliseconds since 1970; 0 for none
	 */
	ScheduleTick tick(Instant time, long last) {
		return new ScheduleTick(this.cron, this.zone.getId(), time.toEpochMilli(), 0, 0, last);
	}

}
