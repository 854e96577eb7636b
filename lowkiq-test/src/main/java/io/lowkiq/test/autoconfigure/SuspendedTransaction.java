package io.lowkiq.test.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.lowkiq.PerformInterceptor;

/**
 * Suspends the transaction of the test, or of the code that enqueues, while a worker is
 * called on the same thread: in production the worker would not be in it.
 */
class SuspendedTransaction implements PerformInterceptor, Ordered {

	private final ObjectProvider<PlatformTransactionManager> transactionManager;

	SuspendedTransaction(ObjectProvider<PlatformTransactionManager> transactionManager) {
		this.transactionManager = transactionManager;
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void perform(Call call, Chain chain) throws Exception {
		PlatformTransactionManager manager = TransactionSynchronizationManager.isActualTransactionActive()
				? this.transactionManager.getIfUnique() : null;
		TransactionStatus suspended = suspend(manager);
		try {
			chain.proceed();
		}
		finally {
			if (manager != null && suspended != null) {
				manager.commit(suspended);
			}
		}
	}

	private static @Nullable TransactionStatus suspend(@Nullable PlatformTransactionManager manager) {
		return (manager != null) ? manager
			.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)) : null;
	}

}
