package io.lowkiq.autoconfigure.outbox;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Notifies the outbox of each commit, after all callbacks: only a listener of the
 * transaction manager knows that nothing else is left to do. Registered with every
 * transaction manager of the application, whoever has configured it.
 */
final class OutboxTransactions implements BeanPostProcessor {

	/** Null until the outbox is there; written once, read by all. */
	private volatile @Nullable OutboxEnqueuer enqueuer;

	/**
	 * Connects the outbox.
	 * @param enqueuer the outbox
	 */
	void connect(OutboxEnqueuer enqueuer) {
		this.enqueuer = enqueuer;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			manager.addListener(listener());
		}
		return bean;
	}

	TransactionExecutionListener listener() {
		return new TransactionExecutionListener() {
			@Override
			public void beforeCommit(TransactionExecution transaction) {
				OutboxEnqueuer outbox = OutboxTransactions.this.enqueuer;
				if (outbox != null && isOwnEnd(transaction)) {
					outbox.beforeCommit(transaction);
				}
			}
		};
	}

	/**
	 * Whether the end of a transaction is one of the whole transaction: a manager
	 * notifies its listeners of each nested one, too, that ends by releasing its
	 * savepoint.
	 */
	private static boolean isOwnEnd(TransactionExecution transaction) {
		return transaction.isNewTransaction() && !transaction.isNested();
	}

	/**
	 * Whether a transaction is one of a database, begun by its manager: a connection that
	 * another manager's transaction happens to use commits for itself.
	 * @param dataSource the database
	 * @param transaction the transaction of this thread
	 * @return whether what is written by the connection of this thread is part of it
	 */
	static boolean isOf(DataSource dataSource, TransactionExecution transaction) {
		return transaction instanceof DefaultTransactionStatus status && status.hasTransaction()
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport object
				&& object.hasConnectionHolder()
				&& object.getConnectionHolder() == TransactionSynchronizationManager.getResource(dataSource);
	}

}
