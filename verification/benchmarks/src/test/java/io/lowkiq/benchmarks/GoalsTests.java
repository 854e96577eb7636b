package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * A goal beside the peers is measured beside all of them; growth is that of all depths.
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

	private void waits(String who, double p99) {
		Measurement measurement = new Measurement(1);
		measurement.mark("load", sample(0));
		measurement.mark("loaded", sample(1_000_000_000));
		measurement.result("p99_ms", p99);
		this.results.add(new Trial("mixed-220", who, List.of(), Map.of(), Optional.empty(), Storage.Kind.REDIS, 1),
				measurement);
	}

	private void fleet(double secondsAfterDeath, long bytes) {
		Measurement measurement = new Measurement(1);
		measurement.mark("silence", sample(0));
		measurement.mark("silent", new Sample(2_000_000_000, 0, 0, new Storage.Usage(0, 0, 1, bytes)));
		measurement.result("even_after_death_s", secondsAfterDeath);
		this.results.add(new Trial("fleet", "Lowkiq, 50 nodes, 5,000 shards", List.of(), Map.of(), Optional.empty(),
				Storage.Kind.REDIS, 1), measurement);
	}

	private static Sample sample(long nanos) {
		return new Sample(nanos, 0, 0, new Storage.Usage(0, 0, 0, 0));
	}

	private void scale(String who, Phase phase, int microsPerJob) {
		Measurement measurement = new Measurement(1000);
		measurement.mark(phase.start(), sample(0));
		measurement.mark(phase.end(), sample(microsPerJob * 1_000_000L));
		this.results.add(new Trial("scale", who, List.of(), Map.of(), Optional.empty(), Storage.Kind.REDIS, 1000),
				measurement);
	}

	private OptionalDouble partOfTheBestPeer() {
		return value("idle latency: median as a part of the best peer's");
	}

	private OptionalDouble value(String goal) {
		return Goals.all()
			.stream()
			.filter((candidate) -> candidate.text().equals(goal))
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

	@Test
	void waitCountsBesideThatOfBullMq() {
		waits("Lowkiq, 1 % slow", 6);
		assertThat(value("mixed-220: p99 wait as a part of BullMQ's")).isEmpty();
		waits("BullMQ (concurrency 5)", 4);
		assertThat(value("mixed-220: p99 wait as a part of BullMQ's")).hasValue(1.5);
	}

	@Test
	void fleetIsMeasuredInSecondsAndBytes() {
		fleet(17.5, 100_000);
		assertThat(value("50 nodes, 5,000 shards: seconds until distributed evenly after a death")).hasValue(17.5);
		assertThat(value("50 nodes, 5,000 shards: bytes/s through Redis while nothing is done")).hasValue(50_000);
		assertThat(value("50 nodes, 5,000 shards: seconds until distributed evenly after the start")).isEmpty();
	}

	@Test
	void growthIsThatOfAllPhasesTogether() {
		scale("Lowkiq, 10 queued before", Phase.ENQUEUE, 6);
		scale("Lowkiq, 10 queued before", Phase.PERFORM, 4);
		scale("Lowkiq, 100 queued before", Phase.ENQUEUE, 9);
		scale("Lowkiq, 100 queued before", Phase.PERFORM, 4);
		scale("Lowkiq, 1,000 queued before", Phase.ENQUEUE, 7);
		scale("Lowkiq, 1,000 queued before", Phase.PERFORM, 5);
		assertThat(value("scale, perform: largest time a job as a part of that with the fewest queued"))
			.hasValueCloseTo(1.25, within(1e-9));
		assertThat(value("scale, enqueue and perform: largest time a job as a part of that with the fewest queued"))
			.hasValueCloseTo(1.3, within(1e-9));
	}

	@Test
	void oneDepthShowsNoGrowth() {
		scale("Lowkiq, 10 queued before", Phase.PERFORM, 4);
		assertThat(value("scale, perform: largest time a job as a part of that with the fewest queued")).isEmpty();
	}

}
