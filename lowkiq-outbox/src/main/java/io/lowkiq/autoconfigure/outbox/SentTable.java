package io.lowkiq.autoconfigure.outbox;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lowkiq.autoconfigure.outbox.OutboxSql.Rows;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.job.Shard;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;

/**
 * The table {@code lowkiq_outbox_sent} with the rows of one key prefix that were sent,
 * and are kept in case Redis forgets them: by shard, in the order of their calls. With
 * it, the columns of the lock's row that only keeping needs. Thread-safe.
 */
class SentTable {

	private static final String OF_SHARD = "from lowkiq_outbox_sent where prefix = ? and queue = ? and shard = ?";

	private static final String SHARDS = "select queue, shard from lowkiq_outbox_sent where prefix = ? group by queue, shard";

	/** PostgreSQL would read all rows: it finds each shard by the index. */
	private static final String SHARDS_BY_INDEX = """
			with recursive queues (queue) as (
				select min(queue) from lowkiq_outbox_sent where prefix = ?
				union all
				select (select min(queue) from lowkiq_outbox_sent where prefix = ? and queue > queues.queue)
				from queues where queue is not null
			), shards (queue, shard) as (
				select queue, (select shard from lowkiq_outbox_sent where prefix = ? and queue = queues.queue
					order by prefix, queue, shard limit 1)
				from queues where queue is not null
				union all
				select queue, (select shard from lowkiq_outbox_sent where prefix = ? and queue = shards.queue
					and shard > shards.shard order by prefix, queue, shard limit 1)
				from shards where shard is not null
			) select queue, shard from shards where shard is not null""";

	private static final String SELECT_KEPT = """
			select outbox.asked, outbox.clock, outbox.stream, outbox.kept_for, kept.queue, kept.shard,
				(select call_number from lowkiq_outbox_sent where prefix = outbox.prefix and queue = kept.queue
					and shard = kept.shard order by call_number desc limit 1),
				(select call_token from lowkiq_outbox_sent where prefix = outbox.prefix and queue = kept.queue
					and shard = kept.shard order by call_number desc limit 1),
				(select sent_at from lowkiq_outbox_sent where prefix = outbox.prefix and queue = kept.queue
					and shard = kept.shard order by call_number limit 1)
			from lowkiq_outbox_lock outbox left join (%s) kept on 1 = 1 where outbox.prefix = ?""";

	private static final int MAX_LOOKED_UP = 50;

	private final JdbcTemplate jdbc;

	private final String prefix;

	private final AsideTable aside;

	/** Written by {@link #check}, read by all. */
	private volatile String shards = SHARDS;

	SentTable(JdbcTemplate jdbc, String prefix, AsideTable aside) {
		this.jdbc = jdbc;
		this.prefix = prefix;
		this.aside = aside;
	}

	/** Checks columns and rights, without a change. */
	void check(boolean isPostgres) {
		this.shards = isPostgres ? SHARDS_BY_INDEX : SHARDS;
		this.jdbc.update("""
				insert into lowkiq_outbox_sent (prefix, shard, call_number, call_token, sent_at, %1$s)
				select prefix, shard, call_number, call_token, sent_at, %1$s from lowkiq_outbox_sent where 1 = 0"""
			.formatted(OutboxSql.COLUMNS));
		this.jdbc.update("delete from lowkiq_outbox_sent where 1 = 0");
		this.jdbc.update(
				"update lowkiq_outbox_lock set asked = asked, kept_for = kept_for, resent = resent, resent_at = resent_at where 1 = 0");
	}

	/** Copies rows that are being sent. The caller deletes them where they were. */
	void keep(String table, Map<Long, Shard> shards, Stamp call) {
		OutboxSql.portions(List.copyOf(shards.entrySet())).forEach((rows) -> keep(table, rows, call));
	}

