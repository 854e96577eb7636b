package io.lowkiq.autoconfigure.outbox;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.admin.UnsentJob;
import io.lowkiq.autoconfigure.outbox.OutboxSql.Rows;

/**
 * The table {@code lowkiq_outbox_aside} with unsent rows of one key prefix, where they
 * hold up nobody. Some wait for their queue, shard or id. The rest was put aside, because
 * no store would take it as it is. Thread-safe.
 */
class AsideTable {

	private static final String SELECT_UNSENT = """
			select seq, queue, job_id, reason, created_at from lowkiq_outbox_aside
			where prefix = ? and put_aside = true""";

	/**
	 * The index finds a hash, whatever the database expects: an id may have all rows, and
	 * for a minimum, PostgreSQL reads them if it expects few.
	 */
	private static final String SELECT_NEXT_HASH = """
			(select id_hash from lowkiq_outbox_aside
			where prefix = ? and queue = ? and id_hash >= ? order by prefix, queue, id_hash limit 1)""";

	private static final int MAX_LOOKED_UP = 50;

	static final int MAX_MOVED = 100;

	private static final int MAX_REASON = 1_000;

	private final JdbcTemplate jdbc;

	private final JdbcTemplate payloads;

	private final String prefix;

	AsideTable(JdbcTemplate jdbc, JdbcTemplate payloads, String prefix) {
		this.jdbc = jdbc;
		this.payloads = payloads;
		this.prefix = prefix;
	}

	/** Checks columns and rights, without a change. */
	void check() {
		this.jdbc.update("""
				insert into lowkiq_outbox_aside (prefix, id_hash, put_aside, reason, %1$s)
				select prefix, id_hash, put_aside, reason, %1$s from lowkiq_outbox_aside where 1 = 0"""
			.formatted(OutboxSql.COLUMNS));
		this.jdbc.update("delete from lowkiq_outbox_aside where 1 = 0");
	}

	/** Less than 2^62, and never the same for two ids, but by an extraordinary chance. */
	static long hash(String id) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
			return ByteBuffer.wrap(digest).getLong() >>> 2;
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Moves rows here that wait, or can't be sent for a reason. The caller deletes them.
	 */
	void add(List<OutboxRow> rows, @Nullable String reason) {
		String cut = (reason != null) ? reason.substring(0, Math.min(MAX_REASON, reason.length())) : null;
		for (List<OutboxRow> some : OutboxSql.portions(rows, MAX_MOVED)) {
			Map<Long, String> ids = new LinkedHashMap<>();
			some.forEach((row) -> ids.put(row.sequence(), row.payload().id()));
			copy("lowkiq_outbox where", ids, cut);
		}
	}

	/** Copies at most {@value #MAX_MOVED} ids; without a reason, they wait. */
	void copy(String from, Map<Long, String> ids, @Nullable String reason, Object... arguments) {
		StringBuilder hashes = new StringBuilder();
		ids.forEach((sequence, id) -> hashes.append(" when " + sequence + " then " + hash(id)));
		List<@Nullable Object> all = new ArrayList<>();
		all.add(reason);
		all.addAll(List.of(arguments));
		this.jdbc.update(
				"""
						insert into lowkiq_outbox_aside (%1$s, prefix, id_hash, put_aside, reason)
						select %1$s, prefix, case seq%2$s end, %3$s, ? from %4$s seq in (%5$s)"""
					.formatted(OutboxSql.COLUMNS, hashes, reason != null, from, OutboxSql.listed(ids.keySet())),
				all.toArray());
	}

