package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.autoconfigure.outbox.OutboxLock.State;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Part;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Parts;
import io.lowkiq.internal.LogText;

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
 * What can't be sent waits alone: a queue, a shard, or an id. Its rows move aside, and so
 * do later rows of an id that has rows there, whoever has moved them. A row that no store
 * would take is put aside, and later rows of its id wait for it.
 * <p>
 * Used by one thread; {@link #waiting()}, {@link #sequenceProblem()}, {@link #resent()}
 * and {@link #lookAside()} by all.
 */
class OutboxFlush {

	private static final Logger logger = LoggerFactory.getLogger(OutboxFlush.class);

	/** After so many queues that don't respond, the store as a whole doesn't. */
	private static final int MAX_SILENT_QUEUES = 3;

	/** After a step has moved most of its rows. */
	private static final int MAX_MOVED = 5_000;

	private final OutboxTable table;

	private final AsideTable aside;

	private final OutboxLock lock;

	private final KeptRows kept;

	private final int batchSize;

	private final TransactionTemplate transaction;

	private final WaitingRows waiting;

	private final WaitingPass pass;

	private final OutboxSequence sequence;

	/** The queue with which the last step ended, if there may be more. */
	private String lastQueue = "";

	/** Whether the last step has moved most of its rows aside, and there may be more. */
	private boolean isMoving;

	/** Whether a step has sent something since nothing was left to do. */
	private boolean hasSent;

	/** Parts that have not responded since then, as long as nothing has been sent. */
	private final Map<Part, RuntimeException> silent = new LinkedHashMap<>();

	OutboxFlush(DataSource dataSource, OutboxTable table, KeptRows kept, LongSupplier nanoTime, Settings settings) {
		this.kept = kept;
		this.table = table;
		this.aside = table.aside();
		this.lock = table.lock();
		this.batchSize = settings.batchSize();
		this.waiting = new WaitingRows(settings.longestPause(), nanoTime);
		this.pass = new WaitingPass(table, settings.longestPause(), nanoTime);
		this.sequence = new OutboxSequence(table, new JdbcTemplate(dataSource));
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		// Each statement sees what is committed when it begins, not when the lock was
		// asked for
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
	}

	/** Sends the first rows, and the next waiting rows. */
	boolean step() {
		Step first = locked(this::sendFirst);
		if (first == null) {
			this.lock.make();
			return true;
		}
		String wentBack = this.sequence.problem();
		if (wentBack != null) {
			throw new IllegalStateException(wentBack);
		}
		this.lastQueue = first.more() ? first.lastQueue() : "";
		note(first);
		boolean more = first.more();
		if (!first.isAside() && !more) {
			this.pass.reset(this.waiting);
		}
		else if (first.isAside() && !isEnding(first) && this.pass.isDue(this.waiting)) {
			Step second = locked(this::sendWaiting);
			if (second == null) {
				return true;
			}
			note(second);
			more |= this.pass.end(this.waiting, second.hasSent());
			first = isEnding(second) ? second : first;
		}
		if (isEnding(first)) {
			return false;
		}
		RuntimeException silence = silence(more);
		if (!more || silence != null) {
			this.hasSent = false;
			forgetSilence();
		}
		if (silence != null) {
			throw silence;
		}
		return more;
	}

	private <T> @Nullable T locked(BiFunction<TransactionStatus, State, T> step) {
		Optional<T> done = this.transaction.execute((status) -> {
			if (!this.lock.take()) {
				return Optional.empty();
			}
			State state = this.lock.state();
			this.kept.begin(state);
			return Optional.of(step.apply(status, state));
		});
		if (done.isPresent()) {
			this.kept.committed();
		}
		return done.orElse(null);
	}

	boolean isKeeping() {
		return this.kept.isKeeping();
	}

	/** How many rows were sent again, because Redis had forgotten them. */
	long resent() {
		return this.kept.pass().resent();
	}

	/** Whether to look for what Redis has forgotten, though nothing may be unsent. */
	boolean isDue() {
		// Rows with numbers of kept ones would be in their way
		return this.sequence.isInOrder() && this.kept.pass().untilDue() == 0;
	}

	/** Asks some shards for what they have forgotten, and lets some of that return. */
	boolean ask() {
		if (!isDue()) {
			return false;
		}
		SentPass sent = this.kept.pass();
		if (sent.isDue()) {
			this.kept.ask();
		}
		Set<Part> before = sent.forgetful().keySet();
		boolean isTakingBack = !before.isEmpty() && sent.untilDue() == 0;
		if (isTakingBack) {
			locked((status, state) -> {
				this.kept.takeBack();
				return true;
			});
			if (!sent.forgetful().keySet().containsAll(before)) {
				lookAside();
			}
		}
		this.waiting.hold(sent.forgetful());
		return isTakingBack;
	}

	private static boolean isEnding(Step step) {
		return !step.failed().isEmpty() && Thread.currentThread().isInterrupted();
	}

	/** A part that does not respond waits alone only if another one does. */
	private void note(Step step) {
		this.hasSent |= step.hasSent();
		this.waiting.sent(step.back());
		boolean isAllSilent = !step.failed().isEmpty() && !waitsAlone(step.hasSent(), step.failed());
		this.silent.putAll(step.failed());
		if (!isAllSilent && !this.silent.isEmpty() && waitsAlone(step.hasSent(), this.silent)) {
			this.waiting.fail(this.silent);
			forgetSilence();
		}
	}

	/** Rows that were passed over for its sake may be sent now, before later ones. */
	private void forgetSilence() {
		this.silent.clear();
		this.table.passOverNothing();
	}

	private boolean waitsAlone(boolean hasSent, Map<Part, RuntimeException> failed) {
		return hasSent || this.hasSent || failed.keySet().stream().anyMatch(this.waiting::contains)
				|| !failed.values().stream().allMatch(WaitingRows::isSilence);
	}

	/** The store as a whole does not respond: nothing of it waits alone. */
	private @Nullable RuntimeException silence(boolean more) {
		long queues = this.silent.keySet().stream().map(Part::queue).distinct().count();
		return (!more || queues >= MAX_SILENT_QUEUES) ? this.silent.values().stream().findFirst().orElse(null) : null;
	}

	private Step sendFirst(TransactionStatus status, State state) {
		Parts silentParts = new Parts(this.kept.shardOf());
		this.silent.keySet().forEach(silentParts::add);
		OutboxBatch batch = this.table.read(this.isMoving ? Math.max(MAX_MOVED, this.batchSize) : this.batchSize,
				silentParts, this.lastQueue);
		this.isMoving = false;
		List<OutboxRow> rows = batch.rows();
		if (!this.sequence.check(state, rows) || rows.isEmpty()) {
			return new Step(state.isAside(), batch.hasMore() || state.wentBack() != null, batch.lastQueue());
		}
		List<OutboxRow> unfit = rows.stream().filter((row) -> reason(row) != null).toList();
		if (!unfit.isEmpty()) {
			unfit.forEach(this::putAside);
			this.sequence.keep(state, unfit);
			return new Step(true, true, batch.lastQueue());
		}
		List<OutboxRow> late = rowsThatWait(batch, state.isAside());
		moveAside(late);
		OutboxBatch fit = batch.without(late, this.batchSize);
		OutboxSending sending = this.kept.send(status, fit, "lowkiq_outbox", this.table::delete);
		List<OutboxRow> handled = new ArrayList<>(late);
		if (waitsAlone(!sending.sent().isEmpty(), sending.failed())) {
			moveAside(sending.unsent());
			handled.addAll(sending.unsent());
		}
		Set<Long> sent = new HashSet<>(sending.sent());
		rows.stream().filter((row) -> sent.contains(row.sequence())).forEach(handled::add);
		this.sequence.keep(state, handled);
		boolean isAside = state.isAside() || handled.size() > sent.size();
		boolean isCut = late.size() + fit.size() < rows.size();
		boolean more = batch.hasMore() || !sending.isComplete() || isCut || sending.later() > 0;
		this.isMoving = more && late.size() > fit.size();
		return new Step(!sent.isEmpty(), sending.failed(), Set.of(), isAside, more,
				(sending.isComplete() && !isCut) ? batch.lastQueue() : sending.lastQueue());
	}

	/** The rows of parts that have failed, and of ids with rows aside. */
	private List<OutboxRow> rowsThatWait(OutboxBatch batch, boolean isAside) {
		Parts failed = this.waiting.failed(this.kept.shardOf());
		if (!isAside && failed.isEmpty()) {
			return List.of();
		}
		List<OutboxRow> late = new ArrayList<>();
		batch.byQueue().forEach((queue, rows) -> {
			Map<String, Optional<Part>> ids = new HashMap<>();
			rows.forEach((row) -> ids.computeIfAbsent(row.payload().id(),
					(id) -> Optional.ofNullable(failed.find(queue, id))));
			ids.values().forEach((part) -> part.ifPresent(this.pass::keep));
			Set<String> waitingIds = new HashSet<>(ids.keySet());
			waitingIds.removeIf((id) -> ids.getOrDefault(id, Optional.empty()).isEmpty());
			if (isAside) {
				ids.keySet().removeAll(waitingIds);
				waitingIds.addAll(this.aside.idsAmong(queue, ids.keySet()));
			}
			rows.stream().filter((row) -> waitingIds.contains(row.payload().id())).forEach(late::add);
		});
		return late;
	}

	private void moveAside(List<OutboxRow> rows) {
		this.aside.add(rows, null);
		this.table.delete(OutboxBatch.sequences(rows));
	}

	private Step sendWaiting(TransactionStatus status, State state) {
		Parts left = this.waiting.paused(this.kept.shardOf());
		this.silent.keySet().forEach(left::add);
		Parts due = this.waiting.due(this.kept.shardOf());
		OutboxBatch batch = new OutboxBatch(this.batchSize);
		this.pass.read(batch, this.waiting, left, due);
		OutboxSending sending = this.kept.send(status, batch, "lowkiq_outbox_aside", this.aside::delete);
		Set<Part> back = this.pass.note(batch, sending, due);
		return new Step(!sending.sent().isEmpty(), sending.failed(), back, true, true, "");
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

	private void putAside(OutboxRow row) {
		String reason = String.valueOf(reason(row));
		this.aside.add(List.of(row), reason);
		this.table.delete(List.of(row.sequence()));
		logger.error("Row {} of queue '{}' in lowkiq_outbox can't be sent. It is put aside in lowkiq_outbox_aside: {}",
				row.sequence(), row.queue(), LogText.of(reason));
	}

	/** How long until something is tried again, in nanoseconds, at most the limit. */
	long untilRetry(long limit) {
		long next = this.pass.isUnderWay() ? 0 : this.waiting.untilRetry(limit);
		return Math.min(Math.min(limit, this.kept.pass().untilDue()), Math.max(this.pass.untilDue(), next));
	}

	/** By queue, shard or id whose rows wait: why. */
	Map<String, String> waiting() {
		return this.waiting.reasons();
	}

	/** Why nothing is sent although it could be; null if the sequence is in order. */
	@Nullable String sequenceProblem() {
		return this.sequence.problem();
	}

	/** Goes through the rows that wait again: some need not any more. */
	void lookAside() {
		this.pass.request();
	}

	/**
	 * How many rows a step sends, and how long the pause before a retry grows, at most.
	 */
	record Settings(int batchSize, Duration longestPause) {
	}

	private record Step(boolean hasSent, Map<Part, RuntimeException> failed, Set<Part> back, boolean isAside,
			boolean more, String lastQueue) {

		Step(boolean isAside, boolean more, String lastQueue) {
			this(false, Map.of(), Set.of(), isAside, more, lastQueue);
		}

	}

}
