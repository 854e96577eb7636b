package io.lowkiq.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The harness of one published job queue, which speaks the same lines as our children.
 */
final class PeerHarness {

	private static final int FLUSHED_DATABASE = 1;

	private final Path folder;

	private final String name;

	/**
	 * A harness.
	 * @param peers the folder of all harnesses
	 * @param name the peer's name, that of its folder
	 */
	PeerHarness(Path peers, String name) {
		this.folder = peers.resolve(name).toAbsolutePath();
		this.name = name;
		if (!Files.isExecutable(script())) {
			throw new IllegalArgumentException("bench.peers has no program " + script());
		}
	}

	/**
	 * The peer in one of its modes, with the settings that suit it best.
	 * @param scenario the scenario it takes part in
	 * @param mode {@code throughput}, {@code latency} or {@code memory}
	 * @param jobs how many jobs
	 * @return the trial
	 */
	Trial trial(String scenario, String mode, int jobs) {
		return new Trial(scenario, title(), List.of(script().toString(), mode), environment(jobs),
				Optional.of(this.folder), false, jobs);
	}

	/**
	 * The database that the harness empties and uses.
	 * @return its number
	 */
	static int database() {
		return FLUSHED_DATABASE;
	}

	/**
	 * What is measured, with its version if the harness says which.
	 * @return the name and the version
	 */
	String version() {
		Path manifest = this.folder.resolve("node_modules").resolve(this.name).resolve("package.json");
		try {
			if (Files.exists(manifest)) {
				return title() + Pattern.compile("\"version\"\\s*:\\s*\"([^\"]+)\"")
					.matcher(Files.readString(manifest))
					.results()
					.findFirst()
					.map((version) -> " " + version.group(1))
					.orElse("");
			}
			return title() + (this.name.equals("sidekiq") ? " " + answerOf("sidekiq", "--version") : "");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String answerOf(String... command) throws IOException {
		try (BufferedReader answer = new ProcessBuilder(command).start().inputReader()) {
			String line = Optional.ofNullable(answer.readLine()).orElse("");
			return line.substring(line.lastIndexOf(' ') + 1);
		}
	}

	private Path script() {
		return this.folder.resolve("run.sh");
	}

	private String title() {
		return switch (this.name) {
			case "sidekiq" -> "Sidekiq (hiredis)";
			case "bullmq" -> "BullMQ (concurrency 50)";
			default -> this.name;
		};
	}

	private Map<String, String> environment(int jobs) {
		String count = Integer.toString(jobs);
		return switch (this.name) {
			case "sidekiq" -> Map.of("JOBS", count, "THREADS", "5", "HIREDIS", "1");
			case "bullmq" -> Map.of("JOBS", count, "THREADS", "50");
			default -> Map.of("JOBS", count, "THREADS", "5");
		};
	}

}
