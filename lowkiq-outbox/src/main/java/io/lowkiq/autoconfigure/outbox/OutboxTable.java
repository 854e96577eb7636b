package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;

import io.lowkiq.store.NewPayload;

/**
 * The table {@code lowkiq_outbox}, and the row by which one process at a time empties it.
 * Thread-safe.
 */
class OutboxTable {

	private static final String INSERT = """
			insert into lowkiq_outbox (queue, job_id, payload, score, perform_at, delay, created_at)
			values (?, ?, ?, ?, ?, ?, ?)""";

	/** How long a process waits for another one that empties the table, in seconds. */
	private static final int LOCK_TIMEOUT = 5;

	/**
	 * The state of a statement that the database has canceled, because of its timeout.
	 */
	private static final String CANCELED = "57014";

	/** What is read at once has at most about this many bytes. */
	private static final long MAX_BYTES = 8 << 20;

	/** How many parameters a statement has at most. */
	private static final int MAX_PARAMETERS = 1_000;

	private final JdbcTemplate jdbc;

	private final JdbcTemplate locking;

	private final InstantSource clock;

	OutboxTable(DataSource dataSource, InstantSource clock) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.setFetchSize(100);
		this.locking = new JdbcTemplate(dataSource);
		this.locking.setQueryTimeout(LOCK_TIMEOUT);
		this.clock = clock;
	}

	/**
	 * Inserts payloads by a connection, in their order.
	 * @param connection the connection; its transaction goes on
	 * @param jobs the payloads by queue
	 */
	void insert(Connection connection, Map<String, List<NewPayload>> jobs) {
		try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
			for (Map.Entry<String, List<NewPayload>> some : jobs.entrySet()) {
				for (NewPayload payload : some.getValue()) {
					insert.setString(1, some.getKey());
					insert.setString(2, payload.id());
					insert.setBytes(3, payload.payload());
					insert.setObject(4, payload.score(), Types.DOUBLE);
					insert.setObject(5, payload.performAt(), Types.BIGINT);
					insert.setLong(6, payload.delay());
					insert.setLong(7, this.clock.millis());
					insert.addBatch();
				}
			}
			insert.executeBatch();
		}
		catch (SQLException ex) {
			throw translated("write jobs to the outbox", INSERT, ex);
		}
	}

	DataAccessException translated(String task, @Nullable String sql, SQLException problem) {
		DataAccessException translated = this.jdbc.getExceptionTranslator().translate(task, sql, problem);
		return (translated != null) ? translated : new UncategorizedSQLException(task, sql, problem);
	}

	private static boolean isTimeout(DataAccessException problem) {
		return problem instanceof QueryTimeoutException
				|| (problem.getCause() instanceof SQLException cause && CANCELED.equals(cause.getSQLState()));
	}

	/** Whether there is any row, committed by whomever. */
	boolean isEmpty() {
		return this.jdbc.queryForList("select seq from lowkiq_outbox order by seq limit 1", Long.class).isEmpty();
	}

	/**
	 * Waits until no other process empties the table, and keeps the others waiting until
	 * the end of the transaction.
	 * @throws CannotAcquireLockException if that took too long
	 */
	void lock() {
		List<Integer> rows;
		try {
			rows = this.locking.queryForList("select id from lowkiq_outbox_lock where id = 1 for update",
					Integer.class);
		}
		catch (DataAccessException ex) {
			throw isTimeout(ex) ? new CannotAcquireLockException("Another process empties the outbox", ex) : ex;
		}
		if (rows.size() != 1) {
			throw new IncorrectResultSizeDataAccessException(
					"The table lowkiq_outbox_lock must have the row 1, as the schema script makes it", 1, rows.size());
		}
	}

	/**
	 * Reads the first committed rows.
	 * @param most how many at most; large payloads make it fewer, but one
	 * @param except the queues to leave out
	 * @return the rows in the order of their sequence
	 */
	FirstRows first(int most, Collection<String> except) {
		String where = except.isEmpty() ? "" : "where queue not in (%s) ".formatted(placeholders(except.size()));
		String sql = "select seq, queue, job_id, payload, score, perform_at, delay, created_at from lowkiq_outbox "
				+ where + "order by seq limit " + most;
		FirstRows rows = this.jdbc.query(sql, (ResultSetExtractor<FirstRows>) (results) -> firstRows(results, most),
				except.toArray());
		return (rows != null) ? rows : new FirstRows(List.of(), false);
	}

	private static FirstRows firstRows(ResultSet results, int most) throws SQLException {
		List<OutboxRow> rows = new ArrayList<>();
		long bytes = 0;
		while (bytes < MAX_BYTES && results.next()) {
			OutboxRow row = row(results);
			rows.add(row);
			bytes += row.payload().payload().length;
		}
		return new FirstRows(rows, rows.size() == most || bytes >= MAX_BYTES);
	}

	private static OutboxRow row(ResultSet results) throws SQLException {
		NewPayload payload = NewPayload.of(results.getString("job_id"), results.getBytes("payload"));
		double score = results.getDouble("score");
		payload = results.wasNull() ? payload : payload.withScore(score);
		long performAt = results.getLong("perform_at");
		boolean due = results.wasNull();
		long delay = results.getLong("delay");
		payload = due ? payload.withDelay(Duration.ofMillis(delay)) : payload.withPerformAt(performAt);
		return new OutboxRow(results.getLong("seq"), results.getString("queue"), payload,
				results.getLong("created_at"));
	}

	/** Deletes exactly these rows: between them, others may have been committed. */
	void delete(List<Long> sequences) {
		for (int from = 0; from < sequences.size(); from += MAX_PARAMETERS) {
			List<Long> some = sequences.subList(from, Math.min(sequences.size(), from + MAX_PARAMETERS));
			this.jdbc.update("delete from lowkiq_outbox where seq in (%s)".formatted(placeholders(some.size())),
					some.toArray());
		}
	}

	private static String placeholders(int count) {
		return String.join(", ", Collections.nCopies(count, "?"));
	}

	Backlog backlog() {
		return this.jdbc.query("select count(*), min(created_at) from lowkiq_outbox", (results) -> {
			results.next();
			long rows = results.getLong(1);
			long oldest = results.getLong(2);
			Duration age = Duration.between(Instant.ofEpochMilli(oldest), this.clock.instant());
			return new Backlog(rows, (rows == 0 || age.isNegative()) ? Duration.ZERO : age);
		});
	}

	/**
	 * Rows of the table.
	 *
	 * @param rows the rows in the order of their sequence
	 * @param cut whether there may be more
	 */
	record FirstRows(List<OutboxRow> rows, boolean cut) {
	}

	/**
	 * What waits in the table.
	 *
	 * @param rows how many rows there are
	 * @param age how long the oldest has been there
	 */
	record Backlog(long rows, Duration age) {
	}

}
