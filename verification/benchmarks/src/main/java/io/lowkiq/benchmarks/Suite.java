package io.lowkiq.benchmarks;

import java.io.PrintStream;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Measures everything, one process after the other, and reports the medians. */
public final class Suite {

	private final SuiteSettings settings;

	private final PrintStream out;

	/** Asked before anything is measured: a peer that isn't installed ends the suite. */
	private final String peers;

	private final Results results = new Results();

	private final Set<String> storages = new TreeSet<>();

	Suite(SuiteSettings settings, PrintStream out) {
		this.settings = settings;
		this.out = out;
		this.peers = peers(settings);
	}

	/**
	 * Runs the suite.
	 * @param arguments none; the system properties {@code bench.*} say what to do
	 */
	public static void main(String[] arguments) {
		Suite suite = new Suite(SuiteSettings.fromSystemProperties(), System.out);
		suite.run();
		suite.report(InstantSource.system());
	}

	void run() {
		List<Scenario> wanted = Scenarios.all()
			.stream()
			.filter((scenario) -> this.settings.wants(scenario.title()))
			.toList();
		for (Scenario scenario : wanted) {
			List<Trial> trials = scenario.trials(this.settings);
			if (trials.isEmpty()) {
				this.out.printf("%s can't be measured by this JVM%n", scenario.title());
			}
			for (int run = 1; run <= this.settings.runs(); run++) {
				for (Trial trial : trials) {
					this.out.printf("%s %d/%d: %s%n", scenario.title(), run, this.settings.runs(), trial.who());
					measure(trial);
				}
			}
		}
	}

	private void measure(Trial trial) {
		try (Storage storage = Storage.start(trial.storage(), this.settings.redisOptions())) {
			this.storages.add(storage.version());
			Measurement measurement = new ChildProcess(trial, storage, this.out::println).run(this.settings.limit());
			if (measurement.isComplete()) {
				this.results.add(trial, measurement);
				measurement.figures()
					.forEach((phase, figures) -> this.out.printf("  %s: %s%n", phase.title(), figures));
			}
			else {
				this.out.printf("  %s did not come to its end; not counted%n", trial.who());
			}
		}
	}

	private void report(InstantSource clock) {
		LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
		String origin = "%s. %s; %d runs, medians%s.".formatted(today, Machine.describe(this.storages),
				this.settings.runs(), this.peers + overrides());
		Recording recording = new Recording(origin, this.results);
		this.out.println();
		this.out.println(new Report(recording).text());
		this.settings.documentation().ifPresent((documentation) -> documentation.write(recording));
	}

	private String overrides() {
		List<String> parameters = this.settings.parameters();
		return parameters.isEmpty() ? "" : "; not the usual settings, but " + String.join(", ", parameters);
	}

	private static String peers(SuiteSettings settings) {
		return settings.peers()
			.map((folder) -> settings.chosenPeers()
				.stream()
				.map((peer) -> new PeerHarness(folder, peer).version())
				.collect(Collectors.joining(", ", "; beside ", "")))
			.orElse("");
	}

}
