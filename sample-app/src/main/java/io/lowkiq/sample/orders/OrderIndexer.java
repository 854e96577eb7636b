package io.lowkiq.sample.orders;

import java.util.List;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqWorker;

import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.transaction.annotation.Transactional;

/** Keeps the index of the orders by status, ten orders a transaction. */
@LowkiqWorker(queue = "order-index", shards = 4, batchSize = 10)
class OrderIndexer implements BatchWorker<IndexEntry> {

	private static final String UPDATE = "update order_index set version = ?, status = ? where id = ? and version <= ?";

	private static final String INSERT = """
			insert into order_index (id, version, status)
			select cast(? as varchar(200)), cast(? as bigint), cast(? as varchar(40))
			where not exists (select 1 from order_index where id = ?)
			""";

	private final JdbcOperations jdbc;

	OrderIndexer(JdbcOperations jdbc) {
		this.jdbc = jdbc;
	}

	@Override
	@Transactional
	public void perform(Batch<IndexEntry> batch) {
		List<Object[]> updates = batch.jobs().stream().map((job) -> {
			IndexEntry newest = newest(job);
			return new Object[] { newest.version(), newest.status(), job.id(), newest.version() };
		}).toList();
		List<Object[]> inserts = batch.jobs().stream().map((job) -> {
			IndexEntry newest = newest(job);
			return new Object[] { job.id(), newest.version(), newest.status(), job.id() };
		}).toList();
		this.jdbc.batchUpdate(INSERT, inserts);
		this.jdbc.batchUpdate(UPDATE, updates);
	}

	private static IndexEntry newest(Batch.Job<IndexEntry> job) {
		return job.payloads().get(job.payloads().size() - 1);
	}

}
