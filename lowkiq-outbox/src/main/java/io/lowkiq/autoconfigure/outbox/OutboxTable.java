package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import javax.sql.DataSource;

import io.lowkiq.InvalidJobException;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.autoconfigure.outbox.AsideTable.Entry;
import io.lowkiq.autoconfigure.outbox.OutboxSql.Rows;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Parts;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.StoredPayload;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.transaction.support.TransactionTemplate;

/** The rows of one key prefix in the table {@code lowkiq_outbox}. Thread-safe. */
class OutboxTable {

	private static final String INSERT = """
			insert into lowkiq_outbox (prefix, queue, job_id, payload, score, perform_at, delay)
			values (?, ?, ?, ?, ?, ?, ?)""";

	/** A row that no transaction sees: no queue has this name. */
	private static final String INSERT_NOTHING = "insert into lowkiq_outbox (prefix, queue, job_id, payload, delay) values (?, '', '', ?, 0)";

	/** Behind how many older rows nothing is sent that waits. */
	private static final int MAX_OLDER = 1_000;

	/** How many rows are passed over at once, to find a row to send. */
	private static final int MAX_PASSED_OVER = 10_000;

	private final JdbcTemplate jdbc;

	/** Reads payloads, a few at first: nobody knows how large they are. */
	private final JdbcTemplate payloads;

	private final String prefix;

	private final InstantSource clock;

	private final OutboxLock lock;

	private final AsideTable aside;

	private final SentTable sent;

	private final TransactionTemplate transaction;

	/** How far rows were passed over in vain. Used by the thread that flushes. */
	private final Map<String, Long> passedOver = new HashMap<>();

	/** Written by {@link #prepare()}, read by all. */
	private volatile long maxPacket = Long.MAX_VALUE;

	/** Written at startup and by the thread that flushes, read by the latter. */
	private volatile boolean isPrepared;

	OutboxTable(DataSource dataSource, String prefix, InstantSource clock) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.payloads = new JdbcTemplate(dataSource);
		this.payloads.setFetchSize(OutboxBatch.FIRST_ROWS);
		this.prefix = prefix;
		this.clock = clock;
		this.lock = new OutboxLock(dataSource, prefix);
		this.aside = new AsideTable(this.jdbc, this.payloads, prefix);
		this.sent = new SentTable(this.jdbc, prefix, this.aside);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	/** The row by which one process at a time empties the table. */
	OutboxLock lock() {
		return this.lock;
	}

	/** The rows that are not in the table, because they can't be sent at present. */
	AsideTable aside() {
		return this.aside;
	}

	/** The rows that were sent, and are kept. */
	SentTable sent() {
		return this.sent;
	}

	/**
	 * Checks columns and rights by statements that meet no row, and makes the row of the
	 * lock. Does so until it has succeeded once: at startup, the database may be away.
	 * @throws DataAccessException if not
	 * @throws LowkiqConfigurationException if sequences have no order
	 */
	void prepare() {
		if (!this.isPrepared) {
			check();
			this.isPrepared = true;
		}
	}

	private void check() {
		this.jdbc.update("insert into lowkiq_outbox (prefix, %1$s) select prefix, %1$s from lowkiq_outbox where 1 = 0"
			.formatted(OutboxSql.COLUMNS));
		this.aside.check();
		this.lock.check();
		this.lock.make();
		String product = product();
		this.sent.check("PostgreSQL".equals(product));
		// That what isn't named has a default, and the right to delete
		this.transaction.executeWithoutResult((status) -> takeNumber());
		if (isMySql(product)) {
			Long max = this.jdbc.queryForObject("select @@max_allowed_packet", Long.class);
			this.maxPacket = (max != null) ? max : Long.MAX_VALUE;
		}
		if ("PostgreSQL".equals(product)) {
			checkCache();
		}
	}

	String product() {
		return String.valueOf(this.jdbc
			.execute((ConnectionCallback<String>) (connection) -> connection.getMetaData().getDatabaseProductName()));
	}

	static boolean isMySql(String product) {
		return "MySQL".equals(product) || "MariaDB".equals(product);
	}

