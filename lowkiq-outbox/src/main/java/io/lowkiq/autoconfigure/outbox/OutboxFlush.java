package io.lowkiq.autoconfigure.outbox;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.InvalidQueueException;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.autoconfigure.outbox.OutboxTable.FirstRows;
import io.lowkiq.client.Enqueuer;
import io.lowkiq.store.NewPayload;

/**
 * One step of emptying the outbox: the first rows go to the store, and are deleted then.
 * <p>
 * Each step begins with the lowest committed sequence, under a lock of the table, and
 * reads what is committed by then. So when a row is sent, all rows of its id that were
 * committed before it have been sent, or are sent with it, in the order of the sequence:
 * whichever processes write and empty the table. If the process dies before the delete is
 * committed, or the store's answer is lost, the rows are sent again, in the same order
 * and with the same scores.
 * <p>
 * Used by one thread; {@link #waitingQueues()} is read by all.
 */
class OutboxFlush {

	private static final Logger logger = LoggerFactory.getLogger(OutboxFlush.class);

	private final OutboxTable table;

	private final Enqueuer store;

	private final InstantSource clock;

	private final int batchSize;

	private final TransactionTemplate transaction;

	/** By queue that can't be enqueued into: why. */
	private final Map<String, String> waiting = new TreeMap<>();

	/**
	 * As {@link #waiting} was when all rows had been looked at. Written by the thread
	 * that flushes, read by all.
	 */
	private volatile Map<String, String> waitingQueues = Map.of();

	/**
	 * A step.
	 * @param dataSource the database with the table
	 * @param table the table
	 * @param store where the rows go
	 * @param clock the clock by which rows grow old
	 * @param batchSize how many rows a step sends at most
	 */
	OutboxFlush(DataSource dataSource, OutboxTable table, Enqueuer store, InstantSource clock, int batchSize) {
		this.table = table;
		this.store = store;
		this.clock = clock;
		this.batchSize = batchSize;
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
		Step step = this.transaction.execute((status) -> {
			this.table.lock();
			Step done = send(this.table.first(this.batchSize, this.waiting.keySet()));
			this.table.delete(done.sent());
			return done;
		});
		if (step.problem() != null) {
			throw step.problem();
		}
		return step.more();
	}

	/**
	 * The store's problem is returned and not thrown, so that what was sent before is
	 * deleted.
	 */
	private Step send(FirstRows first) {
		Map<String, List<OutboxRow>> byQueue = new LinkedHashMap<>();
		first.rows().forEach((row) -> byQueue.computeIfAbsent(row.queue(), (queue) -> new ArrayList<>()).add(row));
		List<Long> sent = new ArrayList<>();
		boolean more = first.cut();
		for (Map.Entry<String, List<OutboxRow>> some : byQueue.entrySet()) {
			try {
				this.store.enqueue(some.getKey(), payloads(some.getValue()));
				some.getValue().forEach((row) -> sent.add(row.sequence()));
			}
			catch (UnknownQueueException | ShardCountMismatchException | InvalidQueueException ex) {
				leaveOut(some.getKey(), ex);
				more = true;
			}
			catch (RuntimeException ex) {
				return new Step(sent, false, ex);
			}
		}
		return new Step(sent, more, null);
	}

	private List<NewPayload> payloads(List<OutboxRow> rows) {
		long now = this.clock.millis();
		return rows.stream().map((row) -> row.toSend(now)).toList();
	}

	private void leaveOut(String queue, RuntimeException problem) {
		String reason = String.valueOf(problem.getMessage());
		if (!this.waitingQueues.containsKey(queue)) {
			logger.error("The rows of queue '{}' in lowkiq_outbox can't be sent, while those of other queues are: {}",
					queue, reason);
		}
		this.waiting.put(queue, reason);
	}

	/** Tries the queues again that were left out. */
	void retryWaitingQueues() {
		this.waiting.clear();
	}

	/** All rows have been looked at: the queues that are not left out have none. */
	void end() {
		for (String queue : this.waitingQueues.keySet()) {
			if (!this.waiting.containsKey(queue)) {
				logger.info("The rows of queue '{}' in lowkiq_outbox are being sent again", queue);
			}
		}
		this.waitingQueues = Map.copyOf(this.waiting);
	}

	/** The queues whose rows wait, and why. */
	Map<String, String> waitingQueues() {
		return this.waitingQueues;
	}

	private record Step(List<Long> sent, boolean more, @Nullable RuntimeException problem) {
	}

}
