package io.lowkiq.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.runtime.Backoff;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Loop;
import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.store.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that moves the follow-ups of completed jobs to their queues, one batch of each
 * shard in turn, so that a busy shard holds up no others. A shard whose follow-ups could
 * not all be moved is tried again later.
 */
final class FollowUpThread {

	private static final Logger logger = LoggerFactory.getLogger(FollowUpThread.class);

	private static final long MAX_WAIT = TimeUnit.MINUTES.toNanos(1);

	private final FollowUpMover mover;

	private final StateLock lock;

	private final EngineRuntime runtime;

	private final Loop loop;

	/** Shards in which follow-ups may wait. Filled by all, emptied by this thread. */
	private final Set<ServedShard> waiting = ConcurrentHashMap.newKeySet();

	/** Shards of which more batches follow. Used by this thread. */
	private final Map<ServedShard, FollowUpMover.Pass> passes = new HashMap<>();

	/** Shards whose follow-ups could not all be moved. Used by this thread. */
	private final Map<ServedShard, Failing> failing = new HashMap<>();

	/**
	 * A shard that is tried again.
	 *
	 * @param backoff the time to wait
	 * @param until when to try again, by the monotonic clock
	 */
	private record Failing(Backoff backoff, long until) {
	}

	FollowUpThread(FollowUpMover mover, StateLock lock, EngineRuntime runtime) {
		this.mover = mover;
		this.lock = lock;
		this.runtime = runtime;
		this.loop = new Loop("lowkiq-follow-ups", runtime, this::moveWaiting);
	}

	Loop loop() {
		return this.loop;
	}

	/** Notes that follow-ups wait in a shard. Doesn't block. */
	void wake(ServedShard shard) {
		this.waiting.add(shard);
		this.loop.signal();
	}

	/**
	 * Moves a batch of each shard. Returns the time until the next step, in nanoseconds.
	 */
	private long moveWaiting() {
		long left = MAX_WAIT;
		for (ServedShard shard : List.copyOf(this.waiting)) {
			Failing before = this.failing.get(shard);
			long untilRetry = (before != null) ? before.until() - this.runtime.nanoTime() : 0;
			if (untilRetry <= 0) {
				this.waiting.remove(shard);
				untilRetry = move(shard, before);
			}
			left = Math.min(left, untilRetry);
		}
		return left;
	}

	/**
	 * Moves a batch of a shard.
	 * @return the time until the next one, in nanoseconds
	 */
	private long move(ServedShard shard, @Nullable Failing before) {
		Throwable problem = null;
		Lease lease = lease(shard);
		try {
			FollowUpMover.Pass pass = (lease != null) ? pass(shard, lease) : null;
			if (pass != null && pass.moveNext()) {
				this.passes.put(shard, pass);
				this.waiting.add(shard);
				return 0;
			}
			problem = (pass != null) ? pass.problem() : null;
		}
		catch (Throwable ex) {
			problem = ex;
		}
		if (problem == null) {
			if (this.failing.remove(shard) != null && lease != null) {
				logger.info("The follow-ups of shard {} are in their queues", shard.shard());
			}
			return MAX_WAIT;
		}
		if (before == null) {
			logger.warn("Follow-ups of shard {} could not be enqueued; trying again until they are", shard.shard(),
					PrintableThrowable.of(problem));
		}
		Backoff backoff = (before != null) ? before.backoff() : new Backoff();
		long wait = backoff.next();
		this.failing.put(shard, new Failing(backoff, this.runtime.nanoTime() + wait));
		this.waiting.add(shard);
		return wait;
	}

	private FollowUpMover.Pass pass(ServedShard shard, Lease lease) {
		FollowUpMover.Pass begun = this.passes.remove(shard);
		return (begun != null && begun.lease().equals(lease)) ? begun : this.mover.begin(lease);
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
