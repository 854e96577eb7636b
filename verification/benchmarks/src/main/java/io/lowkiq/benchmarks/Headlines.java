package io.lowkiq.benchmarks;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The figures of the README: what people compare first, and on what they were measured.
 */
final class Headlines {

	private static final List<Column> COLUMNS = List.of(
			new Column("bulk enqueue, jobs/s", "classic", "batch 1", Phase.ENQUEUE, List.of(Figure.RATE)),
			new Column("perform, jobs/s", "classic", "batch 1", Phase.PERFORM, List.of(Figure.RATE)),
			new Column("idle latency, median and p99, ms", "idle", "one job every 100 ms", Phase.IDLE,
					List.of(Figure.P50, Figure.P99)),
			new Column("bytes per job", "memory", "5 shards", Phase.ENQUEUE, List.of(Figure.BYTES)));

	private static final List<String> PEERS = List.of("Sidekiq", "BullMQ");

	private final Recording recording;

	/** The headlines of a run. */
	Headlines(Recording recording) {
		this.recording = recording;
	}

	/** A table, and what to know about it. */
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
		text.append(fleet()).append(this.recording.origin()).append('\n');
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

	private String fleet() {
		OptionalDouble seconds = this.recording.results()
			.median("fleet", "Lowkiq, 50 nodes, 5,000 shards", Phase.SILENCE, Figure.EVEN_AFTER_DEATH);
		return seconds.isPresent() ? "50 nodes share 5,000 shards again %.0f s after one of them has died.\n"
			.formatted(seconds.getAsDouble()) : "";
	}

	/**
	 * A column of the table.
	 *
	 * @param title its head
	 * @param scenario the scenario in which its figures are measured
	 * @param variant what counts of Lowkiq's lines there
	 * @param phase the part of the run
	 */
	private record Column(String title, String scenario, String variant, Phase phase, List<Figure> figures) {
	}

}
