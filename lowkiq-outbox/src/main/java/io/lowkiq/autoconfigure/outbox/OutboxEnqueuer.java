package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.Ids;
import io.lowkiq.autoconfigure.TransactionJobs;
import io.lowkiq.autoconfigure.TransactionTarget;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.store.NewPayload;

/**
 * Enqueues into the outbox: at the end of the transaction of the caller, or in one of its
 * own where there is none. The store is not needed, and nothing that concerns it is
 * checked: a row waits until its queue exists.
 * <p>
 * The rows are inserted as late as the transaction allows, in one batch, so that the
 * sequence of transactions that wait for each other is that of their commits.
 */
final class OutboxEnqueuer implements Enqueuer, TransactionTarget {

	private static final Logger logger = LoggerFactory.getLogger(OutboxEnqueuer.class);

	private final DataSource dataSource;

	private final OutboxTable table;

	private final Runnable committed;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * An enqueuer.
	 * @param dataSource the database with the table
	 * @param table the table
	 * @param committed called when there may be new rows
	 */
	OutboxEnqueuer(DataSource dataSource, OutboxTable table, Runnable committed) {
		this.dataSource = dataSource;
		this.table = table;
		this.committed = committed;
	}

	@Override
	public void enqueue(String queue, List<NewPayload> payloads) {
		Ids.checkQueue(queue);
		if (TransactionJobs.isInTransaction()) {
			CompletableFuture<?> unused = TransactionJobs.add(this, queue, payloads);
			return;
		}
		afterCommit(queue, payloads);
		ended();
	}

	@Override
	public CompletableFuture<Void> enqueueAsync(String queue, List<NewPayload> payloads) {
		return TransactionJobs.isInTransaction() ? TransactionJobs.add(this, queue, payloads)
				: Enqueuer.super.enqueueAsync(queue, payloads);
	}

	@Override
	public boolean beforeCommit(Map<String, List<NewPayload>> jobs) {
		if (TransactionSynchronizationManager.hasResource(this.dataSource)) {
			Connection connection = DataSourceUtils.getConnection(this.dataSource);
			try {
				if (!connection.getAutoCommit()) {
					this.table.insert(connection, jobs);
					return true;
				}
			}
			catch (SQLException ex) {
				throw this.table.translated("ask for the transaction", null, ex);
			}
			finally {
				DataSourceUtils.releaseConnection(connection, this.dataSource);
			}
		}
		if (this.warned.compareAndSet(false, true)) {
			logger
				.warn("Jobs were enqueued in a transaction that does not belong to the database with the table lowkiq_outbox: "
						+ "they are written to the table after the commit, and are lost if the process dies in between");
		}
		return false;
	}

	/**
	 * Inserts by a connection of its own: the one of this thread may belong to a
	 * transaction that has ended already.
	 */
	@Override
	public void afterCommit(String queue, List<NewPayload> payloads) {
		try (Connection connection = this.dataSource.getConnection()) {
			boolean autoCommit = connection.getAutoCommit();
			connection.setAutoCommit(false);
			try {
				this.table.insert(connection, Map.of(queue, payloads));
				connection.commit();
			}
			catch (SQLException | RuntimeException ex) {
				connection.rollback();
				throw ex;
			}
			finally {
				connection.setAutoCommit(autoCommit);
			}
		}
		catch (SQLException ex) {
			throw this.table.translated("write jobs to the outbox", null, ex);
		}
	}

	@Override
	public void ended() {
		this.committed.run();
	}

}
