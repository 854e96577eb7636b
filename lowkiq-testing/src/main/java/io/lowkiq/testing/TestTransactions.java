package io.lowkiq.testing;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Transactions of nothing. */
public final class TestTransactions extends AbstractPlatformTransactionManager {

	private static final long serialVersionUID = 1L;

	private transient @Nullable Object current;

	private boolean failing;

	/** Lets every commit fail from now on. */
	public void fail() {
		this.failing = true;
	}

	@Override
	protected Object doGetTransaction() {
		return new Object();
	}

	@Override
	protected boolean isExistingTransaction(Object transaction) {
		return this.current != null;
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		this.current = transaction;
	}

	@Override
	protected Object doSuspend(Object transaction) {
		Object suspended = Objects.requireNonNull(this.current);
		this.current = null;
		return suspended;
	}

	@Override
	protected void doResume(@Nullable Object transaction, Object suspendedResources) {
		this.current = suspendedResources;
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		if (this.failing) {
			throw new TransactionSystemException("The connection broke");
		}
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
	}

	@Override
	protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		status.setRollbackOnly();
	}

	@Override
	protected void doCleanupAfterCompletion(Object transaction) {
		this.current = null;
	}

}
