package io.lowkiq.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * The figures of one run of the suite as they are kept in a file, from which every page
 * takes its figures. The first line says where and how they were measured; each other
 * line has a scenario, who was measured, the phase, the figure, and the values of all
 * repetitions, separated by tabs.
 *
 * @param origin where and how the figures were measured
 * @param results the figures
 */
record Recording(String origin, Results results) {

	private static final String TAB = "\t";

	private static final int NAMES = 4;

	/** Reads a recording. */
	static Recording read(Path file) {
		List<String> lines = lines(file);
		Results results = new Results();
		for (String line : lines.subList(1, lines.size())) {
			String[] fields = line.split(TAB, -1);
			if (fields.length <= NAMES) {
				throw new IllegalArgumentException("Not a figure: " + line);
			}
			results.add(new Results.Line(fields[0], fields[1], Phase.valueOf(fields[2])), Figure.valueOf(fields[3]),
					Arrays.stream(fields, NAMES, fields.length).mapToDouble(Double::parseDouble).toArray());
		}
		return new Recording(lines.get(0), results);
	}

	/** Writes this recording. */
	void writeTo(Path file) {
		StringBuilder text = new StringBuilder(this.origin).append('\n');
		for (Results.Line line : this.results.lines()) {
			for (Figure figure : Figure.values()) {
				double[] values = this.results.values(line, figure);
				if (values.length > 0) {
					text.append(String.join(TAB, line.scenario(), line.who(), line.phase().name(), figure.name()))
						.append(TAB)
						.append(DoubleStream.of(values).mapToObj(Double::toString).collect(Collectors.joining(TAB)))
						.append('\n');
				}
			}
		}
		try {
			Files.writeString(file, text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> lines(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
