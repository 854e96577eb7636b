package io.lowkiq.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.engine.ShardScheduler.Candidate;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;

/**
 * The loop of a shard thread: picks one of its shards that are due, works on it, and
 * waits when none is.
 */
final class ShardThread implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ShardThread.class);

	private static final long LONGEST_WAIT = Duration.ofMinutes(1).toNanos();

	/**
	 * The shortest wait for a shard that another thread has: that one signals when it
	 * leaves it, so this is only for what slips through while shards are dealt out anew.
	 */
	private static final long CLAIMED_WAIT = TimeUnit.MILLISECONDS.toNanos(100);

	private final ShardStore store;

	private final int threads;

	private final ShardWork work;

	private final ShardScheduler scheduler;

	private final Lifecycle lifecycle;

	private final DueTime dueTime;

	private final LongSupplier nanoTime;

	private final ThreadActivity activity;

	private final Listener listener;

	private final Waiter waiter = new Waiter();

	/** Written by the ownership thread, read by this one. */
	private volatile List<ShardSlot> slots = List.of();

	private @Nullable Shard last;

	/** Told what concerns more than this thread. */
	interface Listener {

		/**
		 * A shard that was worked on is not held any more.
		 */
		void lost();

		/**
		 * An error occurred that no job can be blamed for.
		 */
		void failed(Error error);

		/**
		 * The thread has ended; called in any case.
		 */
		void ended();

	}

	ShardThread(ServerParts parts, ShardWork work, Lifecycle lifecycle, DueTime dueTime, ThreadActivity activity,
			Listener listener) {
		this.store = parts.store();
		this.threads = parts.settings().threads();
		this.work = work;
		this.scheduler = parts.scheduler();
		this.nanoTime = parts.nanoTime();
		this.lifecycle = lifecycle;
		this.dueTime = dueTime;
		this.activity = activity;
		this.listener = listener;
	}

	ThreadActivity activity() {
		return this.activity;
	}

	Waiter waiter() {
		return this.waiter;
	}

	void slots(List<ShardSlot> newSlots) {
		this.slots = newSlots;
		this.waiter.signal();
	}

	@Override
	public void run() {
		try {
			this.store.runAttached(this.threads, this::processUntilQuiet);
		}
		catch (Error ex) {
			this.listener.failed(ex);
		}
		finally {
			this.activity.take(null);
			this.listener.ended();
		}
	}

	private void processUntilQuiet() {
		while (!this.lifecycle.isQuiet()) {
			try {
				processNext();
			}
			catch (RuntimeException ex) {
				logger.error("Unexpected exception in a shard thread, which goes on", ex);
				this.waiter.awaitOrInterrupt(1, TimeUnit.SECONDS);
			}
		}
	}

	private void processNext() {
		ShardSlot slot = claimNext();
		if (slot == null) {
			this.activity.take(null);
			this.waiter.awaitOrInterrupt(nanosUntilDue(), TimeUnit.NANOSECONDS);
			return;
		}
		this.last = slot.shard();
		this.activity.take(slot.shard());
		try {
			this.work.process(slot, this.activity, () -> wouldChoose(slot));
		}
		finally {
			slot.unclaim();
			if (slot.held() == null || slot.isLeaving() || this.lifecycle.isQuiet()) {
				this.listener.lost();
			}
			else if (this.dueTime.nanosUntilDue(slot) < LONGEST_WAIT) {
				// Meanwhile the shard may have been dealt to a thread that took no
				// account of it
				slot.signalOthers(this.waiter);
			}
		}
	}

	private @Nullable ShardSlot claimNext() {
		List<ShardSlot> due = dueSlots(null);
		while (!due.isEmpty()) {
			ShardSlot slot = choose(due);
			if (slot.claim()) {
				if (this.dueTime.isDue(slot)) {
					return slot;
				}
				slot.unclaim();
			}
			due.remove(slot);
		}
		return null;
	}

	/** Whether the thread would pick the shard again that it works on. */
	private boolean wouldChoose(ShardSlot current) {
		List<ShardSlot> due = dueSlots(current);
		return due.size() == 1 || choose(due) == current;
	}

	/** The shards that are due and not worked on by another thread. */
	private List<ShardSlot> dueSlots(@Nullable ShardSlot current) {
		List<ShardSlot> due = new ArrayList<>();
		boolean contained = false;
		for (ShardSlot slot : this.slots) {
			contained |= slot == current;
			if (slot == current || (!slot.isClaimed() && this.dueTime.isDue(slot))) {
				due.add(slot);
			}
		}
		if (current != null && !contained) {
			due.add(current);
		}
		return due;
	}

	private ShardSlot choose(List<ShardSlot> due) {
		long nanos = this.nanoTime.getAsLong();
		List<Candidate> candidates = due.stream().map((slot) -> slot.candidate(nanos)).toList();
		Candidate chosen = this.scheduler.choose(Collections.unmodifiableList(candidates), this.last);
		int place = candidates.indexOf(chosen);
		if (place < 0) {
			throw new IllegalStateException(
					"The shard scheduler %s picked a shard that it was not offered".formatted(this.scheduler));
		}
		return due.get(place);
	}

	private long nanosUntilDue() {
		long least = LONGEST_WAIT;
		for (ShardSlot slot : this.slots) {
			long left = this.dueTime.nanosUntilDue(slot);
			least = Math.min(least, slot.isClaimed() ? Math.max(left, CLAIMED_WAIT) : left);
		}
		return least;
	}

}
