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
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Looks at a shard whenever something about it has changed, and when its next deadline
 * comes: first at its lease, then at its jobs. Its thread only waits for deadlines.
 */
final class ShardAttendant implements Runnable {

	private static final long LONGEST_WAIT = TimeUnit.MINUTES.toNanos(1);

	private final StateLock lock;

	private final LongSupplier nanoTime;

	private final BooleanSupplier ended;

	private final Condition changed;

	/** Signalled when a shard is not held. */
	private final Condition notHeld;

	// Guarded by the lock

	private final TreeSet<Alarm> alarms = new TreeSet<>(Alarm.EARLIEST_FIRST);

	private final Map<ServedShard, Alarm> alarmOf = new HashMap<>();

	private long alarmNumbers;

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

	ShardAttendant(StateLock lock, LongSupplier nanoTime, BooleanSupplier ended) {
		this.lock = lock;
		this.nanoTime = nanoTime;
		this.ended = ended;
		this.changed = lock.newCondition();
		this.notHeld = lock.newCondition();
	}

	/** Says who does what is due; before anything else. */
	void begin(Leases theLeases, Dispatcher theDispatcher) {
		this.leases = theLeases;
		this.dispatcher = theDispatcher;
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
		long left = Math.min(ofLease.attend(shard), ofJobs.attend(shard));
		if (shard.held() == null) {
			this.notHeld.signalAll();
		}
		Alarm before = this.alarmOf.remove(shard);
		if (before != null) {
			this.alarms.remove(before);
		}
		if (left != Long.MAX_VALUE) {
			long at = this.nanoTime.getAsLong() + Math.min(left, LONGEST_WAIT);
			Alarm alarm = new Alarm(at, this.alarmNumbers++, shard);
			this.alarmOf.put(shard, alarm);
			this.alarms.add(alarm);
			if (alarm.equals(this.alarms.first())) {
				this.changed.signal();
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
		return held == null || held.runningTasks() > 0 || !held.session().isValid();
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

	@Override
	public void run() {
		while (!this.ended.getAsBoolean()) {
			this.lock.run(this::waitAndAttend);
		}
	}

	/** The run is over: ends the thread. */
	void end() {
		this.lock.run(this.changed::signalAll);
	}

	@SuppressWarnings("WaitNotInLoop") // the caller loops
	private void waitAndAttend() {
		long nanos = this.nanoTime.getAsLong();
		Alarm first = this.alarms.isEmpty() ? null : this.alarms.first();
		long left = (first != null) ? first.at() - nanos : LONGEST_WAIT;
		if (left > 0 && !this.ended.getAsBoolean()) {
			try {
				this.changed.awaitNanos(left);
			}
			catch (InterruptedException ex) {
				// Whoever interrupts has set the flag that the loop reads
			}
			return;
		}
		while (first != null && first.at() - nanos <= 0) {
			lookAt(first.shard());
			first = this.alarms.isEmpty() ? null : this.alarms.first();
		}
		dispatch();
	}

}
