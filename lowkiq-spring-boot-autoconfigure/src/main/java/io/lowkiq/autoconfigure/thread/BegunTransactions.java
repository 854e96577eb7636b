package io.lowkiq.autoconfigure.thread;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

import io.lowkiq.OpenTransactionException;

/**
 * The transactions that each thread has begun and not ended, the innermost first. Only
 * their managers can end those that are suspended: nothing is bound to the thread for
 * them. Knows the managers that are beans. Thread-safe.
 */
public final class BegunTransactions implements BeanPostProcessor {

	/** Each thread uses its own. */
	private final ThreadLocal<Deque<Begun>> ofThread = ThreadLocal.withInitial(ArrayDeque::new);

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager && bean instanceof PlatformTransactionManager some) {
			manager.addListener(new Listener(some));
		}
		return bean;
	}

	/** Rolls back all of this thread; null if there are none. */
	@Nullable OpenTransactionException rollBack() {
		OpenTransactionException left = null;
		for (Begun begun : this.ofThread.get().toArray(Begun[]::new)) {
			if (!begun.status().isCompleted()) {
				try {
					begun.manager().rollback(begun.status());
					left = (left != null) ? left : OpenTransactions.rolledBack();
				}
				catch (RuntimeException ex) {
					left = OpenTransactions.failed(ex);
				}
			}
		}
		this.ofThread.remove();
		return left;
	}

	private record Begun(PlatformTransactionManager manager, TransactionStatus status) {
	}

	private final class Listener implements TransactionExecutionListener {

		private final PlatformTransactionManager manager;

		Listener(PlatformTransactionManager manager) {
			this.manager = manager;
		}

		@Override
		public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
			Deque<Begun> all = BegunTransactions.this.ofThread.get();
			all.removeIf((each) -> each.status().isCompleted());
			if (failure == null && transaction instanceof TransactionStatus status && status.isNewTransaction()) {
				all.push(new Begun(this.manager, status));
			}
		}

		@Override
		public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
			afterRollback(transaction, failure);
		}

		@Override
		public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
			BegunTransactions.this.ofThread.get().removeIf((each) -> each.status() == transaction);
		}

	}

}
