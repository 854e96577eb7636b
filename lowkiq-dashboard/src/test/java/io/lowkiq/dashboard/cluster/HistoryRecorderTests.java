package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.history.PerformCounts;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link HistoryRecorder}. */
class HistoryRecorderTests {

	/** 15 jobs of 4 to 8 ms each. */
	private static final PerformCounts ONE_REPORT = new PerformCounts(List.of(0L, 0L, 0L, 15L));

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** Moved by the test. */
	private Instant now = Instant.parse("2026-01-01T00:00:20Z");

	private final RedisStore store = InMemoryRedis.newStore(() -> this.now);

	private final HistoryLog log = new HistoryLog(new DashboardKeys(this.store));

	private final HistoryRecorder recorder = new HistoryRecorder(this.log,
			new ClusterReader(this.store, () -> this.now));

	private final TestQueue queue = new TestQueue(this.store, "orders", 3);

	private List<HistoryLog.Sample> samples(String name) {
		return this.log.last(name, HistoryLog.MINUTES);
	}

	@Test
	void oneOfAllNodesWritesASampleAMinute() {
		HistoryRecorder other = new HistoryRecorder(this.log, new ClusterReader(this.store, () -> this.now));
		for (int i = 0; i < 30; i++) {
			this.recorder.record();
			other.record();
			this.now = this.now.plusSeconds(10);
		}
		assertThat(samples("orders")).hasSize(5);
	}

	@Test
	void everyMinuteIsWrittenOnceHoweverLateASampleIsTaken() {
		Random random = new Random(7);
		Instant begin = this.now;
		for (int minute = 0; minute < 50; minute++) {
			this.now = begin.plus(MINUTE.multipliedBy(minute)).plusMillis(random.nextInt(20_000));
			report();
			this.recorder.record();
		}
		assertThat(samples("orders")).hasSize(50).allMatch((sample) -> sample.performs().equals(ONE_REPORT));
	}

	@Test
	void writesTheCountersTheLagAndHowManyJobsThereAre() {
		this.queue.enqueue("1", "2").bury("3").done("4");
		this.now = this.now.plus(MINUTE.multipliedBy(2));
		this.recorder.record();
		assertThat(samples("orders")).singleElement().satisfies((sample) -> {
			assertThat(sample.processed()).isEqualTo(1);
			assertThat(sample.enqueued()).isEqualTo(2);
			assertThat(sample.dead()).isEqualTo(1);
			assertThat(sample.lag()).isGreaterThan(100_000);
			assertThat(sample.performs()).isEqualTo(PerformCounts.NONE);
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

}
