package io.lowkiq.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The participants of a scenario: Lowkiq in a JVM of its own, and the peers that are
 * installed.
 */
final class Contenders {

	private static final String CHILD = "io.lowkiq.benchmarks.child.Child";

	private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

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
	 * The suite's settings.
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

	/**
	 * Many nodes of Lowkiq on one Redis, in a JVM that has memory for all of them.
	 * @param who what is measured
	 * @param mode what the child does
	 * @param parameters as {@code name=value}
	 * @return the trial
	 */
	Trial manyOfOurs(String who, String mode, String... parameters) {
		return ours(JAVA_HOME, List.of("-Xmx2g"), Storage.Kind.REDIS, who, mode, parameters);
	}

	/**
	 * Lowkiq on one Redis, in a JVM that has virtual threads.
	 * @param who what is measured
	 * @param mode what the child does
	 * @param parameters as {@code name=value}
	 * @return the trial, or none if neither the suite's JVM nor a newer one has them
	 */
	Stream<Trial> oursOnVirtualThreads(String who, String mode, String... parameters) {
		Optional<Path> home = this.settings.newerJava()
			.or(() -> Optional.of(JAVA_HOME).filter((own) -> Runtime.version().feature() >= 21));
		return home.stream().map((java) -> ours(java, List.of(), Storage.Kind.REDIS, who, mode, parameters));
	}

	/**
	 * BullMQ in a program of the suite, which takes the same parameters as Lowkiq.
	 * @param who what is measured
	 * @param program the program
	 * @param parameters as {@code name=value}
	 * @return the trial, or none if BullMQ is not among the peers
	 */
	Stream<Trial> bullMq(String who, String program, String... parameters) {
		return this.settings.peers()
			.filter((folder) -> this.settings.chosenPeers().contains(Peer.BULLMQ))
			.map((folder) -> new PeerHarness(folder, Peer.BULLMQ).trial(this.scenario, who, program, all(parameters)))
			.stream();
	}

	/** Puts the parameters given to the suite last, so that they hold. */
	private List<String> all(String... parameters) {
		return Stream.concat(Stream.of(parameters), this.settings.parameters().stream()).toList();
	}

	private Trial ours(Storage.Kind storage, String who, String mode, String... parameters) {
		return ours(JAVA_HOME, List.of(), storage, who, mode, parameters);
	}

	private Trial ours(Path java, List<String> options, Storage.Kind storage, String who, String mode,
			String... parameters) {
		List<String> command = new ArrayList<>();
		command.add(java.resolve("bin/java").toString());
		command.addAll(this.settings.childOptions());
		command.addAll(options);
		command.addAll(List.of("-classpath", System.getProperty("java.class.path", ""), CHILD, mode));
		command.add("jobs=" + this.settings.jobs());
		command.addAll(all(parameters));
		return new Trial(this.scenario, "Lowkiq, " + who, command, Map.of(), Optional.empty(), storage,
				this.settings.jobs());
	}

}