	/** The ids with rows here, among some ids. Their later rows must wait. */
	Set<String> idsAmong(String queue, Collection<String> ids) {
		Set<Long> found = new HashSet<>();
		List<String> all = List.copyOf(ids);
		if (all.size() > MAX_LOOKED_UP) {
			List<Entry> first = entries(queue, 0, MAX_LOOKED_UP);
			if (first.size() < MAX_LOOKED_UP) {
				return first.stream().map(Entry::id).filter(ids::contains).collect(Collectors.toSet());
			}
		}
		for (List<String> some : OutboxSql.portions(all, MAX_LOOKED_UP)) {
			List<Object> arguments = new ArrayList<>();
			some.forEach((id) -> arguments.addAll(List.of(this.prefix, queue, hash(id))));
			found.addAll(this.jdbc.queryForList(
					String.join(" union all ", Collections.nCopies(some.size(), SELECT_NEXT_HASH)), Long.class,
					arguments.toArray()));
		}
		return all.stream().filter((id) -> found.contains(hash(id))).collect(Collectors.toSet());
	}

	@Nullable String nextQueue(String after) {
		return this.jdbc.queryForObject("select min(queue) from lowkiq_outbox_aside where prefix = ? and queue > ?",
				String.class, this.prefix, after);
	}

	/** Reads id by id, the rows of each in the order of their sequence. */
	List<Entry> entries(String queue, long hash, int most) {
		return this.jdbc.query(
				"""
						select seq, job_id, id_hash, put_aside from lowkiq_outbox_aside
						where prefix = ? and queue = ? and id_hash >= ? order by prefix, queue, id_hash, seq limit %s"""
					.formatted(most),
				(row, number) -> new Entry(row.getLong(1), queue, row.getString(2), row.getLong(3), row.getBoolean(4)),
				this.prefix, queue, hash);
	}

	void read(List<Entry> entries, OutboxBatch batch) {
		OutboxSql.read(this.payloads, "lowkiq_outbox_aside", entries.stream().map(Entry::sequence).toList(),
				"queue, id_hash, seq", batch);
	}

	void delete(List<Long> sequences) {
		OutboxSql.delete(this.jdbc, "lowkiq_outbox_aside", sequences);
	}

	/** The rows that wait, counted up to a number. */
	Rows waiting(long most) {
		return Rows.of(this.jdbc, """
				select count(*), min(created_at) from (select created_at from lowkiq_outbox_aside
				where prefix = ? and put_aside = false order by prefix, put_aside, seq limit %s) waiting"""
			.formatted(most), this.prefix);
	}

	/** How many rows were put aside. */
	long count() {
		return Objects.requireNonNull(this.jdbc.queryForObject(
				"select count(*) from lowkiq_outbox_aside where prefix = ? and put_aside = true", Long.class,
				this.prefix));
	}

	/** The first rows that were put aside, in the order of their sequence. */
	List<UnsentJob> unsent(int limit) {
		return this.jdbc.query("%s order by seq limit %s".formatted(SELECT_UNSENT, limit), AsideTable::unsentJob,
				this.prefix);
	}

	Optional<UnsentJob> find(long sequence) {
		return this.jdbc.query(SELECT_UNSENT + " and seq = ?", AsideTable::unsentJob, this.prefix, sequence)
			.stream()
			.findFirst();
	}

	private static UnsentJob unsentJob(ResultSet row, int number) throws SQLException {
		return new UnsentJob(row.getLong("seq"), row.getString("queue"), row.getString("job_id"),
				String.valueOf(row.getString("reason")), Instant.ofEpochMilli(row.getLong("created_at")));
	}

	/** In a transaction, under the lock: else later rows of its id could be sent. */
	boolean takeBack(long sequence) {
		return this.jdbc.update("""
				insert into lowkiq_outbox (%1$s, prefix) select %1$s, prefix from lowkiq_outbox_aside
				where prefix = ? and seq = ? and put_aside = true""".formatted(OutboxSql.COLUMNS), this.prefix,
				sequence) == 1 && drop(sequence);
	}

	boolean drop(long sequence) {
		return this.jdbc.update("delete from lowkiq_outbox_aside where prefix = ? and seq = ? and put_aside = true",
				this.prefix, sequence) == 1;
	}

	/** A row without its payload. */
	record Entry(long sequence, String queue, String id, long hash, boolean isPutAside) {
	}

}
