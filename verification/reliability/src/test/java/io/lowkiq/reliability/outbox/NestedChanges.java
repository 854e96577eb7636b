package io.lowkiq.reliability.outbox;

import java.util.concurrent.ThreadLocalRandom;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Changes within a transaction, in nested ones or behind savepoints, some of which are
 * rolled back. Thread-safe.
 */
final class NestedChanges {

	private final TransactionTemplate nested;

	NestedChanges(PlatformTransactionManager manager) {
		this.nested = new TransactionTemplate(manager);
		this.nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
	}

	/**
	 * Makes a change once or several times; each one, or none of it, becomes part of the
	 * transaction.
	 */
	void run(TransactionStatus transaction, Runnable change) {
		switch (ThreadLocalRandom.current().nextInt(8)) {
			case 0 -> this.nested.executeWithoutResult((status) -> change.run());
			case 1 -> rolledBack(change);
			case 2 -> {
				// The inner one has been released when the outer one is rolled back
				change.run();
				rolledBack(() -> this.nested.executeWithoutResult((inner) -> change.run()));
				change.run();
			}
			case 3 -> {
				// Only the inner one is rolled back
				this.nested.executeWithoutResult((status) -> {
					change.run();
					rolledBack(change);
					change.run();
				});
			}
			case 4 -> {
				Object savepoint = transaction.createSavepoint();
				change.run();
				transaction.rollbackToSavepoint(savepoint);
				change.run();
				transaction.releaseSavepoint(savepoint);
			}
			case 5 -> {
				// To the older of two
				Object older = transaction.createSavepoint();
				change.run();
				transaction.createSavepoint();
				change.run();
				transaction.rollbackToSavepoint(older);
			}
			default -> change.run();
		}
	}

	private void rolledBack(Runnable change) {
		this.nested.executeWithoutResult((status) -> {
			change.run();
			status.setRollbackOnly();
		});
	}

}
