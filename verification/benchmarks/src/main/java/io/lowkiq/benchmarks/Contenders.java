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

	/** The contenders of a scenario. */
	Contenders(String scenario, SuiteSettings settings) {
		this.scenario = scenario;
		this.settings = settings;
	}

	/** The suite's settings. */
	SuiteSettings settings() {
		return this.settings;
	}

	/** Lowkiq on one Redis. */
	Trial ours(String who, String mode, String... parameters) {
		return ours(Storage.Kind.REDIS, who, mode, parameters);
	}

	/** Lowkiq on three masters. */
	Trial oursOnCluster(String who, String mode, String... parameters) {
		return ours(Storage.Kind.REDIS_CLUSTER, who, mode, parameters);
	}

	/** The peers. */
	Stream<Trial> peers(String mode) {
		return this.settings.peers()
			.stream()
			.flatMap((folder) -> this.settings.chosenPeers()
				.stream()
				.map((peer) -> new PeerHarness(folder, peer).trial(this.scenario, mode, this.settings.jobs())));
	}

	/** Many nodes of Lowkiq on one Redis, in a JVM that has memory for all of them. */
	Trial manyOfOurs(String who, String mode, String... parameters) {
		return ours(JAVA_HOME, List.of("-Xmx2g"), Storage.Kind.REDIS, who, mode, parameters);
	}

	/** Lowkiq on one Redis, in a JVM that logs each run. */
	Trial oursLogged(String who, String mode, String... parameters) {
		return ours(JAVA_HOME, List.of("-Druns.level=DEBUG"), Storage.Kind.REDIS, who, mode, parameters);
	}

	/** Lowkiq on one Redis, in a JVM that has virtual threads. */
	Stream<Trial> oursOnVirtualThreads(String who, String mode, String... parameters) {
		Optional<Path> home = this.settings.newerJava()
			.or(() -> Optional.of(JAVA_HOME).filter((own) -> Runtime.version().feature() >= 21));
		return home.stream().map((java) -> ours(java, List.of(), Storage.Kind.REDIS, who, mode, parameters));
	}

	/** BullMQ in a program of the suite, which takes the same parameters as Lowkiq. */
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
