package io.lowkiq.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scenarios give the figures that their goals need, in processes of their own.
 */
@Tag("long")
class ScenariosIntegrationTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static Map<Phase, Map<Figure, Double>> measure(String scenario, String... parameters) {
		SuiteSettings settings = new SuiteSettings(1, List.of(), 100, Optional.empty(), List.of(), false,
				Optional.empty(), LIMIT, List.of("-Xmx256m"), List.of(), List.of(parameters), Optional.empty());
		Trial trial = Scenarios.all()
			.stream()
			.filter((candidate) -> candidate.title().equals(scenario))
			.findFirst()
			.orElseThrow()
			.trials(settings)
			.get(0);
		try (Storage storage = Storage.start(trial.storage(), settings.redisOptions())) {
			Measurement measurement = new ChildProcess(trial, storage, System.err::println).run(LIMIT);
			assertThat(measurement.isComplete()).isTrue();
			return measurement.figures();
		}
	}

	@Test
	void mixedLoadMeasuresHowLongJobsWait() {
		assertThat(measure("mixed-220", "seconds=1", "jobs-before=20").get(Phase.LOAD)).containsKeys(Figure.P50,
				Figure.P95, Figure.P99, Figure.LATE);
	}

	@Test
	void otherJobsArriveWhileEachShardHasALongPerform() {
		assertThat(measure("long-performs", "shards=3", "threads=6", "blocking-seconds=1", "seconds=1").get(Phase.LOAD))
			.containsKeys(Figure.P50, Figure.P95, Figure.P99);
	}

	@Test
	void nodeOfAFleetDiesWithoutLeaving() {
		Map<Figure, Double> figures = measure("fleet", "nodes=3", "shards=12", "lease-seconds=2", "seconds=1")
			.get(Phase.SILENCE);
		assertThat(figures).containsKeys(Figure.EVEN_AFTER_START, Figure.TRAFFIC);
		assertThat(figures.get(Figure.EVEN_AFTER_DEATH)).isGreaterThan(0.5);
	}

	@Test
	void failuresAreMeasuredByThoseThatSucceed() {
		Map<Figure, Double> figures = measure("failures", "policies=true", "ids=20", "seconds=2").get(Phase.LOAD);
		assertThat(figures).containsKey(Figure.P99).containsEntry(Figure.WASTED, 0.0).containsEntry(Figure.LEFT, 0.0);
	}

	@Test
	void changesThatGatherArePerformedOnceWhenTheirIdIsQuiet() {
		Map<Figure, Double> figures = measure("gathering", "changes=2000", "ids=100", "debounce=2000", "max-wait=20000")
			.get(Phase.LOAD);
		assertThat(figures).containsEntry(Figure.PERFORMS, 100.0)
			.containsEntry(Figure.OUT_OF_ORDER, 0.0)
			.containsKeys(Figure.P99, Figure.KEPT);
	}

}
