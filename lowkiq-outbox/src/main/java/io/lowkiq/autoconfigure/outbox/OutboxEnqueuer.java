package io.lowkiq.autoconfigure.outbox;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import io.lowkiq.Ids;
import io.lowkiq.OtherDatabaseException;
import io.lowkiq.ReadOnlyTransactionException;
import io.lowkiq.autoconfigure.transaction.NonBlockingThreads;
import io.lowkiq.autoconfigure.transaction.TransactionJobs;
import io.lowkiq.autoconfigure.transaction.TransactionTarget;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.store.job.NewPayload;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronizationManager;

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

	private final OutboxDatabase database;

	private final OutboxTable table;

	private final OutboxWriter writer;

	private final HandedOverJobs handedOver;

	private final Runnable committed;

	private final NonBlockingThreads nonBlockingThreads = new NonBlockingThreads();

	private final EndingTransactions ending = new EndingTransactions();

	private final AtomicBoolean warned = new AtomicBoolean();

	OutboxEnqueuer(OutboxDatabase database, OutboxTable table, HandedOverJobs handedOver, Runnable committed) {
		this.database = database;
		this.table = table;
		this.writer = new OutboxWriter(database, table);
		this.handedOver = handedOver;
		this.committed = committed;
	}

	/** The last step of a transaction before its commit. */
	void beforeCommit(TransactionExecution transaction) {
		DataSource dataSource = writable(transaction);
		if (dataSource != null && TransactionJobs.isInTransaction()) {
			this.ending.commits(dataSource);
			TransactionJobs.beforeCommit(this);
		}
	}

	/** The last step of a transaction before it is rolled back. */
	void beforeRollback(TransactionExecution transaction) {
		DataSource dataSource = writable(transaction);
		if (dataSource != null) {
			this.ending.rollsBack(dataSource);
		}
	}

	/** Nothing of a transaction is left to do. */
	void afterAllCallbacks(TransactionExecution transaction) {
		DataSource dataSource = writable(transaction);
		if (dataSource != null) {
			this.ending.remove(dataSource);
		}
	}

	private @Nullable DataSource writable(TransactionExecution transaction) {
		return transaction.isReadOnly() ? null : this.database.dataSourceOf(transaction);
	}

	@Override
	public void enqueue(String queue, List<NewPayload> payloads) {
		check(queue, payloads);
		if (TransactionJobs.isInTransaction()) {
			CompletableFuture<?> unused = TransactionJobs.add(this, queue, payloads);
			return;
		}
		this.nonBlockingThreads.check();
		CompletableFuture<?> unused = enqueueNow(queue, payloads);
	}

	@Override
	public CompletableFuture<Void> enqueueAsync(String queue, List<NewPayload> payloads) {
		check(queue, payloads);
		if (TransactionJobs.isInTransaction()) {
			return TransactionJobs.add(this, queue, payloads);
		}
		try {
			return enqueueNow(queue, payloads);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<Void> enqueueNow(String queue, List<NewPayload> payloads) {
		CompletableFuture<Void> end = afterCommit(queue, payloads);
		ended();
		return end;
	}

	private void check(String queue, List<NewPayload> payloads) {
		Ids.checkQueue(queue);
		this.table.check(payloads);
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
				throw new ReadOnlyTransactionException();
			}
			checkDatabase();
		}
	}

	private void checkDatabase() {
		try {
			this.database.checkTransaction();
		}
		catch (OtherDatabaseException ex) {
			this.committed.run();
			throw ex;
		}
	}

	@Override
	public void flush() {
		PersistenceContexts.flush();
	}

	@Override
	public void write(Map<String, List<NewPayload>> jobs) {
		this.writer.write(Objects.requireNonNull(this.ending.dataSource(), "No transaction is being committed"), jobs);
	}

	@Override
	public void missed() {
		// A transaction that joins one that has ended belongs to the database
		if (this.ending.ended() == null && this.warned.compareAndSet(false, true)) {
			logger
				.warn("Jobs were enqueued in a transaction that does not belong to the database with the table lowkiq_outbox: "
						+ "they are written to the table after the commit, and are lost if the process dies in between");
		}
	}

	@Override
	public void committed(boolean isLate) {
		this.ending.committed();
		DataSource dataSource = this.ending.ended();
		if (isLate && dataSource != null) {
			this.writer.commit(dataSource);
		}
	}

	/**
	 * Inserts in a transaction of its own, on the connection that this thread has if its
	 * transaction has just ended. A thread that may hold another connection hands the
	 * jobs over.
	 */
	@Override
	public CompletableFuture<Void> afterCommit(String queue, List<NewPayload> payloads) {
		DataSource ended = this.ending.ended();
		if (ended == null && isInForeignTransaction()) {
			return this.handedOver.add(queue, payloads);
		}
		this.writer.writeAndCommit((ended != null) ? ended : this.database.dataSource(), queue, payloads);
		return CompletableFuture.completedFuture(null);
	}

	/** Whether this thread may hold the connection of a foreign transaction. */
	private static boolean isInForeignTransaction() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				|| (!TransactionSynchronizationManager.isSynchronizationActive()
						&& TransactionSynchronizationManager.getResourceMap()
							.values()
							.stream()
							.anyMatch(ConnectionHolder.class::isInstance));
	}

	@Override
	public void ended() {
		this.committed.run();
	}

}
