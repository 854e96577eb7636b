package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.lowkiq.store.Lease;
import io.lowkiq.store.Shard;

/**
 * Frees the memory that follow-ups of a shard have left in their targets: for each, the
 * {@linkplain io.lowkiq.store.Origin} of the last one. It begins when nothing has waited
 * in the shard for a minute, and goes on in steps of some targets each. Used by one
 * thread, which never waits for the store.
 */
final class OriginCleanup {

	/** The time without follow-ups after which it begins. */
	private static final long IDLE_TIME = Duration.ofMinutes(1).toNanos();

	private final FollowUpMover mover;

	private final Lease lease;

	private final Runnable answered;

	/** The step in progress; null if none is. */
	private @Nullable Step step;

	/** When the next step is due; null while something waits. */
	private @Nullable Long dueAt;

	/** The targets of the last step. */
	private List<Shard> cleaned = List.of();

	/** Whether no target remembers anything. */
	private boolean done;

	private record Step(CompletableFuture<List<Shard>> targets, long since) {
	}

	/**
	 * A cleanup that is not due.
	 * @param answered called after each answer of the store, on any thread
	 */
	OriginCleanup(FollowUpMover mover, Lease lease, Runnable answered) {
		this.mover = mover;
		this.lease = lease;
		this.answered = answered;
	}

	/** Begins again later, because more follow-ups wait. */
	void restart() {
		this.step = null;
		this.dueAt = null;
		this.cleaned = List.of();
		this.done = false;
	}

	/** Waits a minute from the next time that nothing waits. */
	void postpone() {
		this.dueAt = null;
	}

	boolean isUnderWay() {
		return this.step != null;
	}

	/** When the step in progress began; only if one is. */
	long since() {
		return (this.step != null) ? this.step.since() : 0;
	}

	/** Whether it is too early for the next step. */
	boolean isResting() {
		return this.step == null && !this.done && this.dueAt != null && this.dueAt - this.mover.nanoTime() > 0;
	}

	boolean isDone() {
		return this.done;
	}

	/** The time until the next step is due, or the present one has failed. */
	long untilDue() {
		long nanos = this.mover.nanoTime();
		collect(nanos);
		if (this.step != null) {
			return this.step.since() + ShardFollowUps.CALL_LIMIT - nanos;
		}
		if (this.done) {
			return Long.MAX_VALUE;
		}
		if (this.dueAt == null) {
			this.dueAt = nanos + IDLE_TIME;
		}
		return Math.max(this.dueAt - nanos, 0);
	}

	/**
	 * Begins the next step.
	 * @param last the number of the last follow-up of the lease
	 */
	void next(long last) {
		CompletableFuture<List<Shard>> targets = ShardFollowUps
			.begun(() -> this.mover.forgetSome(this.lease, last, this.cleaned));
		this.step = new Step(targets, this.mover.nanoTime());
		ShardFollowUps.notifyOf(targets, this.answered);
	}

	private void collect(long nanos) {
		Step ended = this.step;
		if (ended == null || !(ended.targets().isDone() || nanos - ended.since() >= ShardFollowUps.CALL_LIMIT)) {
			return;
		}
		this.step = null;
		try {
			this.cleaned = ShardFollowUps.result(ended.targets());
			this.done = this.cleaned.isEmpty();
			this.dueAt = nanos;
		}
		catch (RuntimeException ex) {
			// What is left takes memory only; it is tried again
			this.cleaned = List.of();
			this.dueAt = nanos + IDLE_TIME;
		}
	}

}
