package io.lowkiq.autoconfigure.outbox;

import java.util.Optional;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.store.StoreException;

/**
 * The outbox for {@link io.lowkiq.admin.LowkiqAdmin}. Thread-safe.
 */
class OperatedOutbox implements Outbox {

	private final OutboxTable table;

	private final OutboxFlush flush;

	private final OutboxFlusher flusher;

	private final TransactionTemplate transaction;

	OperatedOutbox(DataSource dataSource, OutboxTable table, OutboxFlush flush, OutboxFlusher flusher) {
		this.table = table;
		this.flush = flush;
		this.flusher = flusher;
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	@Override
	public OutboxStatus status(int limit) {
		return tried(() -> new OutboxStatus(this.flusher.problem(), this.flush.waiting(), this.table.countAside(),
				this.table.aside(limit)));
	}

	@Override
	public Optional<UnsentJob> find(long sequence) {
		return tried(() -> this.table.findAside(sequence));
	}

	@Override
	public boolean sendAgain(long sequence) {
		boolean isBack = tried(
				() -> Boolean.TRUE.equals(this.transaction.execute((status) -> this.table.takeBack(sequence))));
		this.flusher.wake();
		return isBack;
	}

	@Override
	public boolean drop(long sequence) {
		boolean isDropped = tried(() -> this.table.drop(sequence));
		this.flusher.wake();
		return isDropped;
	}

	private static <T> T tried(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (DataAccessException | TransactionException ex) {
			throw new StoreException("The tables of the outbox can't be used", ex);
		}
	}

}
