package io.lowkiq.autoconfigure.outbox;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;

import io.lowkiq.autoconfigure.outbox.OutboxTable.Rows;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.Shard;

/**
 * The table {@code lowkiq_outbox_sent} with the rows of one key prefix that were sent,
 * and are kept in case Redis forgets them: by shard, in the order of their calls. With
 * it, the columns of the lock's row that only keeping needs. Thread-safe.
 */
class SentTable {

	private static final String OF_SHARD = "from lowkiq_outbox_sent where prefix = ? and queue = ? and shard = ?";

	/** How many shards a statement looks up at most. */
	private static final int MAX_LOOKED_UP = 50;

	private final JdbcTemplate jdbc;

	private final String prefix;

	SentTable(JdbcTemplate jdbc, String prefix) {
		this.jdbc = jdbc;
		this.prefix = prefix;
	}

	/** Checks columns and rights, without a change. */
	void check() {
		this.jdbc.update("""
				insert into lowkiq_outbox_sent (prefix, shard, call_number, call_token, sent_at, %1$s)
				select prefix, shard, call_number, call_token, sent_at, %1$s from lowkiq_outbox_sent where 1 = 0"""
			.formatted(OutboxTable.COLUMNS));
		this.jdbc.update("delete from lowkiq_outbox_sent where 1 = 0");
		this.jdbc.update("update lowkiq_outbox_lock set resent = resent, resent_at = resent_at where 1 = 0");
	}

	/**
	 * Copies rows that are being sent. The caller deletes them where they were.
	 * @param table where they are
	 * @param shards by sequence, the shards to which they are sent
	 * @param call the call by which they are sent
	 */
	void keep(String table, Map<Long, Shard> shards, Stamp call) {
		OutboxTable.portions(List.copyOf(shards.entrySet())).forEach((rows) -> keep(table, rows, call));
	}

