package io.lowkiq.engine;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lowkiq.StoreException;
import io.lowkiq.engine.runtime.Backoff;
import io.lowkiq.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The follow-ups of a shard on their way to their queues, under one lease: they are moved
 * in {@linkplain FollowUpRound rounds}, and when nothing has waited for a while, the
 * targets {@linkplain OriginCleanup forget} them. A target that refuses, or is slow,
 * holds up only what goes there: later follow-ups for it stay where they are, because
 * they would make the earlier ones look like repetitions, and are read again in the next
 * round. Used by one thread, which never waits for the store.
 */
public final class ShardFollowUps {

	private final FollowUpMover mover;

	private final Lease lease;

	private final Runnable answered;

	private final FollowUpTargets targets;

	private FollowUpRound round;

	/** Lets the targets forget; null while something waits. */
	private @Nullable OriginCleanup cleanup;

	/** Whether it is certain that nothing waits, since all was read after a while. */
	private boolean sure;

	private long reached;

	/** Why something was refused that has not been moved since. */
	private @Nullable Throwable problem;

	private final Backoff backoff = new Backoff();

	/** When the next round begins; null if nothing was refused in this one. */
	private @Nullable Long retryAt;

	ShardFollowUps(FollowUpMover mover, Lease lease, Runnable answered) {
		this.mover = mover;
		this.lease = lease;
		this.answered = answered;
		this.targets = new FollowUpTargets(mover, lease, answered);
		this.round = new FollowUpRound(this.targets, 0);
	}

	/** Enqueues all follow-ups of a shard, and returns the first refusal, or null. */
	public static @Nullable Throwable moveAll(FollowUpMover mover, Lease lease) {
		Semaphore answers = new Semaphore(0);
		ShardFollowUps followUps = new ShardFollowUps(mover, lease, answers::release);
		try {
			for (long wait = followUps.advance(true); !followUps.isOver(); wait = followUps.advance(true)) {
				boolean unused = answers.tryAcquire(wait, TimeUnit.NANOSECONDS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StoreException("Interrupted while follow-ups were being moved", ex);
		}
		return followUps.problem();
	}

	Lease lease() {
		return this.lease;
	}

	void wake() {
		this.round.wake();
		postponeCleanup();
	}

	private void postponeCleanup() {
		this.cleanup = null;
		this.sure = false;
	}

	@Nullable Throwable problem() {
		return this.problem;
	}

	/**
	 * Whether the store is busy with them, so that others may have to wait their turn.
	 */
	boolean isUnderWay() {
		long nanos = this.mover.nanoTime();
		return this.round.patienceLeft(nanos) > 0 || (this.cleanup != null && this.cleanup.patienceLeft(nanos) > 0);
	}

	/** Whether all that waited was read, and what was not refused is in its queue. */
	boolean isOver() {
		return this.round.isOver();
	}

	boolean isIdle() {
		return isOver() && this.targets.calls().isEmpty() && this.problem == null;
	}

	boolean isResting() {
		return isIdle() && this.cleanup != null && this.cleanup.isResting(this.mover.nanoTime());
	}

	boolean isDone() {
		return isIdle() && this.cleanup != null && this.cleanup.isDone();
	}

	/**
	 * The largest number that was read: smaller ones are in their queues, refused, or
	 * {@linkplain #pending() on their way}. 0 if that is not known yet; the largest
	 * number if none is to be waited for.
	 */
	long reached() {
		return (isIdle() || this.round.isFailed()) ? Long.MAX_VALUE : this.reached;
	}

	/** How many are on their way, or wait for a slow target. */
	int pending() {
		return this.targets.calls().values().stream().mapToInt(FollowUpTargets.Call::size).sum();
	}

	/**
	 * Returns the nanoseconds until more is due; 0 if only {@code mayRead} is missing.
	 */
	long advance(boolean mayRead) {
		long nanos = this.mover.nanoTime();
		for (boolean mayReadNow = mayRead;; mayReadNow = false) {
			if (this.round.collect(nanos)) {
				this.reached = Math.max(this.reached, this.round.reached());
				postponeCleanup();
			}
			judge(nanos);
			long wait = this.round.waitLeft(nanos);
			if (wait > 0) {
				return wait;
			}
			this.round.closeSlow();
			if (this.round.isAgain() || (this.retryAt != null && this.retryAt - nanos <= 0)) {
				beginRound();
			}
			wait = untilNext(nanos);
			if (wait > 0 || !mayReadNow) {
				return wait;
			}
			next(nanos);
		}
	}

	private void next(long nanos) {
		boolean isIdle = isIdle();
		if (isIdle && this.cleanup != null && this.sure) {
			this.cleanup.next(nanos);
			return;
		}
		this.sure = isIdle;
		if (this.targets.calls().isEmpty() && this.problem == null) {
			// Nothing is left behind, unless a failover has brought it back
			beginRound();
		}
		this.round.read(nanos);
	}

	private void beginRound() {
		this.round = new FollowUpRound(this.targets, (this.problem != null) ? this.round.lastRefused() : 0);
		this.retryAt = null;
	}

	/** All is well again when what was refused has been moved. */
	private void judge(long nanos) {
		Throwable refusal = this.round.refusal();
		if (refusal != null && this.retryAt == null) {
			this.retryAt = nanos + this.backoff.next(this.mover.random());
			this.problem = (this.problem != null) ? this.problem : refusal;
		}
		if (this.problem != null && this.round.isWell()) {
			this.problem = null;
			this.backoff.reset();
		}
	}

	private long untilNext(long nanos) {
		if (isIdle()) {
			if (this.cleanup == null) {
				this.cleanup = new OriginCleanup(this.mover, this.lease, this.reached, this.answered, nanos);
			}
			return this.cleanup.untilDue(nanos);
		}
		if (!this.round.isRead()) {
			return 0;
		}
		return Math.min((this.retryAt != null) ? this.retryAt - nanos : Long.MAX_VALUE,
				this.targets.calls()
					.values()
					.stream()
					.mapToLong((call) -> call.pending().timeLeft(nanos))
					.min()
					.orElse(Long.MAX_VALUE));
	}

}
