package io.lowkiq.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Those who take part in a scenario: Lowkiq in a JVM of its own, and the peers that are
 * installed.
 */
final class Contenders {

	private static final String CHILD = "io.lowkiq.benchmarks.child.Child";

	private final String scenario;

	private final SuiteSettings settings;

	/**
	 * The contenders of a scenario.
	 * @param scenario the scenario's name
	 * @param settings what the suite was told
	 */
	Contenders(String scenario, SuiteSettings settings) {
		this.scenario = scenario;
		this.settings = settings;
	}

	/**
	 * What the suite was told.
	 * @return the settings
	 */
	SuiteSettings settings() {
		return this.settings;
	}

	/**
	 * Lowkiq on one Redis.
	 * @param who what is measured
	 * @param mode what the child does
	 * @param parameters as {@code name=value}
	 * @return the trial
	 */
	Trial ours(String who, String mode, String... parameters) {
		return ours(Storage.Kind.REDIS, who, mode, parameters);
	}

	/**
	 * Lowkiq on three masters.
	 * @param who what is measured
	 * @param mode what the child does
	 * @param parameters as {@code name=value}
	 * @return the trial
	 */
	Trial oursOnCluster(String who, String mode, String... parameters) {
		return ours(Storage.Kind.REDIS_CLUSTER, who, mode, parameters);
	}

	/**
	 * The peers.
	 * @param mode what they do: {@code throughput}, {@code latency} or {@code memory}
	 * @return a trial for each that is installed
	 */
	Stream<Trial> peers(String mode) {
		return this.settings.peers()
			.stream()
			.flatMap((folder) -> this.settings.chosenPeers()
				.stream()
				.map((peer) -> new PeerHarness(folder, peer).trial(this.scenario, mode, this.settings.jobs())));
	}

	private Trial ours(Storage.Kind storage, String who, String mode, String... parameters) {
		List<String> command = new ArrayList<>();
		command.add(System.getProperty("java.home") + "/bin/java");
		command.addAll(this.settings.childOptions());
		command.addAll(List.of("-classpath", System.getProperty("java.class.path", ""), CHILD, mode));
		command.add("jobs=" + this.settings.jobs());
		command.addAll(List.of(parameters));
		return new Trial(this.scenario, "Lowkiq, " + who, command, Map.of(), Optional.empty(), storage,
				this.settings.jobs());
	}

}
