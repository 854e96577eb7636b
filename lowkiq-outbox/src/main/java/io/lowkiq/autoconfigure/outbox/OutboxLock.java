package io.lowkiq.autoconfigure.outbox;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.NewerVersionException;

/**
 * The row of {@code lowkiq_outbox_lock} by which one process at a time empties the table
 * of a key prefix, and in which it keeps what the next one has to know. Thread-safe.
 */
class OutboxLock {

	/**
	 * The format of the rows of all three tables, as this version knows it. A version
	 * that adds something which has to be understood raises it, in the schema's default
	 * and in the rows of the lock.
	 */
	static final int FORMAT = 1;

	/** In seconds. */
	private static final int TIMEOUT = 5;

	/** Of a statement that the database has canceled, because of its timeout. */
	private static final String CANCELED = "57014";

	private final JdbcTemplate jdbc;

	private final JdbcTemplate locking;

	private final String prefix;

	OutboxLock(DataSource dataSource, String prefix) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.locking = new JdbcTemplate(dataSource);
		this.locking.setQueryTimeout(TIMEOUT);
		this.prefix = prefix;
	}

	/** Checks columns and rights, without a change. */
	void check() {
		this.jdbc
			.update("""
					insert into lowkiq_outbox_lock (prefix, taken, format, highest, back_to, back_from, back_at, clock, stream)
					select prefix, taken, format, highest, back_to, back_from, back_at, clock, stream from lowkiq_outbox_lock where 1 = 0""");
		this.jdbc.update("update lowkiq_outbox_lock set taken = taken + 1, stream = stream where 1 = 0");
	}

	/** Makes the row, unless it is there. */
	void make() {
		if (taken() < 0) {
			try {
				this.jdbc.update("insert into lowkiq_outbox_lock (prefix, taken) values (?, 0)", this.prefix);
			}
			catch (DuplicateKeyException ex) {
				// Another process was faster
			}
		}
	}

	/**
	 * Waits until no other process empties the table, up to the end of the transaction.
	 * @throws PessimisticLockingFailureException if that took too long
	 * @throws NewerVersionException if rows may contain what this version doesn't know
	 */
	boolean take() {
		boolean isTaken = change("taken = taken + 1 where prefix = ? and format <= ?", this.prefix, FORMAT);
		if (!isTaken) {
			checkFormat();
		}
		return isTaken;
	}

	/**
	 * Takes the turn to ask shards, unless another process has had it since. Keep is in
	 * milliseconds, or null if rows are kept only because others do.
	 * @throws PessimisticLockingFailureException as {@link #take()}
	 */
	boolean takeTurn(long last, @Nullable Long keep) {
		return change("asked = asked + 1, clock = default%s where prefix = ? and asked <= ?"
			.formatted((keep != null) ? ", kept_for = " + keep : ""), this.prefix, last);
	}

	private boolean change(String what, Object... arguments) {
		try {
			return this.locking.update("update lowkiq_outbox_lock set " + what, arguments) == 1;
		}
		catch (DataAccessException ex) {
			throw isTimeout(ex) ? new CannotAcquireLockException("Another process empties the outbox", ex) : ex;
		}
	}

	/**
	 * @throws NewerVersionException if rows may contain what this version doesn't know
	 */
	void checkFormat() {
		List<Integer> newer = this.jdbc.queryForList(
				"select format from lowkiq_outbox_lock where prefix = ? and format > ?", Integer.class, this.prefix,
				FORMAT);
		if (!newer.isEmpty()) {
			throw NewerVersionException.ofOutbox(newer.get(0), FORMAT);
		}
	}

	private static boolean isTimeout(DataAccessException problem) {
		return problem instanceof QueryTimeoutException
				|| (problem.getCause() instanceof SQLException cause && CANCELED.equals(cause.getSQLState()));
	}

	/** How often it was taken and given back, by all processes; -1 if it can't be. */
	long taken() {
		List<Long> taken = this.jdbc.queryForList("select taken from lowkiq_outbox_lock where prefix = ?", Long.class,
				this.prefix);
		return taken.isEmpty() ? -1 : taken.get(0);
	}

	State state() {
		return Objects.requireNonNull(this.jdbc.queryForObject("""
				select highest, back_to, back_from, back_at,
				(select min(queue) from lowkiq_outbox_aside where prefix = ?),
				(select min(queue) from lowkiq_outbox_sent where prefix = ?), taken, stream
				from lowkiq_outbox_lock where prefix = ?""", (row, number) -> {
			long backTo = row.getLong(2);
			WentBack wentBack = row.wasNull() ? null : new WentBack(backTo, row.getLong(3), row.getLong(4));
			return new State(row.getLong(1), wentBack, row.getString(5) != null, row.getString(6) != null,
					row.getLong(7), row.getString(8));
		}, this.prefix, this.prefix, this.prefix));
	}

	/** Names the outbox, for the shards that remember its calls. */
	String name() {
		String stream = UUID.randomUUID().toString();
		this.jdbc.update("update lowkiq_outbox_lock set stream = ? where prefix = ?", stream, this.prefix);
		return stream;
	}

	/**
	 * A shard knew a larger number: the row was restored, or a transaction rolled back.
	 */
	void raise(long taken) {
		this.jdbc.update("update lowkiq_outbox_lock set taken = ? where prefix = ? and taken < ?", taken, this.prefix,
				taken);
	}

	/** Keeps the highest sequence of a row that has left the table. */
	void keepHighest(long sequence) {
		this.jdbc.update("update lowkiq_outbox_lock set highest = ? where prefix = ?", sequence, this.prefix);
	}

	/** Keeps that the sequence went back, until it is mended, by null. */
	void keep(@Nullable WentBack wentBack) {
		this.jdbc.update("update lowkiq_outbox_lock set back_to = ?, back_from = ?, back_at = ? where prefix = ?",
				(wentBack != null) ? wentBack.to() : null, (wentBack != null) ? wentBack.from() : null,
				(wentBack != null) ? wentBack.at() : null, this.prefix);
	}

	/**
	 * The clock of the database, by which rows were created, in milliseconds since 1970.
	 */
	long now() {
		this.jdbc.update("update lowkiq_outbox_lock set clock = default where prefix = ?", this.prefix);
		return Objects.requireNonNull(this.jdbc.queryForObject("select clock from lowkiq_outbox_lock where prefix = ?",
				Long.class, this.prefix));
	}

	/** The content of the row; the stream is the name of the outbox for shards. */
	record State(long highest, @Nullable WentBack wentBack, boolean isAside, boolean hasKept, long taken,
			@Nullable String stream) {
	}

	/** A sequence that went back, noticed at a time of the database. */
	record WentBack(long to, long from, long at) {
	}

}
