package io.lowkiq.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Looks at a shard whenever something about it has changed, and when its next deadline
 * comes: first at its lease, then at its jobs. It serves one run of the server after the
 * other, so that whatever outlives a run, such as a perform or an answer of the store, is
 * noticed in the next one.
 */
final class ShardAttendant {

	private static final long LONGEST_WAIT = TimeUnit.MINUTES.toNanos(1);

	/** When to look again after an unexpected error. */
	private static final long SOON = TimeUnit.MILLISECONDS.toNanos(100);

	private final StateLock lock;

	private final LongSupplier nanoTime;

	private final Condition changed;

	/** Signalled when a shard is not held. */
	private final Condition notHeld;

	// Guarded by the lock

	private final TreeSet<Alarm> alarms = new TreeSet<>(Alarm.EARLIEST_FIRST);

	private final Map<ServedShard, Alarm> alarmOf = new HashMap<>();

	private long alarmNumbers;

	/** Whether the timer waits, and until when. */
	private boolean waiting;

	private long waitsUntil;

	private @Nullable Leases leases;

	private @Nullable Dispatcher dispatcher;

	/**
	 * When to look at a shard.
	 *
	 * @param at by the monotonic clock
	 * @param number makes it unlike any other
	 * @param shard the shard
	 */
	private record Alarm(long at, long number, ServedShard shard) {

		/** Times of the monotonic clock compare by their difference. */
		static final Comparator<Alarm> EARLIEST_FIRST = (one, other) -> (one.at != other.at)
				? Long.signum(one.at - other.at) : Long.compare(one.number, other.number);

	}

	ShardAttendant(StateLock lock, LongSupplier nanoTime) {
		this.lock = lock;
		this.nanoTime = nanoTime;
		this.changed = lock.newCondition();
		this.notHeld = lock.newCondition();
	}

	/** A run begins: says who does what is due. */
	void begin(Leases ofRun, Dispatcher ofSameRun) {
		this.lock.run(() -> {
			this.leases = ofRun;
			this.dispatcher = ofSameRun;
		});
	}

	/** A run has ended, and its timer with it: nothing is due until the next one. */
	void end(Leases ofRun) {
		this.lock.run(() -> {
			if (this.leases == ofRun) {
				this.leases = null;
				this.dispatcher = null;
				this.alarms.clear();
				this.alarmOf.clear();
			}
			this.changed.signalAll();
		});
	}

	/** The monotonic clock has jumped: deadlines may have come. */
	void clockMoved() {
		this.lock.run(this.changed::signalAll);
	}

	/** Something about a shard has changed. Throws nothing. */
	void changed(ServedShard shard) {
		try {
			this.lock.run(() -> attend(shard));
		}
		catch (Throwable ex) {
			Unexpected.log("while attending to a shard", ex);
		}
	}

	/** Looks at a shard; with the lock only. */
	void attend(ServedShard shard) {
		lookAt(shard);
		dispatch();
	}

	/**
	 * Looks at many shards, before any thread is given to one of them; with the lock
	 * only.
	 */
	void attendAll(Collection<ServedShard> shards) {
		shards.forEach(this::lookAt);
		dispatch();
	}

	private void lookAt(ServedShard shard) {
		Leases ofLease = this.leases;
		Dispatcher ofJobs = this.dispatcher;
		if (ofLease == null || ofJobs == null) {
			return;
		}
		long left;
		try {
			left = Math.min(ofLease.attend(shard), ofJobs.attend(shard));
		}
		catch (Throwable ex) {
			Unexpected.log("while attending to a shard", ex);
			left = SOON;
		}
		if (shard.held() == null) {
			this.notHeld.signalAll();
		}
		setAlarm(shard, left);
	}

	/** Looks at a shard within a time, or before; with the lock only. */
	void attendWithin(ServedShard shard, long nanos) {
		Alarm before = this.alarmOf.get(shard);
		if (this.leases != null && (before == null || this.nanoTime.getAsLong() + nanos - before.at() < 0)) {
			setAlarm(shard, nanos);
		}
	}

	private void setAlarm(ServedShard shard, long left) {
		Alarm before = this.alarmOf.remove(shard);
		if (before != null) {
			this.alarms.remove(before);
		}
		if (left != Long.MAX_VALUE) {
			long at = this.nanoTime.getAsLong() + Math.min(left, LONGEST_WAIT);
			Alarm alarm = new Alarm(at, this.alarmNumbers++, shard);
			this.alarmOf.put(shard, alarm);
			this.alarms.add(alarm);
			if (this.waiting && at - this.waitsUntil < 0) {
				this.changed.signalAll();
			}
		}
	}

	private void dispatch() {
		Dispatcher ofJobs = this.dispatcher;
		if (ofJobs != null) {
			ofJobs.dispatch();
		}
	}

	/**
	 * Waits until all shards are given back on which nothing runs.
	 * @param shards the shards
	 * @param timeout how long to wait at most
	 * @return whether they are
	 */
	boolean awaitReleased(Collection<ServedShard> shards, Duration timeout) {
		long deadline = this.nanoTime.getAsLong() + timeout.toNanos();
		AtomicBoolean released = new AtomicBoolean();
		while (!released.get() && deadline - this.nanoTime.getAsLong() > 0 && !Thread.currentThread().isInterrupted()) {
			this.lock.run(() -> {
				released.set(shards.stream().allMatch(ShardAttendant::isReleased));
				if (!released.get()) {
					awaitNotHeld(deadline - this.nanoTime.getAsLong());
				}
			});
		}
		return released.get();
	}

	private static boolean isReleased(ServedShard shard) {
		HeldShard held = shard.held();
		return (held == null) ? !shard.isAcquiring() : shard.isPerforming() || !held.session().isValid();
	}

	@SuppressWarnings("WaitNotInLoop") // the caller loops
	private void awaitNotHeld(long nanos) {
		try {
			this.notHeld.awaitNanos(nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Waits for deadlines, until the run has ended.
	 * @param ended whether it has
	 */
	void waitForDeadlines(BooleanSupplier ended) {
		while (!ended.getAsBoolean()) {
			try {
				this.lock.run(() -> waitAndAttend(ended));
			}
			catch (Throwable ex) {
				Unexpected.log("in the timer", ex);
				LockSupport.parkNanos(SOON);
			}
		}
	}

	@SuppressWarnings("WaitNotInLoop") // the caller loops
	private void waitAndAttend(BooleanSupplier ended) {
		long nanos = this.nanoTime.getAsLong();
		Alarm first = this.alarms.isEmpty() ? null : this.alarms.first();
		long left = (first != null) ? first.at() - nanos : LONGEST_WAIT;
		if (left > 0 && !ended.getAsBoolean()) {
			this.waiting = true;
			this.waitsUntil = nanos + left;
			try {
				this.changed.awaitNanos(left);
			}
			catch (InterruptedException ex) {
				// Whoever interrupts has set the flag that the loop reads
			}
			finally {
				this.waiting = false;
			}
			return;
		}
		while (first != null && first.at() - nanos <= 0) {
			this.alarms.remove(first);
			this.alarmOf.remove(first.shard());
			lookAt(first.shard());
			first = this.alarms.isEmpty() ? null : this.alarms.first();
		}
		dispatch();
	}

}
