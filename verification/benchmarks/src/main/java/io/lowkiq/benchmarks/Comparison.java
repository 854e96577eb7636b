package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Lowkiq and its peers, a row each, with the figures by which they can be compared. */
final class Comparison {

	private static final String OURS = "Lowkiq";

	private static final List<Column> COLUMNS = List.of(
			new Column("classic", "batch 1", Phase.ENQUEUE, Figure.RATE, "enqueue, jobs/s"),
			new Column("classic", "batch 1", Phase.PERFORM, Figure.RATE, "perform, jobs/s"),
			new Column("idle", "one job every 100 ms", Phase.IDLE, Figure.P50, "idle, median ms"),
			new Column("idle", "one job every 100 ms", Phase.IDLE, Figure.P99, "idle, p99 ms"),
			new Column("mixed-220", "1 % slow", Phase.LOAD, Figure.P50, "mixed-220, median ms"),
			new Column("mixed-220", "1 % slow", Phase.LOAD, Figure.P95, "mixed-220, p95 ms"),
			new Column("mixed-220", "1 % slow", Phase.LOAD, Figure.P99, "mixed-220, p99 ms"),
			new Column("mixed-20", "1 % slow", Phase.LOAD, Figure.P50, "mixed-20, median ms"),
			new Column("mixed-20", "1 % slow", Phase.LOAD, Figure.P95, "mixed-20, p95 ms"),
			new Column("mixed-20", "1 % slow", Phase.LOAD, Figure.P99, "mixed-20, p99 ms"),
			new Column("memory", "5 shards", Phase.ENQUEUE, Figure.BYTES, "bytes a job"));

	private final Results results;

	/** A comparison. */
	Comparison(Results results) {
		this.results = results;
	}

	/** The heads of the columns. */
	String[] head() {
		return Stream.concat(Stream.of("who"), columns().map(Column::title)).toArray(String[]::new);
	}

	/**
	 * A row for Lowkiq, and one for each peer that was measured; a peer's figure is
	 * followed by how many times Lowkiq's it is, or what part of it.
	 */
	List<String[]> rows() {
		return peers().findAny().isEmpty() ? List.of() : who().map(this::row).toList();
	}

	private String[] row(String who) {
		return Stream.concat(Stream.of(who), columns().map((column) -> cell(who, column))).toArray(String[]::new);
	}

	/** The columns that somebody was measured for. */
	private Stream<Column> columns() {
		return COLUMNS.stream().filter((column) -> who().anyMatch((who) -> value(who, column).isPresent()));
	}

	private Stream<String> who() {
		return Stream.concat(Stream.of(OURS), peers());
	}

	private Stream<String> peers() {
		return this.results.lines().stream().map(Results.Line::who).distinct().filter((who) -> !who.startsWith(OURS));
	}

	private String cell(String who, Column column) {
		OptionalDouble ours = value(OURS, column);
		OptionalDouble value = value(who, column);
		if (value.isEmpty()) {
			return "";
		}
		String text = column.figure().format(value.getAsDouble());
		return (who.equals(OURS) || ours.isEmpty()) ? text
				: text + " (" + times(value.getAsDouble() / ours.getAsDouble()) + ")";
	}

	private static String times(double ratio) {
		double factor = Math.max(ratio, 1 / ratio);
		String format = (factor < 10) ? "%.1f" : "%,.0f";
		return ((ratio < 1) ? "÷ " : "× ") + String.format(Locale.ROOT, format, factor);
	}

	private OptionalDouble value(String who, Column column) {
		return this.results.median(column.scenario(), who.equals(OURS) ? column.ours() : who, column.phase(),
				column.figure());
	}

	/**
	 * A figure that more than one contender has.
	 *
	 * @param scenario the scenario in which it is measured
	 * @param variant what counts of Lowkiq's lines there
	 * @param phase the part of the run
	 * @param title the head of the column
	 */
	private record Column(String scenario, String variant, Phase phase, Figure figure, String title) {

		String ours() {
			return OURS + ", " + this.variant;
		}

	}

}
