package io.lowkiq.autoconfigure.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The times of schedules where clocks change. */
class ScheduleTests {

	private static List<ZonedDateTime> times(String cron, String zone, Instant from, Instant to) {
		Schedule schedule = new Schedule("id", cron, ZoneId.of(zone));
		List<ZonedDateTime> times = new ArrayList<>();
		for (Instant time = schedule.after(from.minusNanos(1)); time != null
				&& time.isBefore(to); time = schedule.after(time)) {
			times.add(time.atZone(ZoneId.of(zone)));
		}
		return times;
	}

	private static List<ZonedDateTime> timesOf(String cron, String zone, LocalDate day) {
		ZoneId id = ZoneId.of(zone);
		return times(cron, zone, day.atStartOfDay(id).toInstant(), day.plusDays(1).atStartOfDay(id).toInstant());
	}

	@ParameterizedTest
	@CsvSource({ "Europe/Berlin, 0 30 2 * * *, 2027-03-28, 2027-03-28T01:00:00Z",
			"Europe/Berlin, 0 30 2 * * *, 2027-10-31, 2027-10-31T00:30:00Z",
			"Europe/Berlin, 0 0 3 * * *, 2027-03-28, 2027-03-28T01:00:00Z",
			"Europe/Berlin, @daily, 2027-03-28, 2027-03-27T23:00:00Z",
			"America/Havana, 0 0 0 * * *, 2027-03-14, 2027-03-14T05:00:00Z",
			"Africa/Cairo, @midnight, 2025-04-25, 2025-04-24T22:00:00Z" })
	void aFixedTimeRunsOnceOnADayWhenClocksChange(String zone, String cron, LocalDate day, Instant expected) {
		assertThat(timesOf(cron, zone, day)).extracting(ZonedDateTime::toInstant).containsExactly(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Europe/Berlin", "America/New_York", "America/Havana", "Africa/Cairo" })
	void aDailyJobRunsOnceADay(String zone) {
		LocalDate first = LocalDate.of(2025, 1, 1);
		for (String time : List.of("0 0 0", "0 30 0", "0 0 1", "0 30 1", "0 30 2", "0 0 3", "0 59 23")) {
			List<ZonedDateTime> times = times(time + " * * *", zone, first.atStartOfDay(ZoneId.of(zone)).toInstant(),
					first.plusYears(2).atStartOfDay(ZoneId.of(zone)).toInstant());
			assertThat(times).extracting(ZonedDateTime::toLocalDate)
				.containsExactlyElementsOf(first.datesUntil(first.plusYears(2)).toList());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Europe/Berlin", "America/New_York", "America/Havana", "Africa/Cairo" })
	void aStepRunsAtEachRealMoment(String zone) {
		Instant from = Instant.parse("2025-01-01T12:00:00Z");
		Instant to = Instant.parse("2027-01-01T12:00:00Z");
		assertThat(times("0 */15 * * * *", zone, from, to)).extracting(ZonedDateTime::toInstant)
			.containsExactlyElementsOf(moments(from, to, zone, (time) -> time.getMinute() % 15 == 0));
		assertThat(times("0 0 */2 * * ?", zone, from, to)).extracting(ZonedDateTime::toInstant)
			.containsExactlyElementsOf(
					moments(from, to, zone, (time) -> time.getMinute() == 0 && time.getHour() % 2 == 0));
	}

	private static List<Instant> moments(Instant from, Instant to, String zone,
			java.util.function.Predicate<LocalTime> matches) {
		List<Instant> moments = new ArrayList<>();
		for (Instant moment = from; moment.isBefore(to); moment = moment.plusSeconds(15 * 60)) {
			if (matches.test(moment.atZone(ZoneId.of(zone)).toLocalTime())) {
				moments.add(moment);
			}
		}
		return moments;
	}

	@Test
	void everyTwoHoursDoesNotLoseTheDayOfTheChangeInCairo() {
		assertThat(timesOf("0 0 */2 * * ?", "Africa/Cairo", LocalDate.of(2025, 4, 25))).hasSize(11);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 30 0-23 * * *", "0 30 0-11,12-23 * * *", "0 30 0/1 * * *", "0 30 */1 * * *",
			"0 30 * * * *" })
	void anHourlyJobRunsEachHourHoweverItIsWritten(String cron) {
		assertThat(timesOf(cron, "Europe/Berlin", LocalDate.of(2026, 10, 25))).hasSize(25);
		assertThat(timesOf(cron, "Europe/Berlin", LocalDate.of(2026, 3, 29))).hasSize(23)
			.extracting(ZonedDateTime::toInstant)
			.doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 0/60 2 * * *", "0 */60 2 * * *", "0 0 2/24 * * *", "0 0 2-2 * * *" })
	void aStepThatTakesOneValueIsAFixedTime(String cron) {
		assertThat(timesOf(cron, "Europe/Berlin", LocalDate.of(2026, 3, 29))).extracting(ZonedDateTime::toInstant)
			.containsExactly(Instant.parse("2026-03-29T01:00:00Z"));
		assertThat(timesOf(cron, "Europe/Berlin", LocalDate.of(2026, 10, 25))).extracting(ZonedDateTime::toInstant)
			.containsExactly(Instant.parse("2026-10-25T00:00:00Z"));
	}

	@Test
	void severalFixedTimesThatAreSkippedRunTogetherOnce() {
		assertThat(timesOf("0 0-30 2 * * *", "Europe/Berlin", LocalDate.of(2026, 3, 29)))
			.extracting(ZonedDateTime::toInstant)
			.containsExactly(Instant.parse("2026-03-29T01:00:00Z"));
		assertThat(timesOf("0 0-30 2 * * *", "Europe/Berlin", LocalDate.of(2026, 10, 25))).hasSize(31)
			.extracting(ZonedDateTime::getOffset)
			.containsOnly(ZoneOffset.ofHours(2));
	}

	@Test
	void minutesOfAWholeHourAreAStep() {
		assertThat(timesOf("0 0-59 2 * * *", "Europe/Berlin", LocalDate.of(2026, 3, 29))).isEmpty();
		assertThat(timesOf("0 0-59 2 * * *", "Europe/Berlin", LocalDate.of(2026, 10, 25))).hasSize(120);
	}

	@Test
	void aDateThatDoesNotExistNeverComes() {
		assertThat(new Schedule("id", "0 0 12 31 2 *", ZoneId.of("UTC")).after(Instant.EPOCH)).isNull();
	}

}
