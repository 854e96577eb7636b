package io.lowkiq.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.store.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of the thread that moves the follow-ups of completed jobs to their queues. A
 * shard of which some could not be moved is tried again later.
 */
final class FollowUpThread implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(FollowUpThread.class);

	private static final long LONGEST_WAIT = TimeUnit.MINUTES.toNanos(1);

	private final FollowUpMover mover;

	private final StateLock lock;

	private final LongSupplier nanoTime;

	private final BooleanSupplier ended;

	private final Waiter waiter = new Waiter();

	/** Shards in which follow-ups may wait. Filled by all, emptied by this thread. */
	private final Set<ServedShard> waiting = ConcurrentHashMap.newKeySet();

	/** Shards of which some could not be moved. Used by this thread only. */
	private final Map<ServedShard, Failing> failing = new HashMap<>();

	/**
	 * A shard that is tried again.
	 *
	 * @param backoff how long to wait
	 * @param until when to try again, by the monotonic clock
	 */
	private record Failing(Backoff backoff, long until) {
	}

	FollowUpThread(FollowUpMover mover, StateLock lock, LongSupplier nanoTime, BooleanSupplier ended) {
		this.mover = mover;
		this.lock = lock;
		this.nanoTime = nanoTime;
		this.ended = ended;
	}

	/** Follow-ups wait in a shard. Doesn't block. */
	void wake(ServedShard shard) {
		this.waiting.add(shard);
		this.waiter.signal();
	}

	/** The thread looks whether it is to end, and at what was tried in vain. */
	void signal() {
		this.waiter.signal();
	}

	@Override
	public void run() {
		while (!this.ended.getAsBoolean()) {
			long left = LONGEST_WAIT;
			for (ServedShard shard : List.copyOf(this.waiting)) {
				Failing before = this.failing.get(shard);
				long untilRetry = (before != null) ? before.until() - this.nanoTime.getAsLong() : 0;
				if (untilRetry <= 0) {
					this.waiting.remove(shard);
					untilRetry = move(shard, before);
				}
				left = Math.min(left, untilRetry);
			}
			this.waiter.awaitOrInterrupt(left, TimeUnit.NANOSECONDS);
		}
	}

	/**
	 * Moves the follow-ups of a shard.
	 * @return how long to wait until the next try, in nanoseconds
	 */
	private long move(ServedShard shard, @Nullable Failing before) {
		Throwable problem = null;
		Lease lease = lease(shard);
		try {
			problem = (lease != null) ? this.mover.moveAll(lease) : null;
		}
		catch (Throwable ex) {
			problem = ex;
		}
		if (problem == null) {
			if (this.failing.remove(shard) != null && lease != null) {
				logger.info("The follow-ups of shard {} are in their queues", shard.shard());
			}
			return LONGEST_WAIT;
		}
		if (before == null) {
			logger.warn("Follow-ups of shard {} could not be enqueued; trying again until they are", shard.shard(),
					PrintableThrowable.of(problem));
		}
		Backoff backoff = (before != null) ? before.backoff() : new Backoff();
		long wait = backoff.next();
		this.failing.put(shard, new Failing(backoff, this.nanoTime.getAsLong() + wait));
		this.waiting.add(shard);
		return wait;
	}

	private @Nullable Lease lease(ServedShard shard) {
		AtomicReference<@Nullable Lease> lease = new AtomicReference<>();
		this.lock.run(() -> {
			HeldShard held = shard.held();
			lease.set((held != null) ? held.lease() : null);
		});
		return lease.get();
	}

}
