package io.lowkiq.benchmarks;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures of the README: what people compare first, and which of its goals were
 * missed.
 */
final class Headlines {

	private static final List<Column> COLUMNS = List.of(
			new Column("bulk enqueue, jobs/s", "classic", "batch 1", Phase.ENQUEUE, List.of(Figure.RATE),
					"bulk enqueue:"),
			new Column("perform, jobs/s", "classic", "batch 1", Phase.PERFORM, List.of(Figure.RATE),
					"classic, batch 1:"),
			new Column("idle latency, median and p99, ms", "idle", "one job every 100 ms", Phase.IDLE,
					List.of(Figure.P50, Figure.P99), "idle latency:"),
			new Column("bytes per job", "memory", "5 shards", Phase.ENQUEUE, List.of(Figure.BYTES), "memory:"));

	private static final List<String> PEERS = List.of("Sidekiq", "BullMQ");

	private final Recording recording;

	/**
	 * The headlines of a run.
	 * @param recording its figures
	 */
	Headlines(Recording recording) {
		this.recording = recording;
	}

	/**
	 * A table, and what to know about it.
	 * @return Markdown
	 */
	String text() {
		StringBuilder text = new StringBuilder();
		text.append("| | ")
			.append(COLUMNS.stream().map(Column::title).collect(Collectors.joining(" | ")))
			.append(" |\n|")
			.append(" --- |".repeat(COLUMNS.size() + 1))
			.append('\n')
			.append(row("**Lowkiq**", (column) -> figures(column, "Lowkiq, " + column.variant())));
		for (String peer : PEERS) {
			text.append(row(peer, (column) -> figures(column, peer)));
		}
		text.append("\nWith one job per call, Lowkiq performs %s jobs/s; a JVM that has just started, %s.\n"
			.formatted(rate("Lowkiq, batch 1, fetch-ahead off"), rate("Lowkiq, batch 1, new JVM")));
		text.append("This run reached %d of its %d goals. Those that it missed, of the ones about these figures:\n\n"
			.formatted(measured().filter(this::isReached).count(), measured().count()));
		COLUMNS.forEach((column) -> text.append(missed(column)));
		return text.toString();
	}

	private String row(String title, Function<Column, String> cell) {
		return COLUMNS.stream().map(cell).collect(Collectors.joining(" | ", "| " + title + " | ", " |\n"));
	}

	private String figures(Column column, String who) {
		return column.figures()
			.stream()
			.flatMap((figure) -> format(column, who, figure).stream())
			.collect(Collectors.joining(" and "));
	}

	private List<String> format(Column column, String who, Figure figure) {
		OptionalDouble median = this.recording.results().median(column.scenario(), who, column.phase(), figure);
		return median.isPresent() ? List.of(figure.format(median.getAsDouble())) : List.of();
	}

	private String rate(String who) {
		OptionalDouble rate = this.recording.results().median("classic", who, Phase.PERFORM, Figure.RATE);
		return rate.isPresent() ? Figure.RATE.format(rate.getAsDouble()) : "?";
	}

	private String missed(Column column) {
		String missed = measured().filter((goal) -> goal.text().startsWith(column.goals()))
			.filter((goal) -> !isReached(goal))
			.map((goal) -> "%s %s (wanted: %s)".formatted(goal.text().substring(column.goals().length()).strip(),
					Goal.format(value(goal)), Goal.format(goal.limit())))
			.collect(Collectors.joining("; "));
		return missed.isEmpty() ? ""
				: "- %s %s%n".formatted(column.goals(), missed).replace(System.lineSeparator(), "\n");
	}

	private Stream<Goal> measured() {
		return Goals.all().stream().filter((goal) -> goal.value(this.recording.results()).isPresent());
	}

	private boolean isReached(Goal goal) {
		return goal.isReached(value(goal));
	}

	private double value(Goal goal) {
		return goal.value(this.recording.results()).orElseThrow();
	}

	/**
	 * A column of the table.
	 *
	 * @param title its head
	 * @param scenario the scenario in which its figures are measured
	 * @param variant what counts of Lowkiq's lines there
	 * @param phase the part of the run
	 * @param figures its figures
	 * @param goals how the texts of its goals begin
	 */
	private record Column(String title, String scenario, String variant, Phase phase, List<Figure> figures,
			String goals) {
	}

}
