package io.lowkiq.autoconfigure.thread;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import io.lowkiq.OpenTransactionException;
import io.lowkiq.engine.perform.ThreadState;

/**
 * The transactions of a thread, which begins without one. One that a run leaves open is
 * rolled back by its manager; or, if that is not known, in the order in which a manager
 * does it.
 */
final class OpenTransactions implements ThreadState {

	private static final Logger logger = LoggerFactory.getLogger(OpenTransactions.class);

	private final BoundResources resources;

	private final @Nullable BegunTransactions begun;

	OpenTransactions(BoundResources resources, @Nullable BegunTransactions begun) {
		this.resources = resources;
		this.begun = begun;
	}

	@Override
	public @Nullable RuntimeException restore() {
		OpenTransactionException left = (this.begun != null) ? this.begun.rollBack() : null;
		OpenTransactionException bound = restoreBound();
		return (left != null) ? left : bound;
	}

	private @Nullable OpenTransactionException restoreBound() {
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		boolean isOpen = TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionSynchronizationManager.isSynchronizationActive()
				|| (!bound.isEmpty() && bound.values().stream().anyMatch(OpenTransactions::isOfTransaction));
		if (isOpen) {
			return rollBack(Map.copyOf(bound));
		}
		if (!bound.isEmpty()) {
			unbind(Map.copyOf(bound));
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()
				|| TransactionSynchronizationManager.getCurrentTransactionIsolationLevel() != null
				|| TransactionSynchronizationManager.getCurrentTransactionName() != null) {
			TransactionSynchronizationManager.clear();
		}
		return null;
	}

	/** Also of managers that synchronize nothing. */
	private static boolean isOfTransaction(Object resource) {
		return resource instanceof ResourceHolderSupport holder && holder.isSynchronizedWithTransaction();
	}

	private OpenTransactionException rollBack(Map<Object, Object> bound) {
		List<TransactionSynchronization> synchronizations = List.of();
		Throwable problem = null;
		boolean isKnown = !TransactionSynchronizationManager.isActualTransactionActive()
				|| bound.values().stream().anyMatch(OpenTransactions::isOfTransaction);
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationUtils.triggerBeforeCompletion();
			synchronizations = TransactionSynchronizationManager.getSynchronizations();
		}
		for (Object resource : bound.values()) {
			try {
				isKnown &= this.resources.rollBack(resource) || !isOfTransaction(resource);
			}
			catch (SQLException | RuntimeException ex) {
				problem = ex;
			}
		}
		TransactionSynchronizationManager.clear();
		TransactionSynchronizationUtils.invokeAfterCompletion(synchronizations, (problem == null && isKnown)
				? TransactionSynchronization.STATUS_ROLLED_BACK : TransactionSynchronization.STATUS_UNKNOWN);
		unbind(bound);
		// Whatever the synchronizations have begun
		TransactionSynchronizationManager.clear();
		unbind(Map.copyOf(TransactionSynchronizationManager.getResourceMap()));
		return (problem != null) ? failed(problem) : isKnown ? rolledBack() : left(
				"was unbound; its manager could not be asked, so its resources may be lost; commit it, or roll it back in a finally block",
				null);
	}

	static OpenTransactionException rolledBack() {
		return left("was rolled back; commit it, or roll it back in a finally block", null);
	}

	static OpenTransactionException failed(Throwable problem) {
		return left("could not be rolled back: " + problem.getClass().getName(), problem);
	}

	private static OpenTransactionException left(String end, @Nullable Throwable problem) {
		return new OpenTransactionException("A transaction was left open, and " + end, problem);
	}

	private void unbind(Map<Object, Object> bound) {
		bound.forEach((key, resource) -> {
			TransactionSynchronizationManager.unbindResourceIfPossible(key);
			try {
				this.resources.release(resource);
			}
			catch (SQLException | RuntimeException ex) {
				logger.debug("A resource that a run left bound to its thread could not be given back", ex);
			}
			if (resource instanceof ResourceHolder holder) {
				holder.unbound();
			}
		});
	}

}
