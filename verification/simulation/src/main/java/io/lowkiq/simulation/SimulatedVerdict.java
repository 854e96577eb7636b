package io.lowkiq.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lowkiq.reliability.check.Figures;

/**
 * The result of a run.
 *
 * @param choices what was chosen, as the program takes it
 * @param problems each breach of a rule; empty if the promise was kept
 * @param jobs the numbers of the payloads that were enqueued
 * @param forgetful how many failovers have forgotten calls that were answered
 * @param steps how many hand-overs and events there were
 * @param timeline the last lines of the timeline
 */
public record SimulatedVerdict(String options, String choices, List<String> problems, Figures figures, List<Long> jobs,
		int faults, int forgetful, long hash, long steps, Duration simulated, Duration real, List<String> timeline) {

	/** A longer list helps nobody. */
	private static final int SHOWN = 20;

	private static final Pattern NAMES = Pattern
		.compile("\\b([a-z]+:\\d+:\\d+|(?<=payload )\\d+|(?<=[a-z0-9]/)[\\w-]+)");

	/** Whether the promise was kept. */
	public boolean isKept() {
		return this.problems.isEmpty();
	}

	/** The rules that were broken. */
	public Set<String> rules() {
		return this.problems.stream().map(SimulatedVerdict::rule).collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/** The shards, ids and payloads that the first breach of a rule names. */
	String[] namesOf(String rule) {
		String problem = this.problems.stream().filter((each) -> rule(each).equals(rule)).findFirst().orElse("");
		return NAMES.matcher(problem).results().map((found) -> found.group(1)).distinct().toArray(String[]::new);
	}

	private static String rule(String problem) {
		return problem.replaceAll("(?s)^(Violation\\[rule=)?([^,:]*).*", "$2");
	}

	/** One line about the run. */
	public String summary() {
		double seconds = this.real.toNanos() / 1e9;
		return "%s: %s; %d faults, %d payloads, %d runs of jobs, %d steps, %.0f s in %.1f s, timeline %016x".formatted(
				this.choices, isKept() ? "kept" : this.problems.size() + " problems", this.faults, this.jobs.size(),
				this.figures.performs(), this.steps, this.simulated.toMillis() / 1e3, seconds, this.hash);
	}

	/** All that a developer needs to repeat the run, with more arguments. */
	public String report(String... more) {
		StringBuilder text = new StringBuilder(summary()).append('\n');
		text.append(this.options).append('\n');
		text.append("commit ").append(commit()).append(", step ").append(this.steps).append('\n');
		this.timeline.forEach((line) -> text.append(line).append('\n'));
		this.problems.stream().limit(SHOWN).forEach((problem) -> text.append("PROBLEM ").append(problem).append('\n'));
		return text.append("Repeat it by: ").append(command(String.join(" ", more))).append('\n').toString();
	}

	private static String commit() {
		try {
			Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").start();
			return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
		}
		catch (IOException ex) {
			return "unknown";
		}
	}

	private String command(String more) {
		return "verification/simulation/run %s %s%nUp to its last step, for a breakpoint: add until=%d"
			.formatted(this.choices, more, this.steps + 1);
	}

}
