package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A goal beside the peers is measured beside all of them.
 */
class GoalsTests {

	private final Results results = new Results();

	private void idle(String who, double median) {
		Measurement measurement = new Measurement(1);
		measurement.mark("idle", sample(0));
		measurement.mark("idled", sample(1_000_000_000));
		measurement.result("p50_ms", median);
		this.results.add(new Trial("idle", who, List.of(), Map.of(), Optional.empty(), Storage.Kind.REDIS, 1),
				measurement);
	}

	private static Sample sample(long nanos) {
		return new Sample(nanos, 0, 0, new Storage.Usage(0, 0, 0));
	}

	private OptionalDouble partOfTheBestPeer() {
		return Goals.all()
			.stream()
			.filter((goal) -> goal.text().equals("idle latency: median as a part of the best peer's"))
			.findFirst()
			.orElseThrow()
			.value(this.results);
	}

	@Test
	void bestOfThePeersCounts() {
		idle("Lowkiq, one job every 100 ms", 3);
		idle("Sidekiq (hiredis)", 4);
		idle("BullMQ (concurrency 50)", 6);
		assertThat(partOfTheBestPeer()).hasValue(0.75);
	}

	@Test
	void goalIsNotMeasuredIfAPeerIsMissing() {
		idle("Lowkiq, one job every 100 ms", 3);
		idle("BullMQ (concurrency 50)", 6);
		assertThat(partOfTheBestPeer()).isEmpty();
	}

}
