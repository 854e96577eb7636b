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
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.Ids;
import io.lowkiq.ReadOnlyTransactionException;
import io.lowkiq.autoconfigure.transaction.TransactionJobs;
import io.lowkiq.autoconfigure.transaction.TransactionTarget;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.store.NewPayload;

/**
 * Enqueues into the outbox: at the end of the transaction of the caller, or in one of its
 * own where there is none. The store is not needed, and nothing that concerns it is
 * checked: a row waits until its queue exists.
 * <p>
 * The rows are inserted as late as the transaction allows, in one batch, so that the
 * sequence of transactions that wait for each other is that of their commits. A thread
 * that holds a connection of the database, as it does until all callbacks of its
 * transaction have run, never takes a second one.
 */
final class OutboxEnqueuer implements Enqueuer, TransactionTarget {

	private static final Logger logger = LoggerFactory.getLogger(OutboxEnqueuer.class);

	private final DataSource dataSource;

	private final OutboxTable table;

	private final Runnable committed;

	private final PersistenceContexts persistenceContexts = PersistenceContexts.find();

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

	/**
	 * The last step of a transaction before its commit.
	 * @param transaction the transaction of this thread
	 */
	void beforeCommit(TransactionExecution transaction) {
		if (!transaction.isReadOnly() && TransactionJobs.isInTransaction()
				&& OutboxTransactions.isOf(this.dataSource, transaction)) {
			TransactionJobs.beforeCommit(this);
		}
	}

	@Override
	public void enqueue(String queue, List<NewPayload> payloads) {
		check(queue, payloads);
		if (TransactionJobs.isInTransaction()) {
			CompletableFuture<?> unused = TransactionJobs.add(this, queue, payloads);
			return;
		}
		afterCommit(queue, payloads);
		ended();
	}

	@Override
	public CompletableFuture<Void> enqueueAsync(String queue, List<NewPayload> payloads) {
		check(queue, payloads);
		return TransactionJobs.isInTransaction() ? TransactionJobs.add(this, queue, payloads)
				: Enqueuer.super.enqueueAsync(queue, payloads);
	}

	private void check(String queue, List<NewPayload> payloads) {
		Ids.checkQueue(queue);
		this.table.check(payloads);
		if (TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw new ReadOnlyTransactionException();
		}
	}

	@Override
	public void flush() {
		this.persistenceContexts.flush();
	}

	@Override
	public void write(Map<String, List<NewPayload>> jobs) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			this.table.insert(connection, jobs);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	@Override
	public void missed() {
		if (this.warned.compareAndSet(false, true)) {
			logger
				.warn("Jobs were enqueued in a transaction that does not belong to the database with the table lowkiq_outbox: "
						+ "they are written to the table after the commit, and are lost if the process dies in between");
		}
	}

	@Override
	public void commitLate() {
		withConnection((connection) -> {
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		});
	}

	/**
	 * Inserts in a transaction of its own, on the connection that this thread has if its
	 * transaction has just ended.
	 */
	@Override
	public void afterCommit(String queue, List<NewPayload> payloads) {
		withConnection((connection) -> insertAndCommit(connection, queue, payloads));
	}

	private void insertAndCommit(Connection connection, String queue, List<NewPayload> payloads) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		if (autoCommit) {
			connection.setAutoCommit(false);
		}
		try {
			this.table.insert(connection, Map.of(queue, payloads));
			connection.commit();
		}
		catch (SQLException | RuntimeException ex) {
			connection.rollback();
			throw ex;
		}
		finally {
			if (autoCommit) {
				connection.setAutoCommit(true);
			}
		}
	}

	private void withConnection(Work work) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			work.run(connection);
		}
		catch (SQLException ex) {
			throw this.table.translated("write jobs to the outbox", null, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	@Override
	public void ended() {
		this.committed.run();
	}

	/**
	 * Work done with a connection.
	 */
	@FunctionalInterface
	private interface Work {

		void run(Connection connection) throws SQLException;

	}

}
