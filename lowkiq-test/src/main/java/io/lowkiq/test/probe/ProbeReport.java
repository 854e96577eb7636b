package io.lowkiq.test.probe;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The findings of a {@link WorkerProbe}. Immutable. */
public final class ProbeReport {

	private final String worker;

	private final int payloads;

	private final int schedules;

	private final int possible;

	private final boolean cutOff;

	private final Map<Fault, List<Deviation>> deviations;

	/**
	 * A schedule that leads to another end.
	 *
	 * @param fault what it shows
	 * @param schedule the schedule, for {@link WorkerProbe#replay(String)}
	 * @param story what happened, with the end that was expected and the one found
	 */
	public record Deviation(Fault fault, String schedule, String story) {
	}

	ProbeReport(String worker, int payloads, int schedules, int possible, boolean cutOff, List<Deviation> deviations) {
		this.worker = worker;
		this.payloads = payloads;
		this.schedules = schedules;
		this.possible = possible;
		this.cutOff = cutOff;
		this.deviations = deviations.stream()
			.collect(Collectors.groupingBy(Deviation::fault, () -> new EnumMap<>(Fault.class), Collectors.toList()));
	}

	/**
	 * The faults of the worker.
	 * @return the faults, none if every schedule led to the same end
	 */
	public Set<Fault> faults() {
		return Set.copyOf(this.deviations.keySet());
	}

	/**
	 * The schedules that lead to another end.
	 * @return the deviations by fault, the simplest first
	 */
	public List<Deviation> deviations() {
		return this.deviations.values().stream().flatMap(List::stream).toList();
	}

	/**
	 * How many schedules were tried.
	 * @return the number
	 */
	public int schedules() {
		return this.schedules;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder("%s, %s payloads, %s".formatted(this.worker, this.payloads, tried()));
		for (Fault fault : Fault.values()) {
			List<Deviation> found = this.deviations.getOrDefault(fault, List.of());
			text.append("\n  ").append(fault.virtue()).append(": ").append(verdict(fault, found));
		}
		for (List<Deviation> found : this.deviations.values()) {
			Deviation first = found.get(0);
			text.append("\n\n")
				.append(first.fault())
				.append(" is shown by schedule \"%s\":\n".formatted(first.schedule()))
				.append(first.story())
				.append("\nTo replay it: probe.replay(\"%s\")".formatted(first.schedule()));
		}
		return text.toString();
	}

	private String tried() {
		return (this.schedules == this.possible) ? this.schedules + " schedules"
				: "%s of %s schedules".formatted(this.schedules, this.possible);
	}

	private String verdict(Fault fault, List<Deviation> found) {
		if (!found.isEmpty()) {
			return "NO, %s".formatted((found.size() == 1) ? "1 schedule leads to another state"
					: found.size() + " schedules lead to another state");
		}
		if (!this.cutOff) {
			return switch (fault) {
				case NOT_IDEMPOTENT -> "yes, if performed as a whole; to have it cut off, give cutOffAt a repository";
				case IGNORES_TOKEN, HIDES_FAILURES, COMPLETES_TOO_EARLY -> "not tried; give cutOffAt a repository";
				case DEPENDS_ON_MERGING -> "yes";
			};
		}
		return "yes";
	}

}
