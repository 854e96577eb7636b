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
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;

import io.lowkiq.InvalidJobException;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.autoconfigure.outbox.WaitingRows.LeftOut;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Part;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Payload;
import io.lowkiq.store.StoredPayload;

/**
 * The table {@code lowkiq_outbox} with the rows of one key prefix, and the row by which
 * one process at a time empties it. Thread-safe.
 */
class OutboxTable {

	private static final String COLUMNS = "seq, queue, job_id, payload, score, perform_at, delay, created_at";

	private static final String INSERT = """
			insert into lowkiq_outbox (prefix, queue, job_id, payload, score, perform_at, delay)
			values (?, ?, ?, ?, ?, ?, ?)""";

	private static final String SELECT_ASIDE = "select seq, queue, job_id, reason, created_at from lowkiq_outbox_aside where prefix = ?";

	/**
	 * How long a process waits for another process that empties the table, in seconds.
	 */
	private static final int LOCK_TIMEOUT = 5;

	/**
	 * The state of a statement that the database has canceled, because of its timeout.
	 */
	private static final String CANCELED = "57014";

	/** The approximate maximum number of bytes read at once. */
	private static final long MAX_BYTES = 8 << 20;

	/** How many parameters a statement has at most. */
	private static final int MAX_PARAMETERS = 1_000;

	/** How many rows that wait are passed over at most, to find others. */
	private static final int MAX_PASSED_OVER = 100_000;

	private static final int MAX_REASON = 1_000;

	private final JdbcTemplate jdbc;

	private final JdbcTemplate locking;

	private final String prefix;

	private final InstantSource clock;

	/** Written at startup, read by all. */
	private volatile long maxPacket = Long.MAX_VALUE;

