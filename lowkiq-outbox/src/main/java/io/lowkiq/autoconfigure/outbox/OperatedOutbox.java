package io.lowkiq.autoconfigure.outbox;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.lowkiq.StoreException;
import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.autoconfigure.outbox.OutboxSql.Rows;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** The outbox for {@link io.lowkiq.admin.LowkiqAdmin}. Thread-safe. */
class OperatedOutbox implements Outbox {

	private final AsideTable aside;

	private final OutboxTable table;

	private final OutboxLock lock;

	private final OutboxFlush flush;

	private final OutboxFlusher flusher;

	private final TransactionTemplate transaction;

	OperatedOutbox(DataSource dataSource, OutboxTable table, OutboxFlush flush, OutboxFlusher flusher) {
		this.table = table;
		this.aside = table.aside();
		this.lock = table.lock();
		this.flush = flush;
		this.flusher = flusher;
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	@Override
	public OutboxStatus status(int limit) {
		return tried(() -> {
			Rows waiting = this.aside.waiting(KeptJobs.MAX_COUNTED);
			return new OutboxStatus(this.flusher.problem(), this.flush.waiting(), waiting.count(), waiting.since(),
					this.aside.count(), this.aside.unsent(limit), this.flush.isKeeping() ? kept() : null);
		});
	}

	private KeptJobs kept() {
		Rows kept = this.table.sent().kept(KeptJobs.MAX_COUNTED);
		Rows resent = this.table.sent().resent();
		return new KeptJobs(kept.count(), kept.since(), resent.count(),
				(resent.count() > 0) ? Instant.ofEpochMilli(resent.oldest()) : null);
	}

	@Override
	public Optional<UnsentJob> find(long sequence) {
		return tried(() -> this.aside.find(sequence));
	}

	@Override
	public boolean sendAgain(long sequence) {
		boolean isBack = tried(() -> Boolean.TRUE
			.equals(this.transaction.execute((status) -> mayReturn() && this.aside.takeBack(sequence))));
		lookAgain();
		return isBack;
	}

	@Override
	public boolean drop(long sequence) {
		boolean isDropped = tried(() -> this.aside.drop(sequence));
		lookAgain();
		return isDropped;
	}

	@Override
	public long resendKept(Instant from, Instant to) {
		Long resent = tried(() -> this.transaction.execute((status) -> mayReturn() ? resend(from, to) : 0L));
		this.flusher.wake();
		return (resent != null) ? resent : 0;
	}

	/** Under the lock: what is under way has ended, and nothing returns meanwhile. */
	@Override
	public Map<String, Long> erase(@Nullable String queue, String id) {
		return erase(() -> this.table.erase(queue, id));
	}

	@Override
	public Map<String, Long> erasePrefix(String prefix) {
		return erase(() -> this.table.erasePrefix(prefix));
	}

	private Map<String, Long> erase(Supplier<Map<String, Long>> erase) {
		Map<String, Long> erased = new TreeMap<>();
		tried(() -> {
			this.transaction.executeWithoutResult((status) -> {
				this.lock.take();
				erase.get().forEach((name, rows) -> erased.merge(name, rows, Long::sum));
			});
			return true;
		});
		lookAgain();
		return erased;
	}

	@Override
	public void dropKept(Shard shard, Collection<String> ids) {
		if (this.flush.isKeeping()) {
			tried(() -> {
				this.table.sent().drop(shard, List.copyOf(ids));
				return true;
			});
		}
	}

	/** While the sequence is out of order, rows might have numbers of newer ones. */
	private boolean mayReturn() {
		if (!this.lock.take()) {
			return false;
		}
		if (this.lock.state().wentBack() != null) {
			throw new StoreException(
					"No job can be sent again while the sequence of lowkiq_outbox is out of order; the health of the outbox says how to mend it",
					null);
		}
		return true;
	}

	private long resend(Instant from, Instant to) {
		long rows = this.table.sent().takeBack(from.toEpochMilli(), to.toEpochMilli()).count();
		this.table.sent().noteResent(rows, this.lock.now());
		return rows;
	}

	/** Later rows of the id have waited. */
	private void lookAgain() {
		this.flush.lookAside();
		this.flusher.wake();
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