	private void checkCache() {
		List<Long> cache = this.jdbc.queryForList(
				"select seqcache from pg_sequence where seqrelid = pg_get_serial_sequence('lowkiq_outbox', 'seq')::regclass",
				Long.class);
		if (!cache.isEmpty() && cache.get(0) > 1) {
			throw new LowkiqConfigurationException(
					"Each session takes %s numbers at once from the sequence of lowkiq_outbox.seq, so that later rows get lower ones"
						.formatted(cache.get(0)),
					"Run ALTER TABLE lowkiq_outbox ALTER COLUMN seq SET CACHE 1, and start all applications with an outbox again");
		}
	}

	/** By a row that is deleted in the same transaction. */
	long takeNumber() {
		KeyHolder number = new GeneratedKeyHolder();
		this.jdbc.update((connection) -> {
			PreparedStatement insert = connection.prepareStatement(INSERT_NOTHING, new String[] { "seq" });
			insert.setString(1, this.prefix);
			insert.setBytes(2, new byte[0]);
			return insert;
		}, number);
		long taken = Objects.requireNonNull(number.getKey()).longValue();
		delete(List.of(taken));
		return taken;
	}

	/**
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
						"The payload of job '%s' has %s bytes, but max_allowed_packet of the database is %s"
							.formatted(LogText.of(payload.id(), 40), payload.payload().length, this.maxPacket));
			}
		}
	}

	/** Inserts payloads in their order, as a part of the connection's transaction. */
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

	/** Whether there is any row, committed by whomever, in the table or aside. */
	boolean isEmpty() {
		return this.jdbc.queryForObject("""
				select coalesce((select min(queue) from lowkiq_outbox where prefix = ?),
				(select min(queue) from lowkiq_outbox_aside where prefix = ?))""", String.class, this.prefix,
				this.prefix) == null;
	}

