package io.lowkiq.autoconfigure.outbox;

import java.util.ArrayDeque;
import java.util.Deque;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions of the outbox' database that this thread is ending, the innermost
 * first: a callback may begin another one. Their connections can be used while they are
 * bound to the thread, and not suspended. Thread-safe.
 */
final class EndingTransactions {

	/**
	 * Even if a listener that throws keeps the outbox from learning that one has ended.
	 */
	private static final int MAX_TRANSACTIONS = 10;

	/** Each thread uses its own. */
	private final ThreadLocal<Deque<Ending>> ofThread = ThreadLocal.withInitial(ArrayDeque::new);

	/** A transaction is about to be committed. */
	void commits(DataSource dataSource) {
		add(dataSource, false);
	}

	/** A transaction is about to be rolled back. */
	void rollsBack(DataSource dataSource) {
		add(dataSource, true);
	}

	private void add(DataSource dataSource, boolean hasEnded) {
		Object resource = TransactionSynchronizationManager.getResource(dataSource);
		if (resource != null) {
			Deque<Ending> all = this.ofThread.get();
			all.removeIf((each) -> each.resource == resource);
			if (all.size() == MAX_TRANSACTIONS) {
				all.removeLast();
			}
			all.push(new Ending(dataSource, resource, hasEnded));
		}
	}

	/** The innermost one has been committed. */
	void committed() {
		Ending innermost = innermost();
		if (innermost != null) {
			innermost.hasEnded = true;
		}
	}

	/** All callbacks of a transaction have run. */
	void remove(DataSource dataSource) {
		Deque<Ending> all = this.ofThread.get();
		all.removeIf((each) -> each.dataSource == dataSource && each.isBound());
		if (all.isEmpty()) {
			this.ofThread.remove();
		}
	}

	/** The data source of the innermost one; null if there is none. */
	@Nullable DataSource dataSource() {
		Ending innermost = innermost();
		return (innermost != null) ? innermost.dataSource : null;
	}

	/** Null also if the connection can't be used for another transaction. */
	@Nullable DataSource ended() {
		Ending innermost = innermost();
		return (innermost != null && innermost.hasEnded) ? innermost.dataSource : null;
	}

	private @Nullable Ending innermost() {
		return this.ofThread.get().stream().filter(Ending::isBound).findFirst().orElse(null);
	}

	private static final class Ending {

		private final DataSource dataSource;

		private final Object resource;

		private boolean hasEnded;

		private Ending(DataSource dataSource, Object resource, boolean hasEnded) {
			this.dataSource = dataSource;
			this.resource = resource;
			this.hasEnded = hasEnded;
		}

		private boolean isBound() {
			return TransactionSynchronizationManager.getResource(this.dataSource) == this.resource;
		}

	}

}
