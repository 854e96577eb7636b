package io.lowkiq.dashboard.history;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.dashboard.history.ThroughputLog.Day;
import io.lowkiq.dashboard.history.ThroughputLog.Sample;
import io.lowkiq.dashboard.history.ThroughputLog.Total;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What every {@link ThroughputLog} does.
 */
abstract class ThroughputLogContract {

	private static final long DAY = 86_400_000;

	private static final long START = 20_000 * DAY;

	private static final long MINUTE = 60_000;

	abstract ThroughputLog log();

	private void write(long now, long minute, Map<String, PeriodLog.Sample> samples) {
		new PeriodLog(log()).write(now, minute, samples);
	}

	private static PeriodLog.Sample sample(long processed, long failed, long lag, long enqueued, Long... performs) {
		return new PeriodLog.Sample(new Total(processed, failed), lag, enqueued, 2 * enqueued,
				new PerformCounts(List.of(performs)));
	}

	private List<PeriodHistory.Point> points(Period period, @Nullable String queue, long now) {
		return PeriodHistory.of(period, new PeriodLog(log()).steps(period, queue, now)).points();
	}

	@Test
	void remembersTheMinutesOfAnHourOfEachQueueAndOfAllTogether() {
		write(START, START / MINUTE - 2, Map.of("a", sample(100, 10, 5, 1), "b", sample(0, 0, 0, 0)));
		write(START + MINUTE, START / MINUTE - 1, Map.of("a", sample(160, 40, 9, 2), "b", sample(6, 0, 70, 30)));
		write(START + 2 * MINUTE, START / MINUTE, Map.of("a", sample(160, 40, 0, 3), "b", sample(6, 0, 7, 0)));
		assertThat(points(Period.HOUR, "a", START + 2 * MINUTE)).containsExactly(
				new PeriodHistory.Point(START + MINUTE, 1, 0.5, 9, 2, 4, null, null),
				new PeriodHistory.Point(START + 2 * MINUTE, 0, 0, 0, 3, 6, null, null));
		assertThat(points(Period.HOUR, null, START + 2 * MINUTE)).containsExactly(
				new PeriodHistory.Point(START + MINUTE, 1.1, 0.5, 70, 32, 64, null, null),
				new PeriodHistory.Point(START + 2 * MINUTE, 0, 0, 7, 3, 6, null, null));
		assertThat(points(Period.HOUR, "unknown", START)).isEmpty();
	}

	@Test
	void aLongStepHasTheLargestLagTheLastCountsAndWhatWasProcessedInAllOfIt() {
		write(START, START / MINUTE - 2, Map.of("a", sample(0, 0, 0, 0)));
		for (int minute = 1; minute < 10; minute++) {
			write(START + minute * MINUTE, START / MINUTE - 2 + minute,
					Map.of("a", sample(minute * 120, minute * 60, (minute == 4) ? 900 : 3, minute)));
		}
		PeriodHistory.Point all = new PeriodHistory.Point(START, 2, 1, 900, 9, 18, null, null);
		assertThat(points(Period.DAY, "a", START + 9 * MINUTE)).containsExactly(all);
		assertThat(points(Period.WEEK, "a", START + 9 * MINUTE)).containsExactly(all);
	}

	@Test
	void thePerformsOfAMinuteAreAddedOnceToTheStepsOfThatMinute() {
		long minute = START / MINUTE;
		write(START + 10_000, minute - 2, Map.of("a", sample(0, 0, 0, 0, 7L)));
		for (int i = 2; i < 6; i++) {
			write(START + i * 10_000, minute - 2, Map.of("a", sample(0, 0, 0, 0, 7L)));
		}
		for (int i = 0; i < 6; i++) {
			write(START + 2 * MINUTE + i * 10_000, minute, Map.of("a", sample(0, 0, 0, 0, 0L, 0L, 0L, 10L)));
		}
		List<PeriodHistory.Point> minutes = points(Period.HOUR, "a", START + 3 * MINUTE);
		assertThat(minutes).extracting("at").startsWith(START, START + 2 * MINUTE);
		// Between 4 and 8 ms
		assertThat(minutes.get(0).p50()).isEqualTo(6);
		assertThat(minutes.get(0).p95()).isEqualTo(7.8);
		// What was performed before the history began is in no step
		assertThat(new PeriodLog(log()).steps(Period.WEEK, "a", START + 3 * MINUTE)).singleElement()
			.satisfies((step) -> assertThat(step.performs().text()).isEqualTo("3:10"));
	}

