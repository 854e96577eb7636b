package io.lowkiq.benchmarks;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the figures as Markdown. */
final class Report {

	private static final List<Figure> COLUMNS = List.of(Figure.RATE, Figure.WALL, Figure.CLIENT_CPU, Figure.STORAGE_CPU,
			Figure.COMMANDS, Figure.P50, Figure.P95, Figure.P99, Figure.MAX);

	private static final Set<Figure> FURTHER = EnumSet.complementOf(EnumSet.copyOf(COLUMNS));

	private final String origin;

	private final Results results;

	/** A report. */
	Report(Recording recording) {
		this.origin = recording.origin();
		this.results = recording.results();
	}

	/** The whole report. */
	String text() {
		return Stream.of(this.origin + "\n", goals(), comparison(), table())
			.filter((part) -> !part.isEmpty())
			.collect(Collectors.joining("\n"));
	}

	private String goals() {
		StringBuilder goals = new StringBuilder(row("goal", "wanted", "measured", "reached") + line(4));
		for (Goal goal : Goals.all()) {
			OptionalDouble value = goal.value(this.results);
			if (value.isPresent()) {
				goals.append(row(goal.text(), (goal.atLeast() ? "≥ " : "≤ ") + Goal.format(goal.limit()),
						Goal.format(value.getAsDouble()), goal.isReached(value.getAsDouble()) ? "yes" : "no"));
			}
		}
		return goals.toString();
	}

	private String comparison() {
		Comparison comparison = new Comparison(this.results);
		String[] head = comparison.head();
		List<String[]> rows = comparison.rows();
		return rows.isEmpty() ? ""
				: rows.stream().map(Report::row).collect(Collectors.joining("", row(head) + line(head.length), ""));
	}

	private String table() {
		String[] head = Stream
			.concat(Stream.of("scenario", "who", "phase"),
					Stream.concat(COLUMNS.stream().map(Figure::title), Stream.of("further")))
			.toArray(String[]::new);
		StringBuilder table = new StringBuilder(row(head) + line(head.length));
		for (Results.Line line : this.results.lines()) {
			Stream<String> names = Stream.of(line.scenario(), line.who(), line.phase().title());
			Stream<String> figures = COLUMNS.stream().map((figure) -> cell(line, figure));
			table.append(
					row(Stream.concat(names, Stream.concat(figures, Stream.of(further(line)))).toArray(String[]::new)));
		}
		return table.toString();
	}

	private String cell(Results.Line line, Figure figure) {
		double[] values = this.results.values(line, figure);
		OptionalDouble median = this.results.median(line, figure);
		if (median.isEmpty()) {
			return "";
		}
		String text = figure.format(median.getAsDouble());
		return (figure == Figure.RATE && values.length > 1)
				? "%s (%s–%s)".formatted(text, figure.format(values[0]), figure.format(values[values.length - 1]))
				: text;
	}

	private String further(Results.Line line) {
		return FURTHER.stream()
			.filter((figure) -> this.results.median(line, figure).isPresent())
			.filter((figure) -> figure != Figure.REPEATS || this.results.median(line, figure).orElseThrow() > 0)
			.map((figure) -> figure.title() + " " + cell(line, figure))
			.collect(Collectors.joining("; "));
	}

	private static String row(String... cells) {
		return Arrays.stream(cells).collect(Collectors.joining(" | ", "| ", " |\n"));
	}

	private static String line(int columns) {
		return String.format(Locale.ROOT, "|%s%n", " --- |".repeat(columns));
	}

}
