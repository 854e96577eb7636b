package io.lowkiq.engine.lease;

import java.time.Instant;
import java.util.Set;

import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.runtime.Backoff;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.Lease;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** A shard, over all sessions and starts. Guarded by the {@link StateLock}. */
public final class ServedShard {

	private final Shard shard;

	private final ServedQueue queue;

	private final Backoff backoff = new Backoff();

	private @Nullable HeldShard held;

	private final QueueTurns turns;

	/** Of the last lease that this node had; 0 if it had none. */
	private long lastEpoch;

	/** The last call that the store has answered, unless it has forgotten it. */
	private LastCall answered = LastCall.NONE;

	/** When it was answered, by the monotonic clock; meaningless if there is none. */
	private long answeredAt;

	/**
	 * The number of runs of earlier leases that have not ended in this JVM. Until they
	 * have, nothing of the shard is fetched (I1).
	 */
	private int orphanedRuns;

	private boolean wanted;

	private @Nullable Attempt attempt;

	/**
	 * Whether the session may hold the shard without knowing, because the answer of the
	 * last try to acquire it was lost, an earlier try is applied late, or a failover
	 * forgot that the shard was released.
	 */
	private boolean acquisitionUncertain;

	/** Whether acquiring may have become possible. */
	private boolean maybeFree = true;

	/** The session that held the shard when last asked; null if none did. */
	private @Nullable String holder;

	/** Since when the registry has not known the holder; meaningful with its name. */
	private @Nullable String unknownHolder;

	private long unknownSince;

	/** Since when it is held, or not held by anybody alive. */
	private Instant since;

	/** Whether the store last said that a newer version has written the shard. */
	private boolean newer;

	/** Whether the store last said that it doesn't know the shard. */
	private boolean forgotten;

	private boolean backingOff;

	private long retryAt;

	/**
	 * A call under way that acquires the shard, made at a time of the monotonic clock.
	 */
	record Attempt(Session session, long since) {