	@Test
	void thePercentilesOfALongStepAreThoseOfAllItsPerforms() {
		long minute = START / MINUTE;
		for (int i = 0; i < 4; i++) {
			// 10 of 4 to 8 ms and 10 of 32 to 64 ms, then 20 of 64 to 128 ms
			write(START + i * MINUTE, minute + i - 1,
					Map.of("a", (i == 1) ? sample(0, 0, 0, 0, 0L, 0L, 0L, 10L) : (i == 2)
							? sample(0, 0, 0, 0, 0L, 0L, 0L, 0L, 0L, 0L, 10L)
							: (i == 3) ? sample(0, 0, 0, 0, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 20L) : sample(0, 0, 0, 0)));
		}
		for (Period period : List.of(Period.DAY, Period.WEEK)) {
			assertThat(points(period, "a", START + 3 * MINUTE)).singleElement().satisfies((point) -> {
				assertThat(point.p50()).isEqualTo(64);
				assertThat(point.p95()).isEqualTo(121.6);
			});
			assertThat(points(period, null, START + 3 * MINUTE)).isEqualTo(points(period, "a", START + 3 * MINUTE));
		}
	}

	@Test
	void aGapIsNoPointAndNothingIsSpreadOverIt() {
		write(START, 0, Map.of("a", sample(0, 0, 0, 0)));
		write(START + MINUTE, 0, Map.of("a", sample(60, 0, 0, 0)));
		write(START + 20 * MINUTE, 0, Map.of("a", sample(999_999, 0, 0, 0)));
		write(START + 21 * MINUTE, 0, Map.of("a", sample(999_999 + 120, 0, 0, 0)));
		assertThat(points(Period.HOUR, "a", START + 21 * MINUTE)).extracting("at", "processed")
			.containsExactly(tuple(START + MINUTE, 1.0), tuple(START + 21 * MINUTE, 2.0));
		assertThat(points(Period.DAY, "a", START + 21 * MINUTE)).extracting("at", "processed")
			.containsExactly(tuple(START, 1.0), tuple(START + 20 * MINUTE, 2.0));
	}

	@Test
	void keepsAsManyStepsAsThePeriodHasAndNoMoreFields() {
		Set<String> names = new HashSet<>();
		int minutes = 8 * 24 * 60;
		int lastDay = minutes - 25 * 60;
		// Two samples an hour, and one every three minutes on the last day
		for (int minute = 0; minute <= minutes; minute += (minute >= lastDay || minute % 60 == 0) ? 3 : 57) {
			write(START + minute * MINUTE, START / MINUTE + minute - 1, Map.of("a", sample(minute, 0, 0, 0)));
		}
		long now = START + minutes * MINUTE;
		assertThat(points(Period.HOUR, "a", now)).hasSize(20);
		assertThat(points(Period.DAY, "a", now)).hasSize(144).extracting("at").contains(now, now - 143 * 10 * MINUTE);
		assertThat(points(Period.WEEK, "a", now)).hasSize(168).extracting("at").contains(now, now - 167 * 60 * MINUTE);
		for (Period period : Period.values()) {
			for (long step = 0; step < 1_000; step++) {
				names.add(period.field(step));
			}
		}
		assertThat(names).hasSize(60 + 144 + 168);
	}

	@Test
	void aNodeThatWritesLateChangesNothing() {
		write(START, 0, Map.of("a", sample(0, 0, 0, 0)));
		write(START + MINUTE, 0, Map.of("a", sample(60, 0, 0, 0)));
		write(START + MINUTE - 10_000, 1, Map.of("a", sample(50, 0, 777, 0)));
		write(START + MINUTE + 30_000, 0, Map.of("a", sample(90, 0, 0, 0)));
		assertThat(new PeriodLog(log()).steps(Period.WEEK, "a", START + MINUTE + 30_000)).singleElement()
			.satisfies((step) -> {
				assertThat(step.millis()).isEqualTo(90_000);
				assertThat(step.processed()).isEqualTo(90);
				assertThat(step.lag()).isZero();
			});
	}

	@Test
	void aClockThatIsSetBackFarDoesNotStopTheHistory() {
		write(START + DAY, 0, Map.of("a", sample(0, 0, 0, 0)));
		write(START, 0, Map.of("a", sample(0, 0, 0, 0)));
		write(START + MINUTE, 0, Map.of("a", sample(60, 0, 0, 0)));
		assertThat(points(Period.HOUR, "a", START + MINUTE)).extracting("processed").containsExactly(1.0);
	}

