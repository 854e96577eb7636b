package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.outbox.OutboxSql.Rows;
import io.lowkiq.autoconfigure.outbox.SentTable.Kept;
import io.lowkiq.autoconfigure.outbox.SentTable.KeptShard;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Part;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.store.ForgottenCallsException;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.QueueClosedException;
import io.lowkiq.store.job.Shard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the shards with kept rows whether they still have them, in steps between which
 * rows are sent: now and then, by one process at a time, and at once if one has forgotten
 * something, or when Redis responds again. Then the rows are deleted that were sent
 * longer ago than the time to keep, of shards that have them. None of that takes the
 * lock. Under the lock, rows that a shard has forgotten return to the outbox.
 * <p>
 * Used by the thread that flushes, but for {@link #resent()} and {@link #isActive()}.
 */
final class SentPass {

	private static final Logger logger = LoggerFactory.getLogger(SentPass.class);

	/** The time of a row may be that when its transaction began to wait for the lock. */
	private static final Duration SLACK = Duration.ofSeconds(6);

	/** How often shards are asked, even if nothing gives cause for it. */
	private static final Duration INTERVAL = Duration.ofSeconds(5);

	/** Others are sent between. */
	private static final int MAX_ASKED = 25;

	private static final int MAX_DELETED_OF = 100;

	/** How many rows return to the outbox by one transaction: others are sent between. */
	private static final int MAX_MOVED = 50;

	/** How many shards are asked for that again, each time. */
	private static final int MAX_RETURNING = 10;

	private static final int MAX_DELETED = 5_000;

	/** How long nothing is asked after shards that did not respond. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final SentTable table;

	private final OutboxLock lock;

	private final Duration keep;

	private final LongSupplier nanoTime;

	private boolean isUnderWay;

	/** The shards left to ask, each time some of one queue. */
	private final Deque<List<KeptShard>> toAsk = new ArrayDeque<>();

	/** The name of the outbox for shards. */
	private String stream = "";

	/** Shards that have their rows. */
	private final Set<Shard> old = new LinkedHashSet<>();

	/** Rows that were sent later are not old. */
	private long until;

	/** Written by the thread that flushes, read by all. */
	private volatile boolean isActive;

	/** Whether to ask, also if another process has just done so. */
	private boolean isRequested = true;

	/** The last turn of any process. */
	private long turn;

	/** When the pass continues, or the next one starts. */
	private long next;

	/** Nothing is asked before. */
	private long rest;

	/** Whether a call was not answered since all shards were asked. */
	private boolean isLost;

	/** The shards that have forgotten something: how many rows have returned. */
	private final Map<Shard, Long> forgetful = new LinkedHashMap<>();

	/** The forgetful shards that are unknown: their ids may have other shards by now. */
	private final Set<Shard> unknown = new HashSet<>();

	/** How many rows the transaction returns, by shard. */
	private final Map<Shard, Long> moving = new LinkedHashMap<>();

	/** Since the first shard has forgotten something: whose rows have returned. */
	private final Set<Shard> movedOf = new HashSet<>();

	private long moved;

	private long movedSince = Long.MAX_VALUE;

	private final AtomicLong resent = new AtomicLong();

	SentPass(OutboxTable table, Duration keep, LongSupplier nanoTime) {
		this.table = table.sent();
		this.lock = table.lock();
		this.keep = keep;
		this.nanoTime = nanoTime;
		this.next = nanoTime.getAsLong();
		this.rest = this.next;
		this.isActive = !keep.isZero();
	}

	/** Whether sent rows are kept. */
	boolean isActive() {
		return this.isActive;
	}

	/** Notes whether any row is kept. */
	void look(boolean hasKept) {
		if (hasKept && !this.isActive) {
			logger.warn("lowkiq_outbox_sent has rows, so what is sent is kept as long as there are any, though "
					+ "lowkiq.outbox.keep-sent is not set here. Set it in all applications with these tables, or in none");
		}
		this.isActive |= hasKept;
	}

	/** How many rows this process has returned to the outbox. */
	long resent() {
		return this.resent.get();
	}

	/** How long until there is something to do, in nanoseconds. */
	long untilDue() {
		return !this.isActive ? Long.MAX_VALUE : Math.max(0,
				Math.max(this.rest, this.forgetful.isEmpty() ? this.next : this.rest) - this.nanoTime.getAsLong());
	}

	/** Whether it is time to ask shards. */
	boolean isDue() {
		return this.isActive && this.nanoTime.getAsLong() - Math.max(this.rest, this.next) >= 0;
	}

	/** The parts with returned rows, and how many: the whole queue of unknown shards. */
	Map<Part, Long> forgetful() {
		Map<Part, Long> parts = new LinkedHashMap<>();
		this.forgetful.forEach((shard, rows) -> parts
			.merge(this.unknown.contains(shard) ? Part.of(shard.queue()) : Part.of(shard), rows, Long::sum));
		return parts;
	}

	/** A transaction begins: what the last one did not commit has not happened. */
	void begin() {
		this.moving.clear();
	}

	void committed() {
		if (this.moved == 0 && !this.moving.isEmpty()) {
			logger.warn("Redis has forgotten jobs that it had confirmed. Rows of lowkiq_outbox_sent return to the "
					+ "outbox and are sent again, those of queue '{}' first. Health says what waits for that. If this "
					+ "repeats, two Redis servers share the table", this.moving.keySet().iterator().next().queue());
		}
		this.moving.forEach((shard, rows) -> {
			this.forgetful.merge(shard, rows, Long::sum);
			this.movedOf.add(shard);
			this.moved += rows;
			this.resent.addAndGet(rows);
		});
		this.moving.clear();
		report();
	}

	private void report() {
		if (this.forgetful.isEmpty() && this.moved > 0) {
			logger.warn(
					"Redis had forgotten jobs that it had confirmed since {}: {} rows of {} shards are sent again "
							+ "from lowkiq_outbox_sent. Jobs that other applications enqueued directly may be lost",
					Instant.ofEpochMilli(this.movedSince), this.moved, this.movedOf.size());
			this.moved = 0;
			this.movedSince = Long.MAX_VALUE;
			this.movedOf.clear();
		}
	}

	/** Notes what came of sending rows: shards may have to be asked. */
	void note(OutboxSending sending) {
		if (sending.hasForgotten()) {
			sending.forgetful().forEach(this::addForgetful);
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

	private void addForgetful(Shard shard, RuntimeException problem) {
		this.forgetful.putIfAbsent(shard, 0L);
		if (isUnknown(problem)) {
			this.unknown.add(shard);
		}
		else {
			this.unknown.remove(shard);
		}
	}

	private static boolean isUnknown(RuntimeException problem) {
		return problem instanceof QueueClosedException closed && closed.isUnknown();
	}

	/** Whether a shard has forgotten rows, if it got any. */
	static boolean hasForgotten(RuntimeException problem) {
		return problem instanceof ForgottenCallsException || isUnknown(problem);
	}

	private void request() {
		this.isRequested = true;
		this.next = this.nanoTime.getAsLong();
		this.rest = this.next;
	}

	/** Asks the next shards, all of one queue, or deletes some of the old rows. */
	void step(BiFunction<String, List<KeptShard>, Map<Shard, StoreException>> ask) {
		if (!this.isUnderWay && !startPass()) {
			return;
		}
		List<KeptShard> next = this.toAsk.poll();
		if (next != null) {
			note(next, ask.apply(this.stream, next));
		}
		else if (!this.old.isEmpty()) {
			List<Shard> some = this.old.stream().limit(MAX_DELETED_OF).toList();
			this.old.removeAll(some);
			this.old.addAll(this.table.deleteFirst(some, this.until, Math.max(1, MAX_DELETED / some.size())));
		}
		if (this.toAsk.isEmpty() && this.old.isEmpty()) {
			this.isUnderWay = false;
			this.next = this.nanoTime.getAsLong() + (this.isRequested ? 0 : INTERVAL.toNanos());
		}
	}

	/** Unless another process has started one since this one has looked. */
	private boolean startPass() {
		if (!this.lock.takeTurn(this.isRequested ? Long.MAX_VALUE : this.turn,
				this.keep.isZero() ? null : this.keep.toMillis())) {
			this.turn = this.table.turn();
			this.next = this.nanoTime.getAsLong() + INTERVAL.toNanos();
			return false;
		}
		this.isRequested = false;
		// Its clock is that of before they are asked: a row that is sent later isn't old
		Kept kept = this.table.keptShards();
		this.turn = kept.turn();
		this.stream = kept.stream();
		// Not as soon as all rows have returned to be sent, and kept, again
		this.isActive = !(this.keep.isZero() && kept.shards().isEmpty() && this.forgetful.isEmpty());
		this.until = (kept.keep() > 0) ? kept.clock() - kept.keep() - SLACK.toMillis() : Long.MIN_VALUE;
		kept.shards()
			.stream()
			.collect(Collectors.groupingBy((shard) -> shard.shard().queue(), LinkedHashMap::new, Collectors.toList()))
			.values()
			.forEach((shards) -> this.toAsk.addAll(OutboxSql.portions(shards, MAX_ASKED)));
		this.isUnderWay = true;
		return true;
	}

	private void note(List<KeptShard> asked, Map<Shard, StoreException> problems) {
		int silent = 0;
		for (KeptShard each : asked) {
			StoreException problem = problems.get(each.shard());
			if (problem != null && hasForgotten(problem)) {
				addForgetful(each.shard(), problem);
			}
			else if (problem == null || problem instanceof QueueClosedException) {
				// The jobs of a closed shard were deleted with their queue
				if (each.oldest() <= this.until) {
					this.old.add(each.shard());
				}
			}
			else if (isSilent(each.shard(), problem)) {
				silent++;
			}
		}
		if (silent == asked.size()) {
			rest();
		}
	}

	private boolean isSilent(Shard shard, StoreException problem) {
		boolean isSilent = WaitingRows.isSilence(problem);
		if (isSilent) {
			logger.debug("Could not ask shard {} for what it was sent", shard, problem);
			this.isLost = true;
		}
		return isSilent;
	}

	private void rest() {
		this.rest = this.nanoTime.getAsLong() + PAUSE.toNanos();
	}

	/** Under the lock. Asks again: another process may have returned rows. */
	void takeBack(Function<List<Shard>, Map<Shard, StoreException>> ask) {
		String queue = this.forgetful.keySet().iterator().next().queue();
		List<Shard> some = this.forgetful.keySet()
			.stream()
			.filter((shard) -> shard.queue().equals(queue))
			.limit(MAX_RETURNING)
			.toList();
		Map<Shard, StoreException> problems = ask.apply(some);
		int room = MAX_MOVED;
		for (Shard shard : some) {
			StoreException problem = problems.get(shard);
			if (problem != null && hasForgotten(problem)) {
				addForgetful(shard, problem);
				room -= (room > 0) ? takeBack(shard, problem, room) : 0;
			}
			else if (problem != null && isSilent(shard, problem)) {
				// Behind the others
				this.forgetful.put(shard, Optional.ofNullable(this.forgetful.remove(shard)).orElse(0L));
				rest();
			}
			else {
				forget(shard);
			}
		}
	}

	private void forget(Shard shard) {
		this.forgetful.remove(shard);
		this.unknown.remove(shard);
	}

	private int takeBack(Shard shard, StoreException problem, int most) {
		boolean isUnknown = isUnknown(problem);
		// No record names it. Its queue may have been removed, but only longer ago than
		// the mark of a removed shard stays
		if (isUnknown && !this.table
			.deleteFirst(List.of(shard), this.lock.now() - ShardActions.REFUSED_FOR.toMillis(), MAX_DELETED)
			.isEmpty()) {
			return 0;
		}
		Rows rows = this.table.takeBack(shard,
				(problem instanceof ForgottenCallsException forgotten) ? forgotten.last() : Stamp.NONE, most);
		if (rows.count() > 0) {
			this.table.noteResent(rows.count(), this.lock.now());
			this.moving.put(shard, rows.count());
			this.movedSince = Math.min(this.movedSince, rows.oldest());
		}
		else if (isUnknown) {
			forget(shard);
		}
		return (int) rows.count();
	}

}