		/** An attempt is equal to itself only. */
		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this);
		}

	}

	ServedShard(Shard shard, ServedQueue queue, QueueTurns turns, Instant since) {
		this.shard = shard;
		this.queue = queue;
		this.turns = turns;
		this.since = since;
	}

	public QueueTurns turns() {
		return this.turns;
	}

	/** Makes the iteration order of sets the same in every JVM. */
	@Override
	public int hashCode() {
		return this.shard.hashCode();
	}

	/** Each object is equal to itself only. */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	public Shard shard() {
		return this.shard;
	}

	public ServedQueue queue() {
		return this.queue;
	}

	/** The shard under the present lease; null if this node holds none. */
	public @Nullable HeldShard held() {
		return this.held;
	}

	void hold(HeldShard newlyHeld, Instant at) {
		this.held = newlyHeld;
		leased(newlyHeld);
		this.holder = newlyHeld.session().id();
		this.unknownHolder = null;
		this.since = at;
	}

	/**
	 * The busy jobs were restored in the store: present runs are orphaned from now on.
	 */
	Set<Task> restart(HeldShard again) {
		Set<Task> orphaned = orphan();
		this.held = again;
		leased(again);
		return orphaned;
	}

	/** The store has given a lease, perhaps of a shard whose busy jobs stay busy. */
	void leased(HeldShard under) {
		this.lastEpoch = under.lease().epoch();
		answered(under.lease(), 0, under.nextDue().askedAt());
	}

	/** The call with a sequence number was applied, or, with 0, the acquisition. */
	void answered(Lease lease, long sequence, long nanos) {
		this.answered = new LastCall(lease.epoch(), sequence, 0);
		this.answeredAt = nanos;
	}

	/** When the last call was answered, by the monotonic clock. */
	long answeredAt() {
		return this.answeredAt;
	}

	/** Whether the store has forgotten calls that it had answered. Says so once. */
	boolean hasForgotten(LastCall last) {
		if (!last.isBefore(this.answered)) {
			return false;
		}
		this.answered = last;
		return true;
	}

	private Set<Task> orphan() {
		HeldShard before = this.held;
		Set<Task> orphaned = (before != null) ? before.lose() : Set.of();
		this.orphanedRuns += orphaned.size();
		return orphaned;
	}

	/** The last epoch that this node knows of; 0 if there is none. */
	long lastEpoch() {
		return this.lastEpoch;
	}

	/** The lease was lost, or given back: present runs are orphaned from now on. */
	Set<Task> notHeld(Instant at, boolean released) {
		Set<Task> orphaned = orphan();
		this.held = null;
		this.since = at;
		this.maybeFree = true;
		if (released) {
			this.holder = null;
		}
		return orphaned;
	}

	/** Whether runs of earlier leases have not ended in this JVM. */
	public boolean hasOrphanedRuns() {
		return this.orphanedRuns > 0;
	}

	/** Whether anything of the shard runs in this JVM, under whatever lease. */
	public boolean isPerforming() {
		HeldShard current = this.held;
		return this.orphanedRuns > 0 || (current != null && current.tasks().runningTasks() > 0);
	}

	/** Notes that a run of an earlier lease has ended. */
	public void orphanedRunEnded() {
		this.orphanedRuns--;
	}

	/** Whether this node is to hold the shard. */
	public boolean isWanted() {
		return this.wanted;
	}

	void wanted(boolean want) {
		this.wanted = want;
	}

	public boolean isAcquiring() {
		return this.attempt != null;
	}

	@Nullable Attempt attempt() {
		return this.attempt;
	}

	void attempt(@Nullable Attempt current) {
		this.attempt = current;
	}

	/** The answer of the call under way is lost, or not waited for any more. */
	void attemptUnanswered() {
		this.attempt = null;
		this.maybeFree = true;
		this.acquisitionUncertain = true;
	}

	/** Unless it is held, the session may hold the shard without knowing. */
	void uncertainUnlessHeld() {
		this.acquisitionUncertain |= this.held == null;
	}

	/** Asks the store about the shard with the next call, whether it is held or not. */
	void recheck(long nanos) {
		this.maybeFree = true;
		if (this.held != null) {
			this.held.needFetch(nanos);
		}
	}

	/** Asks the store during runs, even if no thread is free to fetch for. */
	void needCheck() {
		if (this.held != null) {
			this.held.needCheck();
		}
	}

	boolean isAcquisitionUncertain() {
		return this.acquisitionUncertain;
	}

	void acquisitionUncertain(boolean uncertain) {
		this.acquisitionUncertain = uncertain;
	}

	boolean isMaybeFree() {
		return this.maybeFree;
	}

	void maybeFree(boolean free) {
		this.maybeFree = free;
	}

	/** The session that holds the shard as far as this node knows; null if none does. */
	public @Nullable String holder() {
		return this.holder;
	}

	void heldBy(String session, Instant at) {
		if (!session.equals(this.holder)) {
			this.holder = session;
			this.since = at;
		}
	}

	/** Nobody holds the shard: it can be acquired at once if this node is to hold it. */
	void free() {
		this.holder = null;
		this.maybeFree = true;
	}

	/** How long the registry has not known the holder, in nanoseconds; 0 if it does. */
	long unknownFor(String session, boolean known, long nanos) {
		if (known || !session.equals(this.unknownHolder)) {
			this.unknownHolder = known ? null : session;
			this.unknownSince = nanos;
		}
		return nanos - this.unknownSince;
	}

	public boolean isNewer() {
		return this.newer;
	}

	void newer(boolean written) {
		this.newer = written;
	}

	boolean isForgotten() {
		return this.forgotten;
	}

	void forgotten(boolean unknown) {
		this.forgotten = unknown;
	}

	void backOff(EngineRuntime runtime) {
		this.retryAt = runtime.nanoTime() + this.backoff.next(runtime.random());
		this.backingOff = true;
	}

	void resetBackOff() {
		if (this.backingOff) {
			this.backoff.reset();
			this.backingOff = false;
		}
	}

	/** How long to wait before the next attempt, in nanoseconds; 0 or less for none. */
	long backOffLeft(long nanos) {
		return this.backingOff ? this.retryAt - nanos : 0;
	}

	/** Since when the shard has been held, or not been held by anybody alive. */
	public Instant since() {
		return this.since;
	}

}
