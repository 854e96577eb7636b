package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.autoconfigure.outbox.OutboxTable.Rows;
import io.lowkiq.store.ForgottenCallsException;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;

/**
 * Asks the shards with kept rows whether they still have them, queue by queue: now and
 * then, as soon as one has forgotten something, and when Redis responds again. Nothing is
 * sent during a pass. Rows that a shard has forgotten return to the outbox. Others are
 * deleted if they were sent longer ago than the time to keep.
 * <p>
 * Used by the thread that flushes, under the lock, but for {@link #resent()}.
 */
final class SentPass {

	private static final Logger logger = LoggerFactory.getLogger(SentPass.class);

	/**
	 * The time of a row may be that when its transaction began to wait for the lock.
	 */
	private static final Duration SLACK = Duration.ofSeconds(6);

	/** How often shards are asked, even if nothing gives cause for it. */
	private static final Duration INTERVAL = Duration.ofSeconds(5);

	/** How long a removed shard refuses calls at least. */
	private static final Duration MARK = Duration.ofDays(8);

	/** How many rows return to the outbox by one transaction. */
	private static final int MAX_MOVED = 5_000;

	/** How many rows a statement deletes at most, about. */
	private static final int MAX_DELETED = 2_000;

	/** How many such statements there are for a shard at a time. */
	private static final int MAX_STATEMENTS = 10;

	/** How long a pass waits after a queue that did not respond. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final SentTable table;

	private final OutboxLock lock;

	private final Duration keep;

	private final LongSupplier nanoTime;

	/** The queue after which the next shards are asked; null if no pass is under way. */
	private @Nullable String queue;

	/** Whether another pass is to follow the present one. */
	private boolean isToBeRepeated;

	/** Whether more rows can be deleted. */
	private boolean hasMore;

	/** When shards are asked next. */
	private long next;

	/** Whether a call was not answered since all shards were asked. */
	private boolean isLost;

	/** How many rows the transaction returns to the outbox. */
	private long moving;

	private long moved;

	private final Set<Shard> forgetful = new LinkedHashSet<>();

	private long movedSince = Long.MAX_VALUE;

	private final AtomicLong resent = new AtomicLong();

	/**
	 * No pass is under way, and the first one is due.
	 * @param table the table beside which rows are kept
	 * @param keep how long Redis may go back
	 * @param nanoTime a monotonic clock
	 */
	SentPass(OutboxTable table, Duration keep, LongSupplier nanoTime) {
		this.table = table.sent();
		this.lock = table.lock();
		this.keep = keep;
		this.nanoTime = nanoTime;
		this.next = nanoTime.getAsLong();
	}

	/** How many rows this process has returned to the outbox. */
	long resent() {
		return this.resent.get();
	}

	/** How long until shards are asked, in nanoseconds. */
	long untilDue() {
		return Math.max(0, this.next - this.nanoTime.getAsLong());
	}

	/** A transaction begins: what the last one did not commit has not happened. */
	void begin() {
		this.moving = 0;
	}

	/** The transaction was committed. */
	void committed() {
		this.moved += this.moving;
		this.moving = 0;
	}

	/**
	 * Notes what came of sending rows: shards may have to be asked before anything else
	 * is sent.
	 * @param sending what was sent, and what failed
	 */
	void note(OutboxSending sending) {
		if (sending.hasForgotten()) {
			request();
		}
		if (sending.failed().values().stream().anyMatch(WaitingRows::isSilence)) {
			this.isLost = true;
		}
		else if (this.isLost && !sending.sent().isEmpty()) {
			this.isLost = false;
			request();
		}
	}

	private void request() {
		this.isToBeRepeated |= this.queue != null;
		this.next = this.nanoTime.getAsLong();
	}

	/**
	 * Asks the shards of the next queue.
	 * @param ask asks shards; returns those that have forgotten something, or have not
	 * answered
	 * @return whether all shards were asked
	 */
	boolean ask(Function<List<Shard>, Map<Shard, StoreException>> ask) {
		this.queue = this.table.nextQueue((this.queue != null) ? this.queue : "");
		if (this.queue != null) {
			List<Shard> shards = this.table.shards(this.queue);
			// Before they are asked: a row that is sent later isn't old by this time
			long now = this.lock.now();
			note(shards, ask.apply(shards), now);
			return false;
		}
		boolean isEnd = !this.isToBeRepeated;
		this.isToBeRepeated = false;
		if (isEnd) {
			this.next = this.nanoTime.getAsLong() + (this.hasMore ? 0 : INTERVAL.toNanos());
			this.hasMore = false;
			report();
		}
		return isEnd;
	}

	private void note(List<Shard> shards, Map<Shard, StoreException> problems, long now) {
		int silent = 0;
		for (Shard shard : shards) {
			StoreException problem = problems.get(shard);
			if (problem instanceof ForgottenCallsException forgotten) {
				takeBack(shard, forgotten.last(), now);
			}
			else if (problem instanceof QueueClosedException closed && closed.isUnknown()) {
				takeBackAll(shard, now);
			}
			else if (problem == null || problem instanceof QueueClosedException) {
				delete(shard, now);
			}
			else if (WaitingRows.isSilence(problem)) {
				logger.debug("Could not ask shard {} for what it was sent", shard, problem);
				this.isLost = true;
				silent++;
			}
		}
		if (silent == shards.size()) {
			this.next = this.nanoTime.getAsLong() + PAUSE.toNanos();
		}
	}

	/** The jobs of a closed shard were deleted with their queue. */
	private void delete(Shard shard, long now) {
		long until = now - this.keep.plus(SLACK).toMillis();
		boolean more = true;
		for (int i = 0; i < MAX_STATEMENTS && more; i++) {
			more = this.table.deleteFirst(shard, until, MAX_DELETED);
		}
		this.hasMore |= more;
	}

	/**
	 * The shard is unknown. Its queue may have been removed, but only if that was longer
	 * ago than the mark of a removed shard stays.
	 */
	private void takeBackAll(Shard shard, long now) {
		if (this.table.deleteFirst(shard, now - MARK.toMillis(), MAX_DELETED)) {
			request();
		}
		else {
			takeBack(shard, Stamp.NONE, now);
		}
	}

	private void takeBack(Shard shard, Stamp remembered, long now) {
		Rows rows = this.table.takeBack(shard, remembered, MAX_MOVED);
		if (rows.count() > 0) {
			this.table.noteResent(rows.count(), now);
			this.forgetful.add(shard);
			this.moving += rows.count();
			this.movedSince = Math.min(this.movedSince, rows.oldest());
			// Until it remembers all of the rest
			request();
		}
	}

	private void report() {
		if (this.moved > 0) {
			logger.warn(
					"Redis has forgotten jobs that it had confirmed since {}: {} rows of {} shards are sent again "
							+ "from lowkiq_outbox_sent. Jobs that other applications enqueued directly may be lost",
					Instant.ofEpochMilli(this.movedSince), this.moved, this.forgetful.size());
			this.resent.addAndGet(this.moved);
			this.moved = 0;
			this.movedSince = Long.MAX_VALUE;
			this.forgetful.clear();
		}
	}

}
