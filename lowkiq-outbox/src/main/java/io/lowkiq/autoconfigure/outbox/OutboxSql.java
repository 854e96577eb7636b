package io.lowkiq.autoconfigure.outbox;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;

final class OutboxSql {

	/** Of a row, wherever it is. */
	static final String COLUMNS = "seq, queue, job_id, payload, score, perform_at, delay, created_at";

	private static final int MAX_PARAMETERS = 1_000;

	private OutboxSql() {
	}

	/** Reads rows of a table, a portion at a time, until a batch is full. */
	static void read(JdbcTemplate payloads, String table, List<Long> sequences, String order, OutboxBatch batch) {
		for (List<Long> some : portions(sequences)) {
			Boolean isFull = payloads.query(
					"select %s from %s where seq in (%s) order by %s".formatted(COLUMNS, table,
							placeholders(some.size()), order),
					(ResultSetExtractor<Boolean>) (rows) -> batch.addAll(rows), some.toArray());
			if (Boolean.TRUE.equals(isFull)) {
				return;
			}
		}
	}

	/** Deletes exactly these rows: between them, others may have been committed. */
	static void delete(JdbcTemplate jdbc, String table, List<Long> sequences) {
		String delete = "delete from %s where seq in (%s)";
		portions(sequences)
			.forEach((some) -> jdbc.update(delete.formatted(table, placeholders(some.size())), some.toArray()));
	}

	static <T> List<List<T>> portions(List<T> all) {
		return portions(all, MAX_PARAMETERS);
	}

	static <T> List<List<T>> portions(List<T> all, int most) {
		return IntStream.range(0, (all.size() + most - 1) / most)
			.mapToObj((i) -> all.subList(i * most, Math.min(all.size(), (i + 1) * most)))
			.toList();
	}

	static String listed(Collection<Long> sequences) {
		return sequences.stream().map(String::valueOf).collect(Collectors.joining(", "));
	}

	static String placeholders(int count) {
		return String.join(", ", Collections.nCopies(count, "?"));
	}

	/**
	 * How many rows, the oldest in milliseconds since 1970, or {@link Long#MAX_VALUE}.
	 */
	record Rows(long count, long oldest) {

		@Nullable Instant since() {
			return (this.count > 0 && this.oldest < Long.MAX_VALUE) ? Instant.ofEpochMilli(this.oldest) : null;
		}

		static Rows of(JdbcTemplate jdbc, String query, Object... arguments) {
			return Objects.requireNonNull(jdbc.queryForObject(query, (results, number) -> {
				long count = results.getLong(1);
				return new Rows(count, (count > 0) ? results.getLong(2) : Long.MAX_VALUE);
			}, arguments));
		}

	}

}
