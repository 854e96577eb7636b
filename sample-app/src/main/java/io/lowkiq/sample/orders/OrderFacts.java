package io.lowkiq.sample.orders;

import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Writes down what is seen of each order, over all runs and nodes that share the
 * database. Thread-safe.
 */
@Repository
class OrderFacts {

	private static final String TOTALS = """
			select coalesce(sum(received), 0) as received, coalesce(sum(performed), 0) as performed,
				coalesce(sum(merged), 0) as merged, coalesce(sum(stale), 0) as stale,
				coalesce(sum(failed), 0) as failed, coalesce(sum(buried), 0) as buried,
				coalesce(sum(fenced), 0) as fenced, coalesce(sum(overlapped), 0) as overlaps,
				coalesce(sum(disordered), 0) as disordered, coalesce(sum(regressions), 0) as regressions
			from order_facts
			""";

	private static final String VIEW = """
			select o.id, o.version, o.status, o.amount, o.fencing_token, o.updated_at, f.received, f.performed,
				f.merged, f.stale, f.failed, f.overlapped as overlaps, f.regressions
			from orders o join order_facts f on f.id = o.id where o.id = ?
			""";

	private static final String ADD_ROW = """
			insert into order_facts (id) select cast(? as varchar(200))
			where not exists (select 1 from order_facts where id = ?)
			""";

	private final JdbcClient jdbc;

	private final TransactionTemplate transaction;

	/** Names this run of the application in the claims. */
	private final String run = UUID.randomUUID().toString();

	OrderFacts(JdbcClient jdbc, TransactionTemplate transaction) {
		this.jdbc = jdbc;
		this.transaction = transaction;
	}

	/** A change was accepted. */
	void received(String id) {
		addRow(id);
		add("received", id);
	}

	/**
	 * A run begins. The claim tells whether another node is at the same order.
	 * @throws FencedException if a newer owner has claimed the order
	 */
	void begin(String id, long token) {
		addRow(id);
		OrderClaim claim = this.transaction.execute((status) -> {
			OrderClaim before = claim(id);
			if (before.isNewerThan(token)) {
				add("fenced", id);
				return before;
			}
			if (before.isSharedBy(this.run, token)) {
				add("overlapped", id);
			}
			this.jdbc.sql("update order_facts set claimed_by = ?, claim_token = ? where id = ?")
				.params(this.run, token, id)
				.update();
			return before;
		});
		if (claim.isNewerThan(token)) {
			throw new FencedException(id, token, claim.tokenOrZero());
		}
	}

	/** A run overlapped with one of the same order. */
	void overlapped(String id) {
		addRow(id);
		add("overlapped", id);
	}

	/** A row went back to an older version. */
	void regressed(String id) {
		add("regressions", id);
	}

	/** Changes were handed over in the wrong order. */
	void disordered(String id) {
		add("disordered", id);
	}

	/** The retries of a change were used up. */
	void buried(String id) {
		add("buried", id);
	}

	/** A run ended in success. */
	@Transactional
	void performed(String id, long token, int merged, boolean stale, boolean leaseLost) {
		end(id, token, leaseLost);
		this.jdbc.sql(
				"update order_facts set performed = performed + 1, merged = merged + ?, stale = stale + ? where id = ?")
			.params(merged, stale ? 1 : 0, id)
			.update();
	}

	/** A run threw. */
	@Transactional
	void failed(String id, long token, boolean leaseLost) {
		end(id, token, leaseLost);
		add("failed", id);
	}

	/** The row of an order with what was seen of it. */
	Optional<OrderView> find(String id) {
		return this.jdbc.sql(VIEW).param(id).query(OrderView.class).optional();
	}

	/** The sums over all orders. */
	OrderTotals totals() {
		return this.jdbc.sql(TOTALS).query(OrderTotals.class).single();
	}

	/**
	 * Gives the claim back. If a newer owner took it while this lease had not run out,
	 * the two overlapped.
	 */
	private void end(String id, long token, boolean leaseLost) {
		if (claim(id).isNewerThan(token)) {
			add(leaseLost ? "fenced" : "overlapped", id);
			return;
		}
		this.jdbc.sql("update order_facts set claimed_by = null where id = ? and claimed_by = ? and claim_token = ?")
			.params(id, this.run, token)
			.update();
	}

	private OrderClaim claim(String id) {
		return this.jdbc.sql("select claimed_by as run, claim_token as token from order_facts where id = ? for update")
			.param(id)
			.query(OrderClaim.class)
			.single();
	}

	private void add(String column, String id) {
		this.jdbc.sql("update order_facts set %1$s = %1$s + 1 where id = ?".formatted(column)).param(id).update();
	}

	private void addRow(String id) {
		try {
			this.jdbc.sql(ADD_ROW).params(id, id).update();
		}
		catch (DuplicateKeyException ex) {
			// Another thread added the row just now
		}
	}

	/**
	 * The performer of an order.
	 *
	 * @param run the run of an application; null if nobody does
	 * @param token the fencing token of the last performer; null if there was none
	 */
	record OrderClaim(@Nullable String run, @Nullable Long token) {

		boolean isNewerThan(long other) {
			return tokenOrZero() > other;
		}

		boolean isSharedBy(String otherRun, long otherToken) {
			return this.run != null && !this.run.equals(otherRun) && tokenOrZero() == otherToken;
		}

		long tokenOrZero() {
			return (this.token != null) ? this.token : 0;
		}

	}

}
