package io.lowkiq.sample.orders;

import java.util.Optional;
import java.util.OptionalLong;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The replica of the orders in the database. Thread-safe, as far as no two writers of one
 * order overlap: that is what the queue is for.
 */
@Repository
class OrderTable {

	private static final String UPDATE = """
			update orders set version = ?, status = ?, amount = ?, fencing_token = ?, updated_at = current_timestamp
			where id = ?
			""";

	private static final String INSERT = """
			insert into orders (version, status, amount, fencing_token, updated_at, id)
			values (?, ?, ?, ?, current_timestamp, ?)
			""";

	private final JdbcClient jdbc;

	OrderTable(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/** The version of an order. */
	OptionalLong version(String id) {
		Optional<Long> version = this.jdbc.sql("select version from orders where id = ?")
			.param(id)
			.query(Long.class)
			.optional();
		return version.map(OptionalLong::of).orElseGet(OptionalLong::empty);
	}

	/**
	 * Writes an order, whatever version the row has: the caller has looked before. Only a
	 * newer fencing token in the row turns the write away (I6).
	 * @throws FencedException if the row was written under a newer token
	 */
	@Transactional
	boolean write(String id, OrderSnapshot snapshot, long token) {
		Optional<Row> row = this.jdbc.sql("select version, fencing_token from orders where id = ? for update")
			.param(id)
			.query((found, number) -> new Row(found.getLong("version"), found.getLong("fencing_token")))
			.optional();
		if (row.isPresent() && row.get().fencingToken() > token) {
			throw new FencedException(id, token, row.get().fencingToken());
		}
		this.jdbc.sql(row.isPresent() ? UPDATE : INSERT)
			.params(snapshot.version(), snapshot.status(), snapshot.amount(), token, id)
			.update();
		return row.isPresent() && row.get().version() > snapshot.version();
	}

	/** The part of a row that a write checks. */
	record Row(long version, long fencingToken) {
	}

}