	@Test
	void countersThatStartAgainAreNoNegativeThroughput() {
		write(START, 0, Map.of("a", sample(100, 10, 0, 0)));
		write(START + MINUTE, 0, Map.of("a", sample(5, 0, 0, 0)));
		write(START + 2 * MINUTE, 0, Map.of("a", sample(65, 6, 0, 0)));
		assertThat(points(Period.HOUR, "a", START + 2 * MINUTE)).extracting("processed", "failed")
			.containsExactly(tuple(0.0, 0.0), tuple(1.0, 0.1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "1 2 3", "%d 1 1 1 1 1 1", "%d 1 1 1 1 1 1 1", "%d 1 1 1 1 1 1 1:x",
			"%d 1 1 1 1 1 1 99:1", "%d 1 1 1 1 1 1 2:1,1:1", "%d -1 1 1 1 1 1 ", "%d 1 1 1 1 1 9999999999999999999 ",
			"%d 1 1 1 1 1 9223372036854775807 ", "%d 1 1 1 1 1 1 1:9223372036854775807", "%d 1 1 1 1 1 1 1:-1" })
	void fieldsThatCanNotBeReadAreWrittenAnew(String text) {
		long step = START / MINUTE;
		log().put("a", Map.of("last", text.replace("%d", "1"), Period.HOUR.field(step),
				text.replace("%d", Long.toString(step))));
		assertThat(points(Period.HOUR, "a", START)).isEmpty();
		write(START, step - 1, Map.of("a", sample(0, 0, 0, 0, 1L)));
		write(START + 10_000, step - 1, Map.of("a", sample(10, 0, 0, 0, 1L)));
		assertThat(points(Period.HOUR, "a", START + 10_000)).extracting("processed").containsExactly(1.0);
	}

	@Test
	void fieldsOfANewerVersionAreSkippedAndNotOverwritten() {
		long step = START / MINUTE;
		String newer = step + " 1 1 1 1 1 1 1:1 more";
		log().put("a", Map.of(Period.HOUR.field(step), newer));
		write(START, step, Map.of("a", sample(0, 0, 0, 0, 1L)));
		assertThat(log().fields("a", List.of(Period.HOUR.field(step)))).containsValue(newer);
		assertThat(points(Period.HOUR, "a", START)).isEmpty();
		String last = START + " " + step + " 0 0 more";
		log().put("a", Map.of("last", last));
		write(START + MINUTE, step + 1, Map.of("a", sample(60, 0, 0, 0)));
		assertThat(log().fields("a", List.of("last"))).containsValue(last);
		write(START + DAY, step + 1_440, Map.of("a", sample(0, 0, 0, 0)));
		write(START + DAY + MINUTE, step + 1_441, Map.of("a", sample(60, 0, 0, 0)));
		assertThat(points(Period.HOUR, "a", START + DAY + MINUTE)).extracting("processed").containsExactly(1.0);
	}

	@Test
	void remembersEachQueueAndAllTogether() {
		log().write(START, Map.of("a", new Total(10, 1), "b", new Total(5, 2)));
		log().write(START + 10_000, Map.of("a", new Total(30, 1), "b", new Total(6, 4)));
		assertThat(log().steps("a")).containsExactly(new Sample(START, new Total(10, 1)),
				new Sample(START + 10_000, new Total(30, 1)));
		assertThat(log().steps(null)).containsExactly(new Sample(START, new Total(15, 3)),
				new Sample(START + 10_000, new Total(36, 5)));
		assertThat(log().steps("unknown")).isEmpty();
		assertThat(History.recent(log().steps(null), START + 10_000).points())
			.containsExactly(new History.Point(START + 10_000, 2.1, 0.2));
	}

	@Test
	void keepsAThousandSeconds() {
		for (int step = 0; step < 150; step++) {
			log().write(START + step * 10_000L, Map.of("a", new Total(step, 0)));
		}
		List<Sample> steps = log().steps("a");
		assertThat(steps).hasSize(ThroughputLog.STEPS);
		assertThat(steps.get(0).total().processed()).isEqualTo(49);
		assertThat(History.recent(steps, START + 1_490_000).points()).hasSize(100)
			.allMatch((point) -> point.processed() == 0.1);
	}

	@Test
	void countsDays() {
		log().write(START, Map.of("a", new Total(100, 10)));
		log().write(START + DAY - 1, Map.of("a", new Total(150, 12)));
		log().write(START + DAY, Map.of("a", new Total(151, 12)));
		log().write(START + 2 * DAY - 1, Map.of("a", new Total(180, 19)));
		assertThat(log().days("a")).containsExactly(new Day(20_000, 50, 2), new Day(20_001, 30, 7));
		assertThat(log().days(null)).isEqualTo(log().days("a"));
	}

	@Test
	void keepsAYear() {
		for (int day = 0; day < 400; day++) {
			log().write(START + day * DAY, Map.of("a", new Total(day * 10L, 0)));
		}
		List<Day> days = log().days("a");
		assertThat(History.days(days, START + 399 * DAY).points()).hasSize(365)
			.allMatch((point) -> point.processed() == 10);
	}

	@Test
	void countersThatStartAgainDoNoHarm() {
		log().write(START, Map.of("a", new Total(100, 10)));
		log().write(START + 10_000, Map.of("a", new Total(5, 0)));
		assertThat(History.recent(log().steps("a"), START + 10_000).points())
			.containsExactly(new History.Point(START + 10_000, 0, 0));
		assertThat(log().days("a")).allMatch((day) -> day.processed() >= 0);
	}

}
