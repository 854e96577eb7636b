package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;

import io.lowkiq.store.Lease;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Frees the memory that follow-ups of a shard have left in their targets: for each, the
 * {@linkplain io.lowkiq.store.job.Origin} of the last one. Used by one thread, which
 * never waits for the store.
 */
final class OriginCleanup {

	/** The time without follow-ups after which it begins. */
	private static final long IDLE_TIME = Duration.ofMinutes(1).toNanos();

	private final FollowUpMover mover;

	private final Lease lease;

	private final long last;

	private final Runnable answered;

	/** The step in progress, which names the targets that have forgotten. */
	private @Nullable PendingCall<List<Shard>> step;

	private long dueAt;

	/** The targets of the last step. */
	private List<Shard> cleaned = List.of();

	private boolean done;

	/** A cleanup that is due in a minute. */
	OriginCleanup(FollowUpMover mover, Lease lease, long last, Runnable answered, long nanos) {
		this.mover = mover;
		this.lease = lease;
		this.last = last;
		this.answered = answered;
		this.dueAt = nanos + IDLE_TIME;
	}

	/** How long the step in progress is given before others get their turn. */
	long patienceLeft(long nanos) {
		return (this.step != null) ? this.step.patienceLeft(nanos) : 0;
	}

	/** Whether it is too early for the next step. */
	boolean isResting(long nanos) {
		return this.step == null && !this.done && this.dueAt - nanos > 0;
	}

	boolean isDone() {
		return this.done;
	}

	/** The time until the next step is due, or the present one has failed. */
	long untilDue(long nanos) {
		collect(nanos);
		if (this.step != null) {
			return this.step.timeLeft(nanos);
		}
		return this.done ? Long.MAX_VALUE : Math.max(this.dueAt - nanos, 0);
	}

	void next(long nanos) {
		List<Shard> before = this.cleaned;
		this.step = new PendingCall<>(() -> this.mover.forgetSome(this.lease, this.last, before), nanos, this.answered);
	}

	private void collect(long nanos) {
		PendingCall<List<Shard>> ended = this.step;
		if (ended == null || !ended.isOver(nanos)) {
			return;
		}
		this.step = null;
		try {
			this.cleaned = ended.result();
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
