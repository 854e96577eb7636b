package io.lowkiq.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The harness of one published job queue, which speaks the same lines as our children.
 */
final class PeerHarness {

	private static final Pattern IN_PACKAGE = Pattern.compile("\"version\"\\s*:\\s*\"([^\"]+)\"");

	/** The program comes from the command, so that it finds the library of the folder. */
	private static final String RUN_PROGRAM = """
			[ -d node_modules ] || npm install --silent --no-audit --no-fund || exit
			exec node --input-type=module --eval "$0" "$@"
			""";

	private final Path folder;

	private final Peer peer;

	/** A harness. */
	PeerHarness(Path peers, Peer peer) {
		this.folder = peers.resolve(peer.folder()).toAbsolutePath();
		this.peer = peer;
		if (!Files.isExecutable(script())) {
			throw new IllegalArgumentException("bench.peers has no program " + script());
		}
	}

	/** The peer in one of its modes, with the settings that suit it best. */
	Trial trial(String scenario, String mode, int jobs) {
		Map<String, String> environment = new HashMap<>(this.peer.settings());
		environment.put("JOBS", Integer.toString(jobs));
		return new Trial(scenario, this.peer.title(), List.of(script().toString(), mode), environment,
				Optional.of(this.folder), this.peer.storage(), jobs);
	}

	/**
	 * The peer in a program of the suite, which uses the library that the harness has
	 * installed.
	 */
	Trial trial(String scenario, String who, String program, List<String> arguments) {
		List<String> command = new ArrayList<>(List.of("sh", "-c", RUN_PROGRAM, source(program)));
		command.addAll(arguments);
		return new Trial(scenario, who, command, Map.of(), Optional.of(this.folder), this.peer.storage(), 0);
	}

	private static String source(String program) {
		try (InputStream source = PeerHarness.class.getResourceAsStream(program)) {
			return new String(Objects.requireNonNull(source, program).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The name of the peer, with its version if the harness says which. */
	String version() {
		try {
			return this.peer.title() + installed().map((version) -> " " + version).orElse("");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Optional<String> installed() throws IOException {
		Path manifest = this.folder.resolve("node_modules").resolve(this.peer.folder()).resolve("package.json");
		Path pom = this.folder.resolve("pom.xml");
		if (Files.exists(manifest)) {
			return first(IN_PACKAGE, Files.readString(manifest));
		}
		if (Files.exists(pom)) {
			return first(Pattern.compile("<artifactId>" + this.peer.folder() + "(?:-spring-boot-starter)?</artifactId>"
					+ "\\s*<version>([^<]+)</version>\\s*</dependency>"), Files.readString(pom));
		}
		return (this.peer == Peer.SIDEKIQ) ? Optional.of(answerOf("sidekiq", "--version")) : Optional.empty();
	}

	private static Optional<String> first(Pattern pattern, String text) {
		return pattern.matcher(text).results().findFirst().map((match) -> match.group(1));
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

}
