package io.lowkiq.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The figures of all runs. */
final class Results {

	private final Map<Line, Map<Figure, List<Double>>> values = new LinkedHashMap<>();

	/** Adds what a run gave. */
	void add(Trial trial, Measurement measurement) {
		measurement.figures().forEach((phase, figures) -> {
			Line line = new Line(trial.scenario(), trial.who(), phase);
			figures.forEach((figure, value) -> add(line, figure, value));
		});
	}

	/** Adds values of a figure. */
	void add(Line line, Figure figure, double... values) {
		List<Double> all = this.values.computeIfAbsent(line, (key) -> new LinkedHashMap<>())
			.computeIfAbsent(figure, (key) -> new ArrayList<>());
		Arrays.stream(values).forEach(all::add);
	}

	/** The lines measured, in the order of measuring. */
	List<Line> lines() {
		return List.copyOf(this.values.keySet());
	}

	/** The median of a figure over the runs. */
	OptionalDouble median(Line line, Figure figure) {
		double[] sorted = values(line, figure);
		if (sorted.length == 0) {
			return OptionalDouble.empty();
		}
		return OptionalDouble.of((sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2);
	}

	/**
	 * The median of the line whose name begins as given; of several, the shortest name.
	 */
	OptionalDouble median(String scenario, String who, Phase phase, Figure figure) {
		return this.values.keySet()
			.stream()
			.filter((line) -> line.scenario().equals(scenario) && line.phase() == phase)
			.filter((line) -> line.who().startsWith(who))
			.min(Comparator.comparingInt((line) -> line.who().length()))
			.map((line) -> median(line, figure))
			.orElse(OptionalDouble.empty());
	}

	/** All values of a figure. */
	double[] values(Line line, Figure figure) {
		List<Double> found = this.values.getOrDefault(line, Map.of()).getOrDefault(figure, List.of());
		double[] sorted = found.stream().mapToDouble(Double::doubleValue).toArray();
		Arrays.sort(sorted);
		return sorted;
	}

	/**
	 * Names a line of the table.
	 *
	 * @param who what was measured in it
	 * @param phase the part of the run
	 */
	record Line(String scenario, String who, Phase phase) {
	}

}
