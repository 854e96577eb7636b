package io.lowkiq.autoconfigure.thread;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.ResourceHolder;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import io.lowkiq.OpenTransactionException;
import io.lowkiq.engine.perform.ThreadState;

/**
 * The transactions of a thread, which begins without one. One that a run leaves open is
 * rolled back by its manager, if that is a bean; else it is only unbound.
 */
final class OpenTransactions implements ThreadState {

	private final @Nullable BegunTransactions begun;

	OpenTransactions(@Nullable BegunTransactions begun) {
		this.begun = begun;
	}

	@Override
	public @Nullable RuntimeException restore() {
		OpenTransactionException left = (this.begun != null) ? this.begun.rollBack() : null;
		OpenTransactionException bound = restoreBound();
		return (left != null) ? left : bound;
	}

	private static @Nullable OpenTransactionException restoreBound() {
		Map<Object, Object> bound = TransactionSynchronizationManager.getResourceMap();
		boolean isOpen = TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionSynchronizationManager.isSynchronizationActive()
				|| (!bound.isEmpty() && bound.values().stream().anyMatch(OpenTransactions::isOfTransaction));
		if (isOpen) {
			return end(Map.copyOf(bound));
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

	private static OpenTransactionException end(Map<Object, Object> bound) {
		List<TransactionSynchronization> synchronizations = List.of();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationUtils.triggerBeforeCompletion();
			synchronizations = TransactionSynchronizationManager.getSynchronizations();
		}
		TransactionSynchronizationManager.clear();
		TransactionSynchronizationUtils.invokeAfterCompletion(synchronizations,
				TransactionSynchronization.STATUS_UNKNOWN);
		unbind(bound);
		// Whatever the synchronizations have begun
		TransactionSynchronizationManager.clear();
		unbind(Map.copyOf(TransactionSynchronizationManager.getResourceMap()));
		return left(
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

	private static void unbind(Map<Object, Object> bound) {
		bound.forEach((key, resource) -> {
			TransactionSynchronizationManager.unbindResourceIfPossible(key);
			if (resource instanceof ResourceHolder holder) {
				holder.unbound();
			}
		});
	}

}
