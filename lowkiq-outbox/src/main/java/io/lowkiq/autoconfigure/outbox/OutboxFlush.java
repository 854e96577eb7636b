package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.LowkiqException;
import io.lowkiq.autoconfigure.outbox.OutboxTable.Batch;
import io.lowkiq.autoconfigure.outbox.WaitingRows.LeftOut;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Part;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.NewerVersionException;
import io.lowkiq.store.NotEnqueued;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.StoreAccessException;
import io.lowkiq.store.StoreFullException;

/**
 * One step of emptying the outbox: the first rows are deleted and go to the store, in one
 * transaction. Nothing is sent that can't be deleted, and no delete is committed before
 * the store has answered. What the store refuses, or does not confirm, stays.
 * <p>
 * Each step begins with the lowest committed sequence of each queue, under a lock of the
 * table, and reads what is committed by then. So when a row is sent, all rows of its id
 * that were committed before it have been sent, or are sent with it, in the order of the
 * sequence: whichever processes write and empty the table. If the process dies before the
 * delete is committed, or the store's answer is lost, the rows are sent again, in the
 * same order and with the same scores.
 * <p>
 * What can't be sent waits alone: a queue, a shard, or an id. A row that no store would
 * take is put aside, and later rows of its id wait for it.
 * <p>
 * Used by one thread; {@link #waiting()} is read by all.
 */
class OutboxFlush {

	private static final Logger logger = LoggerFactory.getLogger(OutboxFlush.class);

	/** After so many queues that don't respond, the store as a whole doesn't. */
	private static final int MAX_SILENT_QUEUES = 3;

	private final OutboxTable table;

	private final OutboxTarget store;

	private final int batchSize;

	private final TransactionTemplate transaction;

	private final WaitingRows waiting;

	/** The queue with which the last step ended, if there may be more. */
	private String lastQueue = "";

	/** Whether a step has sent something since nothing was left to do. */
	private boolean hasSent;

	/** Parts that have not responded since then, as long as nothing has been sent. */
	private final Map<Part, RuntimeException> silent = new LinkedHashMap<>();

	/**
	 * A step.
	 * @param dataSource the database with the table
	 * @param table the table
	 * @param store where the rows go
	 * @param nanoTime a monotonic clock
	 * @param settings how much, and how often
	 */
	OutboxFlush(DataSource dataSource, OutboxTable table, OutboxTarget store, LongSupplier nanoTime,
			Settings settings) {
		this.table = table;
		this.store = store;
		this.batchSize = settings.batchSize();
		this.waiting = new WaitingRows(settings.longestPause(), nanoTime);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		// Each statement sees what is committed when it begins, not when the lock was
		// asked for
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
	}

	/**
	 * Sends the first rows.
	 * @return whether there may be more to send
	 * @throws RuntimeException if the store or the database can't be reached
	 */
	boolean step() {
		LeftOut leftOut = this.waiting.leftOut(this.store::shardOf);
		this.silent.keySet().forEach(leftOut::add);
		Optional<Step> locked = this.transaction
			.execute((status) -> this.table.lock() ? Optional.of(send(status, leftOut)) : Optional.empty());
		Step step = locked.orElse(null);
		if (step == null) {
			this.table.makeLock();
			return true;
		}
		if (!step.failed().isEmpty() && Thread.currentThread().isInterrupted()) {
			return false;
		}
		this.lastQueue = step.more() ? step.lastQueue() : "";
		this.hasSent |= step.sent() > 0;
		note(leftOut, step);
		RuntimeException silence = silence(step);
		if (!step.more() || silence != null) {
			this.hasSent = false;
			this.silent.clear();
		}
		if (silence != null) {
			throw silence;
		}
		return step.more();
	}

	/** A part that does not respond waits alone only if another one does. */
	private void note(LeftOut leftOut, Step step) {
		boolean isNew = step.failed().keySet().stream().noneMatch(this.waiting::contains);
		if (!this.hasSent && isNew && step.failed().values().stream().allMatch(WaitingRows::isSilence)) {
			this.silent.putAll(step.failed());
			return;
		}
		Map<Part, RuntimeException> failed = new LinkedHashMap<>(this.silent);
		failed.putAll(step.failed());
		this.silent.clear();
		this.waiting.update(leftOut, failed, !step.more());
	}

	/** The store as a whole does not respond: nothing of it waits alone. */
	private @Nullable RuntimeException silence(Step step) {
		long queues = this.silent.keySet().stream().map(Part::queue).distinct().count();
		return (!step.more() || queues >= MAX_SILENT_QUEUES) ? this.silent.values().stream().findFirst().orElse(null)
				: null;
	}