	/**
	 * Reads the first committed rows of each queue, in the order of their sequence. All
	 * rows of an id that were committed before one of them are among them, or are passed
	 * over. Large payloads make them fewer.
	 */
	OutboxBatch read(int most, Parts passOver, String after) {
		OutboxBatch batch = new OutboxBatch(most);
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
			if (!passOver.isWhole(queue)) {
				read(queue, passOver, batch);
			}
			queue = nextQueue(queue);
		}
		return batch;
	}

	/** Older rows of an id may be committed late, or taken back. */
	List<Entry> withoutOlderOnes(String queue, List<Entry> entries) {
		long last = entries.stream().mapToLong(Entry::sequence).max().orElse(0);
		List<Long> older = new ArrayList<>();
		Map<String, Long> first = new HashMap<>();
		this.jdbc.query(
				"select seq, job_id from lowkiq_outbox where prefix = ? and queue = ? and seq < ? order by seq limit %s"
					.formatted(MAX_OLDER),
				(RowCallbackHandler) (row) -> {
					older.add(row.getLong(1));
					first.putIfAbsent(row.getString(2), row.getLong(1));
				}, this.prefix, queue, last);
		long seen = (older.size() < MAX_OLDER) ? last : older.get(older.size() - 1);
		return entries.stream()
			.filter((entry) -> entry.sequence() <= seen
					&& entry.sequence() < first.getOrDefault(entry.id(), Long.MAX_VALUE))
			.toList();
	}

	private @Nullable String nextQueue(String after) {
		return this.jdbc.queryForObject("select min(queue) from lowkiq_outbox where prefix = ? and queue > ?",
				String.class, this.prefix, after);
	}

	private void read(String queue, Parts passOver, OutboxBatch batch) {
		if (!passOver.isPartly(queue)) {
			this.passedOver.remove(queue);
			this.payloads.query(
					"select %s from lowkiq_outbox where prefix = ? and queue = ? order by seq limit %s"
						.formatted(OutboxSql.COLUMNS, batch.room()),
					(ResultSetExtractor<Boolean>) (rows) -> batch.addAll(rows), this.prefix, queue);
			return;
		}
		OutboxSql.read(this.payloads, "lowkiq_outbox", behind(queue, passOver, batch), "seq", batch);
	}

	/**
	 * The first rows of a queue that are not passed over. If there are none among many,
	 * the next call looks behind these; if there are none at all, it doesn't look.
	 */
	private List<Long> behind(String queue, Parts passOver, OutboxBatch batch) {
		long from = this.passedOver.getOrDefault(queue, 0L);
		Map<Long, String> found = new LinkedHashMap<>();
		long[] last = { 0, 0 };
		this.jdbc.query(
				"select seq, job_id from lowkiq_outbox where prefix = ? and queue = ? and seq > ? order by seq limit %s"
					.formatted(MAX_PASSED_OVER),
				(ResultSetExtractor<Boolean>) (rows) -> {
					while (found.size() < batch.room() && rows.next()) {
						last[0] = rows.getLong(1);
						last[1]++;
						if (passOver.find(queue, rows.getString(2)) == null) {
							found.put(last[0], rows.getString(2));
						}
					}
					return true;
				}, this.prefix, queue, from);
		boolean isLimited = last[1] == MAX_PASSED_OVER;
		if (isLimited) {
			batch.cut();
		}
		if (found.isEmpty()) {
			// From the start again, this queue and another one might never end together
			this.passedOver.put(queue, isLimited ? last[0] : Long.MAX_VALUE);
		}
		else {
			this.passedOver.remove(queue);
			if (from > 0 && found.values().removeAll(idsUpTo(from, queue, Set.copyOf(found.values())))) {
				batch.cut();
			}
		}
		return List.copyOf(found.keySet());
	}

	/** These rows were committed after they would have been read, and go first. */
	private Set<String> idsUpTo(long sequence, String queue, Set<String> ids) {
		Set<String> earlier = new HashSet<>();
		for (List<String> some : OutboxSql.portions(List.copyOf(ids))) {
			List<Object> arguments = new ArrayList<>(List.of(this.prefix, queue, sequence));
			arguments.addAll(some);
			earlier.addAll(this.jdbc.queryForList(
					"select distinct job_id from lowkiq_outbox where prefix = ? and queue = ? and seq <= ? and job_id in (%s)"
						.formatted(OutboxSql.placeholders(some.size())),
					String.class, arguments.toArray()));
		}
		return earlier;
	}

	/** Begins with the first row of each queue again: other rows may be sent now. */
	void passOverNothing() {
		this.passedOver.clear();
	}

	void delete(List<Long> sequences) {
		OutboxSql.delete(this.jdbc, "lowkiq_outbox", sequences);
	}

	/** Deletes all rows of an id, of one or all queues. */
	Map<String, Long> erase(@Nullable String queue, String id) {
		return (queue != null) ? eraseWhere("job_id = ? and queue = ?", id, queue) : eraseWhere("job_id = ?", id);
	}

	/** Deletes all rows of the ids that begin with a prefix, as {@link #erase} does. */
	Map<String, Long> erasePrefix(String prefix) {
		return eraseWhere("substring(job_id, 1, char_length(?)) = ?", prefix, prefix);
	}

	private Map<String, Long> eraseWhere(String condition, Object... values) {
		Map<String, Long> erased = new HashMap<>();
		List<Object> arguments = new ArrayList<>(List.of(this.prefix));
		arguments.addAll(List.of(values));
		String which = "where prefix = ? and " + condition;
		for (String table : List.of("lowkiq_outbox", "lowkiq_outbox_aside", "lowkiq_outbox_sent")) {
			this.jdbc.query("select queue, count(*) from %s %s group by queue".formatted(table, which),
					(RowCallbackHandler) (row) -> erased.merge(row.getString(1), row.getLong(2), Long::sum),
					arguments.toArray());
			this.jdbc.update("delete from %s %s".formatted(table, which), arguments.toArray());
		}
		return erased;
	}

	Backlog backlog() {
		Rows here = Rows.of(this.jdbc, "select count(*), min(created_at) from lowkiq_outbox where prefix = ?",
				this.prefix);
		Rows waiting = this.aside.waiting(Integer.MAX_VALUE);
		Duration age = Duration.between(Instant.ofEpochMilli(Math.min(here.oldest(), waiting.oldest())),
				this.clock.instant());
		return new Backlog(here.count() + waiting.count(), age.isNegative() ? Duration.ZERO : age, this.aside.count());
	}

	/** How many rows wait, in the table or aside, and were put aside. */
	record Backlog(long rows, Duration age, long aside) {
	}

}
