package io.lowkiq.autoconfigure.outbox;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.autoconfigure.outbox.OutboxLock.State;
import io.lowkiq.autoconfigure.outbox.OutboxLock.WentBack;

/**
 * Notices that the sequence of the table went back, because the database was restored or
 * replicated, or its sequence was set: newer jobs would get lower scores than older ones.
 * A row with a lower number than one that was sent before is usual, because transactions
 * commit in another order than they take numbers. So the sequence is asked for one.
 * <p>
 * Used by the thread that flushes, under the lock; {@link #problem()} is read by all.
 */
class OutboxSequence {

	private static final Logger logger = LoggerFactory.getLogger(OutboxSequence.class);

	/** More numbers than are taken until somebody mends the sequence. */
	private static final long ROOM = 1_000_000_000;

	private final OutboxTable table;

	private final JdbcTemplate jdbc;

	private boolean isChecked;

	/** The highest number that this process has seen: a database may be restored. */
	private long highest;

	/** Written by the thread that flushes, read by all. */
	private volatile @Nullable String problem;

	OutboxSequence(OutboxTable table, JdbcTemplate jdbc) {
		this.table = table;
		this.jdbc = jdbc;
	}

	/** Why the numbers of rows have no order, and what to do; null if they have. */
	@Nullable String problem() {
		return this.problem;
	}

	/** Whether it was found to be in order; not before the first check. */
	boolean isInOrder() {
		return this.isChecked;
	}

	/**
	 * Checks the sequence, if these rows give cause for it. Rows read while it was out of
	 * order are never sent: they may have been renumbered.
	 */
	boolean check(State state, List<OutboxRow> rows) {
		long kept = Math.max(state.highest(), this.highest);
		if (this.isChecked && state.wentBack() == null && rows.stream().allMatch((row) -> row.sequence() > kept)) {
			return true;
		}
		boolean isAhead = this.table.takeNumber() > kept;
		WentBack wentBack = state.wentBack();
		if (wentBack == null && !isAhead) {
			long at = this.table.lock().now();
			wentBack = new WentBack(this.table.takeNumber(), Math.max(kept, highestOfAll()), at);
			this.table.lock().keep(wentBack);
		}
		else if (wentBack != null && isAhead && !isLeft(wentBack)) {
			this.table.lock().keep(null);
			wentBack = null;
		}
		this.isChecked = wentBack == null;
		note((wentBack != null) ? describe(wentBack) : null);
		return this.isChecked && state.wentBack() == null;
	}

	private void note(@Nullable String present) {
		if (present != null && this.problem == null) {
			logger.error("{}", present);
		}
		if (present == null && this.problem != null) {
			logger.info("The sequence of lowkiq_outbox is in order again");
		}
		this.problem = present;
	}

	/** Keeps the highest number. */
	void keep(State state, List<OutboxRow> handled) {
		long last = handled.stream().mapToLong(OutboxRow::sequence).max().orElse(0);
		if (last > state.highest()) {
			this.table.lock().keepHighest(last);
			this.highest = Math.max(this.highest, last);
		}
	}

	private long highestOfAll() {
		return Objects.requireNonNull(this.jdbc.queryForObject("""
				select max(highest) from (
				select max(seq) as highest from lowkiq_outbox
				union all select max(seq) as highest from lowkiq_outbox_aside
				union all select max(highest) as highest from lowkiq_outbox_lock) all_tables""", Long.class));
	}

	/** Whether rows have not been renumbered that were written meanwhile. */
	private boolean isLeft(WentBack wentBack) {
		return !this.jdbc
			.queryForList("select seq from lowkiq_outbox where %s limit 1".formatted(meanwhile(wentBack)), Long.class)
			.isEmpty();
	}

	private static String meanwhile(WentBack wentBack) {
		return "seq <= %s OR (seq <= %s AND created_at >= %s)".formatted(wentBack.to(),
				Math.min(wentBack.from(), wentBack.to() + ROOM), wentBack.at());
	}

	private String describe(WentBack wentBack) {
		long next = wentBack.from() + 2 * ROOM;
		String restart = OutboxTable.isMySql(this.table.product())
				? "ALTER TABLE lowkiq_outbox AUTO_INCREMENT = %s".formatted(next)
				: "ALTER TABLE lowkiq_outbox ALTER COLUMN seq RESTART WITH %s".formatted(next);
		return "The sequence of lowkiq_outbox.seq went back from %s to %s: newer jobs would be performed before older ones, so nothing is sent. Run these two statements, in this order: %s; UPDATE lowkiq_outbox SET seq = seq + %s WHERE %s;"
			.formatted(wentBack.from(), wentBack.to(), restart, wentBack.from() + ROOM - wentBack.to(),
					meanwhile(wentBack));
	}

}
