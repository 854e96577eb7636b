package io.lowkiq.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Lowkiq and a peer beside it get the same parameters, and those of the suite hold. */
class ScenariosTests {

	@TempDir
	private Path folder;

	private static List<Trial> trials(String scenario, Optional<Path> peers, Optional<Path> newerJava,
			String... parameters) {
		SuiteSettings settings = new SuiteSettings(1, List.of(), 100, peers, List.of(Peer.BULLMQ), false,
				Optional.empty(), Duration.ofSeconds(10), List.of(), List.of(), List.of(parameters), newerJava);
		return Scenarios.all()
			.stream()
			.filter((candidate) -> candidate.title().equals(scenario))
			.findFirst()
			.orElseThrow()
			.trials(settings);
	}

	private Path peers() throws IOException {
		Path script = Files.createDirectory(this.folder.resolve("bullmq")).resolve("run.sh");
		Files.writeString(script, "");
		assertThat(script.toFile().setExecutable(true)).isTrue();
		return this.folder;
	}

	private static Stream<String> arrivals(Trial trial) {
		return trial.command().stream().filter((argument) -> argument.matches("(seed|rate|seconds|threads)=.*"));
	}

	@Test
	void bullMqHasTheParametersOfLowkiq() throws IOException {
		List<Trial> trials = trials("mixed-220", Optional.of(peers()), Optional.empty(), "seconds=2");
		assertThat(trials).extracting(Trial::who).containsExactly("Lowkiq, 1 % slow", "BullMQ (concurrency 5)");
		assertThat(arrivals(trials.get(1))).containsExactlyElementsOf(arrivals(trials.get(0)).toList())
			.contains("threads=5", "rate=220")
			.endsWith("seconds=2");
	}

	@Test
	void withoutPeersLowkiqIsMeasuredAlone() {
		assertThat(trials("mixed-20", Optional.empty(), Optional.empty())).extracting(Trial::who)
			.containsExactly("Lowkiq, 1 % slow");
	}

	@Test
	void virtualThreadsRunInTheNewerJvm() {
		assertThat(trials("virtual-threads", Optional.empty(), Optional.of(this.folder))).singleElement()
			.satisfies((trial) -> assertThat(trial.command()).startsWith(this.folder + "/bin/java")
				.contains("virtual-threads=true"));
	}

	@Test
	void virtualThreadsAreNotMeasuredByAnOlderJvm() {
		boolean hasThem = Runtime.version().feature() >= 21;
		assertThat(trials("virtual-threads", Optional.empty(), Optional.empty())).hasSize(hasThem ? 1 : 0);
	}

}