	/**
	 * A table.
	 * @param dataSource the database
	 * @param prefix the prefix of the keys in Redis: rows of other prefixes belong to
	 * other applications
	 * @param clock the clock by which rows grow old
	 */
	OutboxTable(DataSource dataSource, String prefix, InstantSource clock) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.setFetchSize(100);
		this.locking = new JdbcTemplate(dataSource);
		this.locking.setQueryTimeout(LOCK_TIMEOUT);
		this.prefix = prefix;
		this.clock = clock;
	}

	/**
	 * Checks that the tables are there and rows can be deleted, and makes the row of the
	 * lock.
	 * @throws DataAccessException if not
	 */
	void prepare() {
		// No queue has this name
		this.jdbc.update("delete from lowkiq_outbox where prefix = ? and queue = ''", this.prefix);
		this.jdbc.update("delete from lowkiq_outbox_aside where prefix = ? and queue = ''", this.prefix);
		makeLock();
		String product = this.jdbc
			.execute((ConnectionCallback<String>) (connection) -> connection.getMetaData().getDatabaseProductName());
		if ("MySQL".equals(product) || "MariaDB".equals(product)) {
			Long max = this.jdbc.queryForObject("select @@max_allowed_packet", Long.class);
			this.maxPacket = (max != null) ? max : Long.MAX_VALUE;
		}
	}

	/**
	 * Refuses what a row can't hold.
	 * @param payloads the payloads of a call
	 * @throws InvalidJobException if the database would refuse one of them
	 */
	void check(List<NewPayload> payloads) {
		for (NewPayload payload : payloads) {
			if (payload.id().indexOf('\0') >= 0) {
				throw new InvalidJobException(
						"The id of a job contains the character NUL, which a row of lowkiq_outbox can't hold: "
								+ LogText.of(payload.id(), 40));
			}
			if (payload.payload().length >= this.maxPacket) {
				throw new InvalidJobException(
						"The payload of job '%s' has %,d bytes, but max_allowed_packet of the database is %,d"
							.formatted(LogText.of(payload.id(), 40), payload.payload().length, this.maxPacket));
			}
		}
	}

	void makeLock() {
		if (steps() < 0) {
			try {
				this.jdbc.update("insert into lowkiq_outbox_lock (prefix, steps) values (?, 0)", this.prefix);
			}
			catch (DuplicateKeyException ex) {
				// Another process was faster
			}
		}
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
					insert.setString(1, this.prefix);
					insert.setString(2, some.getKey());
					insert.setString(3, payload.id());
					insert.setBytes(4, StoredPayload.of(payload.payload(), payload.next()));
					insert.setObject(5, payload.score(), Types.DOUBLE);
					insert.setObject(6, payload.performAt(), Types.BIGINT);
					insert.setLong(7, payload.delay());
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
		return this.jdbc.queryForList("select seq from lowkiq_outbox where prefix = ? limit 1", Long.class, this.prefix)
			.isEmpty();
	}

	/**
	 * Waits until no other process empties the table, and keeps the others waiting until
	 * the end of the transaction. Counts the step.
	 * @return false if the row of the lock is missing
	 * @throws PessimisticLockingFailureException if that took too long
	 */
	boolean lock() {
		try {
			return this.locking.update("update lowkiq_outbox_lock set steps = steps + 1 where prefix = ?",
					this.prefix) == 1;
		}
		catch (DataAccessException ex) {
			throw isTimeout(ex) ? new CannotAcquireLockException("Another process empties the outbox", ex) : ex;
		}
	}

	/** How many steps have been committed, by all processes; -1 if none can be. */
	long steps() {
		List<Long> steps = this.jdbc.queryForList("select steps from lowkiq_outbox_lock where prefix = ?", Long.class,
				this.prefix);
		return steps.isEmpty() ? -1 : steps.get(0);
	}

	/**
	 * The clock of the database, by which rows were created.
	 * @return milliseconds since 1970
	 */
	long now() {
		this.jdbc.update("update lowkiq_outbox_lock set clock = default where prefix = ?", this.prefix);
		Long now = this.jdbc.queryForObject("select clock from lowkiq_outbox_lock where prefix = ?", Long.class,
				this.prefix);
		return (now != null) ? now : 0;
	}

	/** The ids with rows that were put aside. */
	List<Part> idsAside() {
		return this.jdbc.query("select distinct queue, job_id from lowkiq_outbox_aside where prefix = ?",
				(row, number) -> Part.of(row.getString(1), row.getString(2)), this.prefix);
	}

	/**
	 * Reads the first committed rows of each queue, one queue after the other. All rows
	 * of an id that were committed before one of them are among them, or are left out.
	 * @param most how many at most; large payloads make it fewer, but one
	 * @param leftOut what is not read
	 * @param after the queues after this one come first
	 * @return the rows of each queue in the order of their sequence
	 */
	Batch read(int most, LeftOut leftOut, String after) {
		Batch batch = new Batch(most);
		Set<String> seen = new HashSet<>();
		String queue = nextQueue(after);
		boolean wrapped = after.isEmpty();
		while (!batch.isFull()) {
			if (queue == null && !wrapped) {
				wrapped = true;
				queue = nextQueue("");
				continue;
			}
			if (queue == null || !seen.add(queue)) {
				return batch;
			}
			if (!leftOut.isWhole(queue)) {
				read(queue, leftOut, batch);
			}
			queue = nextQueue(queue);
		}
		return batch;
	}

	private @Nullable String nextQueue(String after) {
		return this.jdbc.queryForObject("select min(queue) from lowkiq_outbox where prefix = ? and queue > ?",
				String.class, this.prefix, after);
	}

	private void read(String queue, LeftOut leftOut, Batch batch) {
		if (!leftOut.isPartly(queue)) {
			this.jdbc.query(
					"select %s from lowkiq_outbox where prefix = ? and queue = ? order by seq limit %d"
						.formatted(COLUMNS, batch.room()),
					(ResultSetExtractor<Void>) (rows) -> addAll(rows, batch), this.prefix, queue);
			return;
		}
		List<Long> sequences = new ArrayList<>();
		this.jdbc.query("select seq, job_id from lowkiq_outbox where prefix = ? and queue = ? order by seq limit %d"
			.formatted(MAX_PASSED_OVER), (ResultSetExtractor<Boolean>) (rows) -> {
				while (sequences.size() < batch.room() && rows.next()) {
					if (!leftOut.contains(queue, rows.getString(2))) {
						sequences.add(rows.getLong(1));
					}
				}
				return true;
			}, this.prefix, queue);
		for (List<Long> some : portions(sequences)) {
			this.jdbc.query(
					"select %s from lowkiq_outbox where seq in (%s) order by seq".formatted(COLUMNS,
							placeholders(some.size())),
					(ResultSetExtractor<Void>) (rows) -> addAll(rows, batch), some.toArray());
		}
	}

	@SuppressWarnings("NullAway") // An extractor may return null
	private static Void addAll(ResultSet rows, Batch batch) throws SQLException {
		while (!batch.isFull() && rows.next()) {
			batch.add(row(rows));
		}
		return null;
	}

	private static OutboxRow row(ResultSet results) throws SQLException {
		Payload stored = StoredPayload.read(results.getBytes("payload"), 0);
		NewPayload payload = NewPayload.of(results.getString("job_id"), stored.bytes()).followedBy(stored.next());
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
		for (List<Long> some : portions(sequences)) {
			this.jdbc.update("delete from lowkiq_outbox where seq in (%s)".formatted(placeholders(some.size())),
					some.toArray());
		}
	}

	/**
	 * Puts a row aside.
	 * @param row the row
	 * @param reason why it can't be sent
	 */
	void setAside(OutboxRow row, String reason) {
		this.jdbc.update(
				"insert into lowkiq_outbox_aside (%1$s, prefix, reason) select %1$s, prefix, ? from lowkiq_outbox where seq = ?"
					.formatted(COLUMNS),
				reason.substring(0, Math.min(MAX_REASON, reason.length())), row.sequence());
		delete(List.of(row.sequence()));
	}

	/** How many rows were put aside. */
	long countAside() {
		Long aside = this.jdbc.queryForObject("select count(*) from lowkiq_outbox_aside where prefix = ?", Long.class,
				this.prefix);
		return (aside != null) ? aside : 0;
	}

	/** The first rows that were put aside, in the order of their sequence. */
	List<UnsentJob> aside(int limit) {
		return this.jdbc.query("%s order by seq limit %d".formatted(SELECT_ASIDE, limit), OutboxTable::unsentJob,
				this.prefix);
	}

	Optional<UnsentJob> findAside(long sequence) {
		return this.jdbc.query(SELECT_ASIDE + " and seq = ?", OutboxTable::unsentJob, this.prefix, sequence)
			.stream()
			.findFirst();
	}

	private static UnsentJob unsentJob(ResultSet row, int number) throws SQLException {
		return new UnsentJob(row.getLong("seq"), row.getString("queue"), row.getString("job_id"),
				row.getString("reason"), Instant.ofEpochMilli(row.getLong("created_at")));
	}

	/**
	 * Takes back a row that was put aside, in a transaction of the caller.
	 * @param sequence its sequence, which it keeps
	 * @return whether it was there
	 */
	boolean takeBack(long sequence) {
		return this.jdbc.update(
				"insert into lowkiq_outbox (%1$s, prefix) select %1$s, prefix from lowkiq_outbox_aside where prefix = ? and seq = ?"
					.formatted(COLUMNS),
				this.prefix, sequence) == 1 && drop(sequence);
	}

	/**
	 * Deletes a row that was put aside.
	 * @param sequence its sequence
	 * @return whether it was there
	 */
	boolean drop(long sequence) {
		return this.jdbc.update("delete from lowkiq_outbox_aside where prefix = ? and seq = ?", this.prefix,
				sequence) == 1;
	}

	private static List<List<Long>> portions(List<Long> sequences) {
		return IntStream.range(0, (sequences.size() + MAX_PARAMETERS - 1) / MAX_PARAMETERS)
			.mapToObj(
					(i) -> sequences.subList(i * MAX_PARAMETERS, Math.min(sequences.size(), (i + 1) * MAX_PARAMETERS)))
			.toList();
	}

	private static String placeholders(int count) {
		return String.join(", ", Collections.nCopies(count, "?"));
	}

	Backlog backlog() {
		long aside = countAside();
		return this.jdbc.query("select count(*), min(created_at) from lowkiq_outbox where prefix = ?", (results) -> {
			results.next();
			long rows = results.getLong(1);
			long oldest = results.getLong(2);
			Duration age = Duration.between(Instant.ofEpochMilli(oldest), this.clock.instant());
			return new Backlog(rows, (rows == 0 || age.isNegative()) ? Duration.ZERO : age, aside);
		}, this.prefix);
	}

	/**
	 * Rows of the table, those of one queue after the other.
	 */
	static final class Batch {

		private final int most;

		private final Map<String, List<OutboxRow>> byQueue = new LinkedHashMap<>();

		private int size;

		private long bytes;

		private String last = "";

		Batch(int most) {
			this.most = most;
		}

		private void add(OutboxRow row) {
			this.byQueue.computeIfAbsent(row.queue(), (queue) -> new ArrayList<>()).add(row);
			this.size++;
			this.bytes += row.payload().payload().length;
			this.last = row.queue();
		}

		private int room() {
			return this.most - this.size;
		}

		/** Whether there may be more rows. */
		boolean isFull() {
			return this.size >= this.most || this.bytes >= MAX_BYTES;
		}

		/** The rows by queue, in the order of their sequence. */
		Map<String, List<OutboxRow>> byQueue() {
			return this.byQueue;
		}

		/** All rows. */
		List<OutboxRow> rows() {
			return this.byQueue.values().stream().flatMap(List::stream).toList();
		}

		/** The queue of the last row; empty if there is none. */
		String lastQueue() {
			return this.last;
		}

	}

	/**
	 * The rows that wait in the table.
	 *
	 * @param rows how many rows there are
	 * @param age how long the oldest has been there
	 * @param aside how many rows were put aside
	 */
	record Backlog(long rows, Duration age, long aside) {
	}

}