	private void keep(String table, List<Map.Entry<Long, Shard>> rows, Stamp call) {
		Map<String, List<Long>> byShard = rows.stream()
			.collect(Collectors.groupingBy((row) -> inQueue(row.getValue()),
					Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
		// A list of constants for each shard, since databases search these faster than
		// they compare with one constant after the other
		String shards = byShard.entrySet()
			.stream()
			.map((shard) -> "when seq in (%s) then '%s'".formatted(listed(shard.getValue()), shard.getKey()))
			.collect(Collectors.joining(" "));
		this.jdbc.update(
				"""
						insert into lowkiq_outbox_sent (%1$s, prefix, shard, call_number, call_token)
						select %1$s, prefix, case %2$s end, ?, ? from %3$s where seq in (%4$s)""".formatted(
						OutboxTable.COLUMNS, shards, table, listed(rows.stream().map(Map.Entry::getKey).toList())),
				call.number(), call.token());
	}

	private static String listed(List<Long> sequences) {
		return sequences.stream().map(String::valueOf).collect(Collectors.joining(", "));
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

	/**
	 * The kept calls with the largest numbers.
	 * @param shards the shards, at least one
	 * @return the calls by shard; none for a shard without kept rows
	 */
	Map<Shard, Stamp> lastCalls(Collection<Shard> shards) {
		Map<Shard, Stamp> last = new HashMap<>();
		List<Shard> all = List.copyOf(shards);
		for (int i = 0; i < all.size(); i += MAX_LOOKED_UP) {
			List<Shard> some = all.subList(i, Math.min(all.size(), i + MAX_LOOKED_UP));
			List<Object> arguments = new ArrayList<>();
			some.forEach((shard) -> arguments.addAll(List.of(key(shard))));
			String one = "(select queue, shard, call_number, call_token %s order by call_number desc limit 1)"
				.formatted(OF_SHARD);
			this.jdbc.query(some.stream().map((shard) -> one).collect(Collectors.joining(" union all ")),
					(RowCallbackHandler) (row) -> last.put(Shard.parse(row.getString(1) + ":" + row.getString(2)),
							new Stamp(row.getLong(3), row.getLong(4))),
					arguments.toArray());
		}
		return last;
	}

	@Nullable String nextQueue(String after) {
		return this.jdbc.queryForObject("select min(queue) from lowkiq_outbox_sent where prefix = ? and queue > ?",
				String.class, this.prefix, after);
	}

	/**
	 * The shards of a queue with kept rows. Each is found by the index, however many rows
	 * there are.
	 */
	List<Shard> shards(String queue) {
		List<Shard> found = new ArrayList<>();
		String shard = "";
		while (true) {
			shard = this.jdbc.queryForObject(
					"select min(shard) from lowkiq_outbox_sent where prefix = ? and queue = ? and shard > ?",
					String.class, this.prefix, queue, shard);
			if (shard == null) {
				return found;
			}
			found.add(Shard.parse(queue + ":" + shard));
		}
	}

	/**
	 * Deletes the first rows of a shard, if they were sent long ago.
	 * @param shard the shard, which still has them
	 * @param until rows that were sent later stay
	 * @param most how many calls to look at, about
	 * @return whether there may be more
	 */
	boolean deleteFirst(Shard shard, long until, int most) {
		List<Long> oldest = this.jdbc.queryForList("select sent_at %s order by call_number limit 1".formatted(OF_SHARD),
				Long.class, key(shard));
		if (oldest.isEmpty() || oldest.get(0) > until) {
			return false;
		}
		List<long[]> first = this.jdbc.query(
				"select call_number, sent_at %s order by call_number limit %d".formatted(OF_SHARD, most),
				(row, number) -> new long[] { row.getLong(1), row.getLong(2) }, key(shard));
		List<long[]> old = first.stream().takeWhile((row) -> row[1] <= until).toList();
		if (old.isEmpty()) {
			return false;
		}
		this.jdbc.update("delete %s and call_number <= ?".formatted(OF_SHARD), key(shard, old.get(old.size() - 1)[0]));
		return old.size() == most;
	}

	/**
	 * Moves rows that a shard has forgotten back to the outbox, those of the latest calls
	 * first: as long as one is left, nothing new is sent to the shard.
	 * @param shard the shard
	 * @param remembered the last call that it remembers
	 * @param most how many rows to move, but whole calls
	 * @return what was moved; {@link Rows#count()} is 0 if nothing is left
	 */
	Rows takeBack(Shard shard, Stamp remembered, int most) {
		List<Long> latest = this.jdbc.queryForList("""
				select call_number %s and call_number >= ? and not (call_number = ? and call_token = ?)
				order by call_number desc limit %d""".formatted(OF_SHARD, most), Long.class,
				key(shard, remembered.number(), remembered.number(), remembered.token()));
		return latest.isEmpty() ? new Rows(0, Long.MAX_VALUE) : takeBack("queue = ? and shard = ? and call_number >= ?",
				shard.queue(), inQueue(shard), latest.get(latest.size() - 1));
	}

	/**
	 * Moves rows back to the outbox that were sent at some time.
	 * @param from the first time, in milliseconds since 1970 by the clock of the database
	 * @param to the time after the last one
	 * @return what was moved
	 */
	Rows takeBack(long from, long to) {
		return takeBack("sent_at >= ? and sent_at < ?", from, to);
	}

	private Rows takeBack(String condition, Object... more) {
		List<Object> arguments = new ArrayList<>(List.of(this.prefix));
		arguments.addAll(List.of(more));
		Function<String, String> statement = (verb) -> "%s from lowkiq_outbox_sent where prefix = ? and %s"
			.formatted(verb, condition);
		Rows rows = Rows.of(this.jdbc, statement.apply("select count(*), min(sent_at)"), arguments.toArray());
		if (rows.count() > 0) {
			this.jdbc.update(statement
				.apply("insert into lowkiq_outbox (%1$s, prefix) select %1$s, prefix".formatted(OutboxTable.COLUMNS)),
					arguments.toArray());
			this.jdbc.update(statement.apply("delete"), arguments.toArray());
		}
		return rows;
	}

	/**
	 * Notes that rows are sent again.
	 * @param rows how many
	 * @param now milliseconds since 1970 by the clock of the database
	 */
	void noteResent(long rows, long now) {
		this.jdbc.update("update lowkiq_outbox_lock set resent = resent + ?, resent_at = ? where prefix = ?", rows, now,
				this.prefix);
	}

	/** How many rows are kept, and since when. */
	Rows kept() {
		return Rows.of(this.jdbc, "select count(*), min(sent_at) from lowkiq_outbox_sent where prefix = ?",
				this.prefix);
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

}
