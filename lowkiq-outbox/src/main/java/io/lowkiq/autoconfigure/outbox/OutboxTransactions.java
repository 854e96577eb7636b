package io.lowkiq.autoconfigure.outbox;

import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Notifies the outbox of the end of each transaction, after all callbacks, as only a
 * listener of the manager can.
 */
final class OutboxTransactions implements BeanPostProcessor {

	/** Null until the outbox is there; written once, read by all. */
	private volatile @Nullable OutboxEnqueuer enqueuer;

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
				notify(transaction, OutboxEnqueuer::beforeCommit);
			}

			@Override
			public void beforeRollback(TransactionExecution transaction) {
				notify(transaction, OutboxEnqueuer::beforeRollback);
			}

			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
				notify(transaction, OutboxEnqueuer::afterAllCallbacks);
			}

			@Override
			public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
				notify(transaction, OutboxEnqueuer::afterAllCallbacks);
			}

			private void notify(TransactionExecution transaction,
					BiConsumer<OutboxEnqueuer, TransactionExecution> what) {
				OutboxEnqueuer outbox = OutboxTransactions.this.enqueuer;
				if (outbox != null && isWhole(transaction)) {
					what.accept(outbox, transaction);
				}
			}

		};
	}

	/** A manager notifies of each nested one, too, that ends by its savepoint. */
	private static boolean isWhole(TransactionExecution transaction) {
		return transaction.isNewTransaction() && !transaction.isNested();
	}

}
