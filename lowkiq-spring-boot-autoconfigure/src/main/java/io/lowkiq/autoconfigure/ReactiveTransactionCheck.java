package io.lowkiq.autoconfigure;

import java.util.Locale;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.ReactiveTransactionManager;

import io.lowkiq.TransactionMode;

/**
 * Warns at startup that {@code lowkiq.client.transactional} doesn't cover reactive
 * transactions: they are not bound to a thread.
 */
final class ReactiveTransactionCheck implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(ReactiveTransactionCheck.class);

	private final ListableBeanFactory beans;

	private final TransactionMode mode;

	ReactiveTransactionCheck(ListableBeanFactory beans, TransactionMode mode) {
		this.beans = beans;
		this.mode = mode;
	}

	@Override
	public void afterSingletonsInstantiated() {
		String[] managers = this.beans.getBeanNamesForType(ReactiveTransactionManager.class, true, false);
		if (this.mode != TransactionMode.OFF && managers.length > 0) {
			logger
				.warn("lowkiq.client.transactional is '{}', but the transactions of {} are reactive: what is enqueued in one "
						+ "is enqueued at once, even if the transaction is rolled back. Enqueue after the transaction",
						this.mode.name().toLowerCase(Locale.ROOT).replace('_', '-'), String.join(", ", managers));
		}
	}

}