	private void keep(String table, List<Map.Entry<Long, Shard>> rows, Stamp call) {
		Map<String, List<Long>> byShard = rows.stream()
			.collect(Collectors.groupingBy((row) -> inQueue(row.getValue()),
					Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
		// A list of constants for each shard, since databases search these faster than
		// they compare with one constant after the other
		String shards = byShard.entrySet()
			.stream()
			.map((shard) -> "when seq in (%s) then '%s'".formatted(OutboxSql.listed(shard.getValue()), shard.getKey()))
			.collect(Collectors.joining(" "));
		this.jdbc.update("""
				insert into lowkiq_outbox_sent (%1$s, prefix, shard, call_number, call_token)
				select %1$s, prefix, case %2$s end, ?, ? from %3$s where seq in (%4$s)""".formatted(OutboxSql.COLUMNS,
				shards, table, OutboxSql.listed(rows.stream().map(Map.Entry::getKey).toList())), call.number(),
				call.token());
	}

	/** A shard without its queue, but with its layout. */
	private static String inQueue(Shard shard) {
		return shard.generation() + ":" + shard.index();
	}

	private Object[] key(Shard shard, Object... more) {
		List<Object> key = new ArrayList<>(List.of(this.prefix, shard.queue(), inQueue(shard)));
		key.addAll(List.of(more));
		return key.toArray();
	}

	/** The kept calls with the largest numbers, of at least one shard. */
	Map<Shard, Stamp> lastCalls(Collection<Shard> shards) {
		Map<Shard, Stamp> last = new HashMap<>();
		ofEach(shards, "order by call_number desc limit 1", (shard, row) -> last.put(shard, row.call()));
		return last;
	}

	/** The shards of a queue with kept rows, but those of one generation. */
	Set<Shard> ofOtherGenerations(String queue, int generation) {
		String present = generation + ":";
		String outermost = "(select shard from lowkiq_outbox_sent where prefix = ? and queue = ? "
				+ "order by prefix %1$s, queue %1$s, shard %1$s limit 1)";
		Boolean isOnlyOne = this.jdbc.queryForObject(
				"select %s, %s".formatted(outermost.formatted("asc"), outermost.formatted("desc")),
				(row, number) -> row.getString(1) == null
						|| (row.getString(1).startsWith(present) && row.getString(2).startsWith(present)),
				this.prefix, queue, this.prefix, queue);
		return Boolean.TRUE.equals(isOnlyOne) ? Set.of()
				: keptShards().shards()
					.stream()
					.map(KeptShard::shard)
					.filter((shard) -> shard.queue().equals(queue) && shard.generation() != generation)
					.collect(Collectors.toSet());
	}

	private void ofEach(Collection<Shard> shards, String which, BiConsumer<Shard, Sent> rows) {
		for (List<Shard> some : OutboxSql.portions(List.copyOf(shards), MAX_LOOKED_UP)) {
			List<Object> arguments = new ArrayList<>();
			some.forEach((shard) -> arguments.addAll(List.of(key(shard))));
			String one = "(select queue, shard, call_number, call_token, sent_at %s %s)".formatted(OF_SHARD, which);
			this.jdbc.query(String.join(" union all ", Collections.nCopies(some.size(), one)),
					(RowCallbackHandler) (row) -> rows.accept(Shard.parse(row.getString(1) + ":" + row.getString(2)),
							new Sent(stamp(row, 3), row.getLong(5))),
					arguments.toArray());
		}
	}

	private static Stamp stamp(ResultSet row, int column) throws SQLException {
		return new Stamp(row.getLong(column), row.getLong(column + 1));
	}

	/** How often any process has taken the turn to ask shards. */
	long turn() {
		return this.jdbc.queryForList("select asked from lowkiq_outbox_lock where prefix = ?", Long.class, this.prefix)
			.stream()
			.findFirst()
			.orElse(0L);
	}

	/** All shards with kept rows, and what the lock's row says. */
	Kept keptShards() {
		String shards = this.shards;
		long parameters = shards.chars().filter((c) -> c == '?').count() + 1;
		List<KeptShard> found = new ArrayList<>();
		Kept[] kept = { new Kept(0, 0, "", 0, found) };
		this.jdbc.query(SELECT_KEPT.formatted(shards), (RowCallbackHandler) (row) -> {
			kept[0] = new Kept(row.getLong(1), row.getLong(2), String.valueOf(row.getString(3)), row.getLong(4), found);
			String queue = row.getString(5);
			if (queue != null) {
				found.add(new KeptShard(Shard.parse(queue + ":" + row.getString(6)), stamp(row, 7), row.getLong(9)));
			}
		}, Collections.nCopies((int) parameters, this.prefix).toArray());
		return kept[0];
	}

	/** Deletes the first rows of shards, if they were sent long ago. */
	Set<Shard> deleteFirst(List<Shard> shards, long until, int most) {
		Map<Shard, List<Sent>> first = new LinkedHashMap<>();
		ofEach(shards, "order by call_number limit " + most,
				(shard, row) -> first.computeIfAbsent(shard, (any) -> new ArrayList<>()).add(row));
		Set<Shard> more = new LinkedHashSet<>();
		List<Object> arguments = new ArrayList<>(List.of(this.prefix, until));
		first.forEach((shard, rows) -> {
			rows.sort(Comparator.comparing((row) -> row.call().number()));
			List<Sent> old = rows.stream().takeWhile((row) -> row.sentAt() <= until).toList();
			if (!old.isEmpty()) {
				arguments.addAll(List.of(shard.queue(), inQueue(shard), old.get(old.size() - 1).call().number()));
			}
			if (old.size() == most) {
				more.add(shard);
			}
		});
		int count = (arguments.size() - 2) / 3;
		if (count > 0) {
			this.jdbc.update(
					"delete from lowkiq_outbox_sent where prefix = ? and sent_at <= ? and (%s)".formatted(String
						.join(" or ", Collections.nCopies(count, "queue = ? and shard = ? and call_number <= ?"))),
					arguments.toArray());
		}
		return more;
	}

	/** Deletes the rows of some ids: there is no index by id. */
	void drop(Shard shard, List<String> ids) {
		OutboxSql.portions(ids)
			.forEach((some) -> this.jdbc.update(
					"delete %s and job_id in (%s)".formatted(OF_SHARD, OutboxSql.placeholders(some.size())),
					key(shard, some.toArray())));
	}

	/**
	 * Moves rows that a shard has forgotten to the waiting ones. The latest calls come
	 * first: as long as one is left, nothing new is sent to the shard.
	 */
	Rows takeBack(Shard shard, Stamp remembered, int most) {
		List<Map.Entry<Long, Map.Entry<Long, String>>> latest = new ArrayList<>();
		long[] oldest = { Long.MAX_VALUE };
		this.jdbc
			.query("""
					select call_number, seq, job_id, sent_at %s and call_number >= ? and not (call_number = ? and call_token = ?)
					order by call_number desc limit %s"""
				.formatted(OF_SHARD, most), (RowCallbackHandler) (row) -> {
					latest.add(Map.entry(row.getLong(1), Map.entry(row.getLong(2), row.getString(3))));
					oldest[0] = Math.min(oldest[0], row.getLong(4));
				}, key(shard, remembered.number(), remembered.number(), remembered.token()));
		for (var some : OutboxSql.portions(latest, AsideTable.MAX_MOVED)) {
			Map<Long, String> ids = new LinkedHashMap<>();
			some.forEach((row) -> ids.put(row.getValue().getKey(), row.getValue().getValue()));
			Object[] key = key(shard, some.get(some.size() - 1).getKey(), some.get(0).getKey());
			String from = "lowkiq_outbox_sent where prefix = ? and queue = ? and shard = ? and call_number between ? and ? and";
			this.aside.copy(from, ids, null, key);
			this.jdbc.update("delete from %s seq in (%s)".formatted(from, OutboxSql.listed(ids.keySet())), key);
		}
		return new Rows(latest.size(), oldest[0]);
	}

	/**
	 * Moves rows back that were sent between milliseconds since 1970, by the database.
	 */
	Rows takeBack(long from, long to) {
		Function<String, String> statement = (verb) -> verb
				+ " from lowkiq_outbox_sent where prefix = ? and sent_at >= ? and sent_at < ?";
		Rows rows = Rows.of(this.jdbc, statement.apply("select count(*), min(sent_at)"), this.prefix, from, to);
		if (rows.count() > 0) {
			this.jdbc.update(statement
				.apply("insert into lowkiq_outbox (%1$s, prefix) select %1$s, prefix".formatted(OutboxSql.COLUMNS)),
					this.prefix, from, to);
			this.jdbc.update(statement.apply("delete"), this.prefix, from, to);
		}
		return rows;
	}

	/** At milliseconds since 1970 by the database. */
	void noteResent(long rows, long now) {
		this.jdbc.update("update lowkiq_outbox_lock set resent = resent + ?, resent_at = ? where prefix = ?", rows, now,
				this.prefix);
	}

	/** How many rows are kept, counted up to a number, and since when. */
	Rows kept(long most) {
		long count = Objects.requireNonNull(this.jdbc
			.queryForObject("select count(*) from (select seq from lowkiq_outbox_sent where prefix = ? limit %s) kept"
				.formatted(most), Long.class, this.prefix));
		return new Rows(count,
				keptShards().shards().stream().mapToLong(KeptShard::oldest).min().orElse(Long.MAX_VALUE));
	}

	/** How many rows were sent again, and when the last ones. */
	Rows resent() {
		return this.jdbc
			.query("select resent, resent_at from lowkiq_outbox_lock where prefix = ?",
					(row, number) -> new Rows(row.getLong(1), row.getLong(2)), this.prefix)
			.stream()
			.findFirst()
			.orElse(new Rows(0, 0));
	}

	/**
	 * The shards with kept rows, and the lock's row, in milliseconds of the database;
	 * keep is 0 if nobody has said how long.
	 */
	record Kept(long turn, long clock, String stream, long keep, List<KeptShard> shards) {
	}

	record KeptShard(Shard shard, Stamp last, long oldest) {
	}

	private record Sent(Stamp call, long sentAt) {
	}

}
