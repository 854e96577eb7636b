package io.lowkiq.dashboard;

import java.util.List;
import java.util.Map;

import io.lowkiq.dashboard.ThroughputLog.Day;
import io.lowkiq.dashboard.ThroughputLog.Sample;
import io.lowkiq.dashboard.ThroughputLog.Total;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every {@link ThroughputLog} does.
 */
abstract class ThroughputLogContract {

	private static final long DAY = 86_400_000;

	private static final long START = 20_000 * DAY;

	abstract ThroughputLog log();

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
