package io.lowkiq.dashboard;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ThroughputRecorder}.
 */
class ThroughputRecorderTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** Moved by the test. */
	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final InMemoryStore store = new InMemoryStore(() -> this.now);

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

	/** The recorder runs twice a step. */
	private void pass(Duration time, boolean watched) {
		for (Instant end = this.now.plus(time); this.now.isBefore(end); this.now = this.now.plusSeconds(5)) {
			if (watched) {
				this.reader.recent();
			}
			this.recorder.record();
		}
	}

}
