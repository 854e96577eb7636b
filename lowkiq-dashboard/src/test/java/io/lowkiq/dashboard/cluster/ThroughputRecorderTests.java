package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.lowkiq.dashboard.history.History;
import io.lowkiq.dashboard.history.MemoryThroughputLog;
import io.lowkiq.dashboard.history.Period;
import io.lowkiq.dashboard.history.PerformCounts;
import io.lowkiq.dashboard.history.PeriodHistory;
import io.lowkiq.dashboard.history.PeriodLog;
import io.lowkiq.dashboard.history.ThroughputLog;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ThroughputRecorder}.
 */
class ThroughputRecorderTests {

	/** 15 jobs of 4 to 8 ms each. */
	private static final PerformCounts ONE_REPORT = new PerformCounts(List.of(0L, 0L, 0L, 15L));

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** Moved by the test. */
	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private boolean reporting;

	private final RedisStore store = InMemoryRedis.newStore(() -> this.now);

	private final ThroughputLog log = new MemoryThroughputLog(() -> this.now);

	private final ClusterReader reader = new ClusterReader(this.store, () -> this.now);

	private final ThroughputRecorder recorder = new ThroughputRecorder(this.log, this.reader);

	private final TestQueue queue = new TestQueue(this.store, "orders", 3);

	@Test
	void writesASampleAMinuteWhileNobodyLooks() {
		pass(MINUTE.multipliedBy(5), false);
		assertThat(this.log.steps("orders")).hasSize(5);
	}

	@Test
	void writesEveryStepWhileSomebodyLooks() {
		pass(MINUTE, true);
		assertThat(this.log.steps("orders")).hasSize(6);
	}

	@Test
	void nodesThatNobodyLooksAtWriteNothingWhileAnotherOneDoes() {
		ThroughputRecorder other = new ThroughputRecorder(this.log, new ClusterReader(this.store, () -> this.now));
		for (int i = 0; i < 12; i++) {
			this.reader.recent();
			other.record();
			this.recorder.record();
			this.now = this.now.plusSeconds(5);
		}
		assertThat(this.log.steps("orders")).hasSize(6);
	}

	@Test
	void nothingIsMissedBetweenTwoSamples() {
		pass(MINUTE, false);
		this.queue.done(TestQueue.ids("", 30));
		pass(MINUTE, false);
		assertThat(History.recent(this.log.steps("orders"), this.now.toEpochMilli()).points())
			.containsExactly(new History.Point(this.now.minus(MINUTE).toEpochMilli(), 0.5, 0));
		assertThat(this.log.days("orders")).singleElement()
			.satisfies((day) -> assertThat(day.processed()).isEqualTo(30));
	}

	@Test
	void everyMinuteIsWrittenOnceHoweverLateInItsStepASampleIsTaken() {
		Random random = new Random(7);
		Instant begin = this.now;
		for (int minute = 0; minute < 50; minute++) {
			this.now = begin.plus(MINUTE.multipliedBy(minute)).plusMillis(10_000 + random.nextInt(10_000));
			report();
			this.recorder.record();
		}
		// The last two minutes have not been reported yet, of the first nothing is known
		List<PeriodLog.Step> steps = new PeriodLog(this.log).steps(Period.HOUR, "orders", this.now.toEpochMilli());
		assertThat(steps).hasSize(50);
		assertThat(steps.subList(0, 47)).allMatch((step) -> step.performs().equals(ONE_REPORT));
	}

	@Test
	void thePerformsOfAllNodesAreAddedUp() {
		pass(MINUTE.multipliedBy(10), true);
		assertThat(PeriodHistory
			.of(Period.DAY, new PeriodLog(this.log).steps(Period.DAY, "orders", this.now.toEpochMilli()))
			.points()).isNotEmpty().allMatch((point) -> point.p50() == null);
		pass(MINUTE.multipliedBy(5), false);
		this.reporting = true;
		pass(MINUTE.multipliedBy(5), true);
		List<PeriodLog.Step> steps = new PeriodLog(this.log).steps(Period.HOUR, "orders", this.now.toEpochMilli());
		assertThat(steps).extracting(PeriodLog.Step::performs).contains(ONE_REPORT);
		assertThat(new PeriodLog(this.log).steps(Period.HOUR, null, this.now.toEpochMilli())).isEqualTo(steps);
	}

	@Test
	void writesTheLagAndHowManyJobsThereAre() {
		this.queue.enqueue("1", "2").bury("3");
		pass(MINUTE.multipliedBy(2), true);
		assertThat(new PeriodLog(this.log).steps(Period.WEEK, "orders", this.now.toEpochMilli())).singleElement()
			.satisfies((step) -> {
				assertThat(step.enqueued()).isEqualTo(2);
				assertThat(step.dead()).isEqualTo(1);
				assertThat(step.lag()).isGreaterThan(100_000);
			});
	}

	@BeforeEach
	void startTwoNodes() {
		for (int node = 1; node <= 2; node++) {
			this.store.nodes()
				.join("node-" + node, new NodeInfo("node-" + node, 42, Duration.ofHours(1), Set.of("orders"), false));
		}
	}

	/** Two nodes with the two full minutes that each knew up to 15 s ago. */
	private void report() {
		for (int node = 1; node <= 2; node++) {
			long full = (this.now.toEpochMilli() - node * 7_000) / MINUTE.toMillis() - 1;
			String queues = "\"queues\":{\"orders\":{\"3\":%d}}".formatted(node * 5);
			this.store.nodes()
				.report("node-" + node, "{\"minutes\":[{\"minute\":%d,%s},{\"minute\":%d,%s}]}".formatted(full - 1,
						queues, full, queues));
		}
	}

	/** The recorder runs twice a step. */
	private void pass(Duration time, boolean watched) {
		for (Instant end = this.now.plus(time); this.now.isBefore(end); this.now = this.now.plusSeconds(5)) {
			if (this.reporting) {
				report();
			}
			if (watched) {
				this.reader.recent();
			}
			this.recorder.record();
		}
	}

}