	private Step send(TransactionStatus status, LeftOut leftOut) {
		this.table.idsAside().forEach(leftOut::add);
		Batch batch = this.table.read(this.batchSize, leftOut, this.lastQueue);
		List<OutboxRow> rows = batch.rows();
		if (rows.isEmpty()) {
			return new Step(0, Map.of(), false, "");
		}
		List<OutboxRow> unfit = rows.stream().filter((row) -> reason(row) != null).toList();
		if (!unfit.isEmpty()) {
			unfit.forEach(this::setAside);
			return new Step(0, Map.of(), true, batch.lastQueue());
		}
		Object savepoint = status.createSavepoint();
		this.table.delete(sequences(rows));
		Sending sending = new Sending();
		boolean more = batch.isFull();
		String lastQueue = batch.lastQueue();
		for (Map.Entry<String, List<OutboxRow>> some : batch.byQueue().entrySet()) {
			sending.send(some.getKey(), some.getValue());
			if (sending.isSilent() && !some.getKey().equals(lastQueue)) {
				// The lock is held for one timeout at most
				more = true;
				lastQueue = some.getKey();
				break;
			}
		}
		if (!sending.failed.isEmpty()) {
			status.rollbackToSavepoint(savepoint);
			this.table.delete(sending.sent);
		}
		return new Step(sending.sent.size(), sending.failed, more, lastQueue);
	}

	private static List<Long> sequences(List<OutboxRow> rows) {
		return rows.stream().map(OutboxRow::sequence).toList();
	}

	/** Why a row can't ever be sent; null if it can. */
	private static @Nullable String reason(OutboxRow row) {
		try {
			Ids.check(row.payload().id());
			return null;
		}
		catch (InvalidJobException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	private void setAside(OutboxRow row) {
		String reason = String.valueOf(reason(row));
		this.table.setAside(row, reason);
		logger.error("Row {} of queue '{}' in lowkiq_outbox can't be sent. It is put aside in lowkiq_outbox_aside: {}",
				row.sequence(), row.queue(), LogText.of(reason));
	}

	/** How long until something is tried again, in nanoseconds, at most the limit. */
	long untilRetry(long limit) {
		return this.waiting.untilRetry(limit);
	}

	/** By queue, shard or id whose rows wait: why. */
	Map<String, String> waiting() {
		return this.waiting.reasons();
	}

	/**
	 * Sends the rows of a batch, and notes what has become of them.
	 */
	private final class Sending {

		private final List<Long> sent = new ArrayList<>();

		private final Map<Part, RuntimeException> failed = new LinkedHashMap<>();

		/** 0 as long as no row has a delay. */
		private long now;

		private void send(String queue, List<OutboxRow> rows) {
			try {
				List<NotEnqueued> notEnqueued = enqueue(queue, rows);
				notEnqueued.forEach((some) -> retry(queue, rows, some));
			}
			catch (LowkiqException ex) {
				this.failed.put(Part.of(queue), ex);
			}
		}

		private List<NotEnqueued> enqueue(String queue, List<OutboxRow> rows) {
			List<NewPayload> payloads = rows.stream().map((row) -> row.toSend(now(row))).toList();
			List<NotEnqueued> notEnqueued = OutboxFlush.this.store.enqueue(queue, payloads);
			List<Integer> not = notEnqueued.stream().flatMap((some) -> some.positions().stream()).toList();
			List<Long> sequences = new ArrayList<>(sequences(rows));
			sequences.removeAll(not.stream().map((position) -> rows.get(position).sequence()).toList());
			this.sent.addAll(sequences);
			return notEnqueued;
		}

		private boolean isSilent() {
			return this.failed.values().stream().anyMatch(WaitingRows::isSilence);
		}

		/** By the clock of the database, whose time is asked for at most once. */
		private long now(OutboxRow row) {
			if (this.now == 0 && row.payload().delay() > 0) {
				this.now = OutboxFlush.this.table.now();
			}
			return this.now;
		}

		/** Sends refused rows again, id by id, because one id may be at fault. */
		private void retry(String queue, List<OutboxRow> rows, NotEnqueued refused) {
			Map<String, List<OutboxRow>> byId = new LinkedHashMap<>();
			refused.positions()
				.forEach(
						(position) -> byId.computeIfAbsent(rows.get(position).payload().id(), (id) -> new ArrayList<>())
							.add(rows.get(position)));
			if (byId.size() == 1 || !isRefusal(refused.problem()) || Thread.currentThread().isInterrupted()) {
				this.failed.put(Part.of(refused.shard()), refused.problem());
				return;
			}
			Map<Part, RuntimeException> ids = new LinkedHashMap<>();
			byId.forEach((id, some) -> enqueue(queue, some)
				.forEach((again) -> ids.put(Part.of(queue, id), again.problem())));
			if (ids.size() == byId.size()) {
				this.failed.put(Part.of(refused.shard()), refused.problem());
			}
			else {
				this.failed.putAll(ids);
			}
		}

		private static boolean isRefusal(RuntimeException problem) {
			return !(WaitingRows.isSilence(problem) || problem instanceof QueueClosedException
					|| problem instanceof NewerVersionException || problem instanceof StoreFullException
					|| problem instanceof StoreAccessException);
		}

	}

	/**
	 * How much a step sends, and how often it tries again.
	 *
	 * @param batchSize how many rows a step sends at most
	 * @param longestPause after how long at most what was refused is tried again
	 */
	record Settings(int batchSize, Duration longestPause) {
	}

	private record Step(int sent, Map<Part, RuntimeException> failed, boolean more, String lastQueue) {
	}

}
