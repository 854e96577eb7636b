package io.lowkiq.benchmarks;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The results of one run of a child process: its own, and samples at its marks. */
final class Measurement {

	private static final double NANOS = 1e9;

	private static final double MICROS = 1e6;

	private final Map<String, Sample> marks = new LinkedHashMap<>();

	private final Map<String, Double> results = new LinkedHashMap<>();

	private final int jobs;

	/** An empty measurement. */
	Measurement(int jobs) {
		this.jobs = jobs;
	}

	void mark(String name, Sample sample) {
		this.marks.put(name, sample);
	}

	void result(String key, double value) {
		this.results.put(key, value);
	}

	boolean isComplete() {
		return this.marks.containsKey("end");
	}

	/** The figures of each phase that the process went through. */
	Map<Phase, Map<Figure, Double>> figures() {
		Map<Phase, Map<Figure, Double>> figures = new EnumMap<>(Phase.class);
		for (Phase phase : Phase.values()) {
			Sample start = this.marks.get(phase.start());
			Sample end = this.marks.get(phase.end());
			if (start != null && end != null) {
				figures.put(phase, figures(phase, start, end));
			}
		}
		if (!figures.isEmpty()) {
			figures.values().stream().reduce((first, last) -> last).orElseThrow().putAll(further());
		}
		return figures;
	}

	private Map<Figure, Double> figures(Phase phase, Sample start, Sample end) {
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		double wall = (end.nanos() - start.nanos()) / NANOS;
		double seconds = this.results.getOrDefault(phase.seconds(), wall);
		if (phase.jobs().isEmpty()) {
			if (end.storage().commands() > 0) {
				figures.put(Figure.COMMANDS_PER_SECOND, commands(start, end) / wall);
				figures.put(Figure.TRAFFIC, (end.storage().traffic() - start.storage().traffic()) / wall);
			}
			figures.put(Figure.CLIENT_LOAD, (end.clientCpu() - start.clientCpu()) / wall * 100);
		}
		else {
			double count = this.results.getOrDefault(phase.jobs(), (double) this.jobs);
			figures.put(Figure.RATE, count / seconds);
			figures.put(Figure.WALL, seconds * MICROS / count);
			figures.put(Figure.CLIENT_CPU, (end.clientCpu() - start.clientCpu()) * MICROS / count);
			figures.put(Figure.STORAGE_CPU, (end.storage().cpu() - start.storage().cpu()) * MICROS / count);
			if (end.storage().commands() > 0) {
				figures.put(Figure.COMMANDS, commands(start, end) / count);
			}
			figures.put(Figure.MACHINE_LOAD, (end.machineCpu() - start.machineCpu()) / wall * 100);
		}
		return figures;
	}

	private Map<Figure, Double> further() {
		Map<Figure, Double> further = new EnumMap<>(Figure.class);
		for (Figure figure : Figure.values()) {
			Optional.ofNullable(this.results.get(figure.key())).ifPresent((value) -> further.put(figure, value));
		}
		Sample before = this.marks.get("enqueue");
		Sample settled = this.marks.get("settled");
		if (before != null && settled != null) {
			double count = this.results.getOrDefault("jobs", (double) this.jobs);
			double onDisk = this.results.getOrDefault("store_bytes", 0.0);
			long inMemory = settled.storage().memory() - before.storage().memory();
			further.put(Figure.BYTES, ((onDisk > 0) ? onDisk : inMemory) / count);
		}
		return further;
	}

	/** Without the INFO of the sample itself. */
	private static double commands(Sample start, Sample end) {
		return end.storage().commands() - start.storage().commands() - 1;
	}

}
