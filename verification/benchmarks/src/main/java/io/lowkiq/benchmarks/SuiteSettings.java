package io.lowkiq.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The suite's settings, from the system properties {@code bench.*}.
 *
 * @param runs how often everything is measured; the median is reported
 * @param scenarios the names of the scenarios to run; empty for all
 * @param jobs the number of jobs of the classic scenario, by which the others scale
 * @param peers the folder with the harnesses of the peers
 * @param chosenPeers the peers to measure, out of that folder
 * @param huge whether the scale goes up to 10^7 jobs
 * @param documentation where to write the figures; empty to print them only
 * @param limit how long one child process may take
 * @param childOptions options of the JVMs that are measured
 * @param redisOptions further options of every Redis
 * @param parameters parameters of Lowkiq's processes, and of the peers' programs that
 * take the same, which override those of the scenarios
 * @param newerJava the home of a JDK that has virtual threads; empty if the suite's own
 * is to do
 */
record SuiteSettings(int runs, List<String> scenarios, int jobs, Optional<Path> peers, List<Peer> chosenPeers,
		boolean huge, Optional<Documentation> documentation, Duration limit, List<String> childOptions,
		List<String> redisOptions, List<String> parameters, Optional<Path> newerJava) {

	static SuiteSettings fromSystemProperties() {
		Optional<Documentation> documentation = text("bench.root").map(Path::of)
			.map(Path::normalize)
			.map(Documentation::new);
		return new SuiteSettings(number("bench.runs", 3), list("bench.scenarios", ","), number("bench.jobs", 100_000),
				text("bench.peers").map(Path::of), list("bench.peer-names", ",").stream().map(Peer::named).toList(),
				Boolean.getBoolean("bench.huge"), Boolean.getBoolean("bench.write") ? documentation : Optional.empty(),
				Duration.ofSeconds(number("bench.limit", 600)), list("bench.child-options", " "),
				list("bench.redis-options", " "), list("bench.parameters", ","),
				text("bench.newer-java").map(Path::of));
	}

	boolean wants(String scenario) {
		return this.scenarios.isEmpty() || this.scenarios.contains(scenario);
	}

	private static Optional<String> text(String property) {
		return Optional.ofNullable(System.getProperty(property)).filter((value) -> !value.isBlank());
	}

	private static int number(String property, int otherwise) {
		return text(property).map(Integer::valueOf).orElse(otherwise);
	}

	private static List<String> list(String property, String separator) {
		return text(property).stream()
			.flatMap((value) -> Arrays.stream(value.split(separator, -1)))
			.map(String::trim)
			.filter((value) -> !value.isEmpty())
			.toList();
	}

}
