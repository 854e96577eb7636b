package io.lowkiq.dashboard.history;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.lowkiq.dashboard.history.HistoryLog.Sample;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/** Tests of {@link HistoryLog}. */
class HistoryLogTests {

	private static final long MINUTE = 60_000;

	/** A time at which a minute can be written. */
	private static final long START = Instant.parse("2026-01-01T00:00:20Z").toEpochMilli();

	/** Moved by the test. */
	private long now = START;

	private final InMemoryRedis redis = new InMemoryRedis(() -> Instant.ofEpochMilli(this.now));

	private final DashboardKeys keys = new DashboardKeys(this.redis.store());

	private final HistoryLog log = new HistoryLog(this.keys);

	private void write(long minute, String queue, long processed, long failed) {
		this.log.write(Map.of(queue, sample(minute, processed, failed)));
	}

	private static Sample sample(long minute, long processed, long failed, Long... performs) {
		return new Sample(START + minute * MINUTE, processed, failed, 5 * minute, minute, 2 * minute,
				new PerformCounts(List.of(performs)));
	}

	private List<History.Point> points(@Nullable String queue, long minute) {
		return this.log.history(queue, HistoryLog.MINUTES, START + minute * MINUTE).points();
	}

	private long lengthOf(String queue) {
		return this.keys.command("LLEN", "lowkiq:{history}:minutes:" + queue).number(0);
	}

	@Test
	void aMinuteIsClaimedOnceWhenAllNodesHaveReportedIt() {
		assertThat(this.log.claim()).hasValue(START);
		this.now += MINUTE - 1;
		assertThat(this.log.claim()).isEmpty();
		this.now += 1;
		assertThat(this.log.claim()).hasValue(START + MINUTE);
		assertThat(new HistoryLog(this.keys).claim()).isEmpty();
	}

	@Test
	void remembersEachQueueAndAllTogether() {
		this.log.write(Map.of("a", sample(0, 100, 10), "b", sample(0, 0, 0)));
		this.log.write(Map.of("a", sample(1, 160, 40), "b", sample(1, 6, 0)));
		long at = START + MINUTE - 80_000;
		assertThat(points("a", 1)).containsExactly(new History.Point(at, 1, 0.5, 5, 1, 2, null, null));
		assertThat(points(null, 1)).containsExactly(new History.Point(at, 1.1, 0.5, 5, 2, 4, null, null));
		assertThat(points("unknown", 1)).isEmpty();
	}

	@Test
	void thePercentilesOfAllAreThoseOfTheRunsOfAllQueues() {
		this.log.write(Map.of("a", sample(0, 0, 0), "b", sample(0, 0, 0)));
		// 10 of 4 to 8 ms and 10 of 32 to 64 ms, and 20 of 64 to 128 ms
		this.log.write(Map.of("a", sample(1, 0, 0, 0L, 0L, 0L, 10L, 0L, 0L, 10L), "b",
				sample(1, 0, 0, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 20L)));
		assertThat(points("a", 1)).extracting("p50", "p95").containsExactly(tuple(8.0, 60.8));
		assertThat(points(null, 1)).extracting("p50", "p95").containsExactly(tuple(64.0, 121.6));
	}

	@Test
	void keepsTheMinutesOf48HoursAndNoMore() {
		for (int minute = 0; minute < HistoryLog.MINUTES + 100; minute++) {
			write(minute, "a", 60 * minute, 0);
		}
		assertThat(lengthOf("a")).isEqualTo(HistoryLog.MINUTES);
		assertThat(points("a", HistoryLog.MINUTES + 99)).hasSize(HistoryLog.MINUTES - 1)
			.allMatch((point) -> point.processed() == 1);
		assertThat(this.log.history("a", 60, START + (HistoryLog.MINUTES + 99) * MINUTE).points()).hasSize(60);
		assertThat(this.log.history("a", 60, START + (HistoryLog.MINUTES + 109) * MINUTE).points()).hasSize(50);
	}

	@Test
	void aGapIsNoPointAndNothingIsSpreadOverIt() {
		write(0, "a", 0, 0);
		write(1, "a", 60, 0);
		write(20, "a", 999_999, 0);
		write(21, "a", 999_999 + 120, 0);
		assertThat(points("a", 21)).extracting("processed").containsExactly(1.0, 2.0);
	}

	@Test
	void aNodeThatWritesLateDoesNoHarm() {
		write(0, "a", 0, 0);
		write(2, "a", 120, 0);
		write(1, "a", 125, 0);
		write(3, "a", 180, 0);
		assertThat(points("a", 3)).hasSize(2).allMatch((point) -> point.processed() >= 0 && point.processed() <= 1);
	}

	@Test
	void aClockThatIsSetBackFarDoesNotStopTheHistory() {
		write(24 * 60, "a", 0, 0);
		write(0, "a", 0, 0);
		write(1, "a", 60, 0);
		assertThat(points("a", 1)).extracting("processed").containsExactly(1.0);
	}

	@Test
	void countersThatStartAgainAreNoNegativeThroughput() {
		write(0, "a", 100, 10);
		write(1, "a", 5, 0);
		write(2, "a", 65, 6);
		assertThat(points("a", 2)).extracting("processed", "failed").containsExactly(tuple(0.0, 0.0), tuple(1.0, 0.1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "1 2 3", "1 1 1 1 1 1", "1 1 1 1 1 1 1", "1 1 1 1 1 1 1:x", "1 1 1 1 1 1 2:1,1:1",
			"1 1 1 1 1 9999999999999999999 ", "1 1 1 1 1 1  of a newer version" })
	void whatCantBeReadIsLeftOut(String line) {
		write(0, "a", 0, 0);
		this.keys.command("RPUSH", "lowkiq:{history}:minutes:a", line);
		write(1, "a", 60, 0);
		assertThat(points("a", 1)).extracting("processed").containsExactly(1.0);
	}

	@Test
	void everyKeyGoesAwayByItself() {
		this.log.claim();
		write(0, "a", 0, 0);
		this.now += Duration.ofHours(47).toMillis();
		assertThat(lengthOf("a")).isOne();
		this.now += Duration.ofHours(1).toMillis();
		for (String key : List.of("claim", "minutes", "minutes:a")) {
			assertThat(this.keys.command("EXISTS", "lowkiq:{history}:" + key).number(0)).as(key).isZero();
		}
	}

}
