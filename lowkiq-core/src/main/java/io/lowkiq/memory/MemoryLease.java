package io.lowkiq.memory;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Claim;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Shard;
import io.lowkiq.store.FetchResult;
import org.jspecify.annotations.Nullable;

/**
 * Who owns a shard, and whether the owner waits for a job (I6). Guarded by the lock of
 * {@link MemoryShards}.
 */
final class MemoryLease {

	/** In place of a time to wait for: the owner doesn't wait. */
	private static final long NOT_WAITING = Long.MIN_VALUE;

	private final Shard shard;

	private final List<Message> messages = new ArrayList<>();

	private @Nullable String session;

	private long epoch;

	private long since;

	private long sequence;

	private long waitsUntil = NOT_WAITING;

	/** Whether the owner who waits takes a job that is handed over. */
	private boolean takes;

	/** What was handed over since the owner's last call. */
	private @Nullable HandOver handOver;

	MemoryLease(Shard shard) {
		this.shard = shard;
	}

	/**
	 * Whether a claim gets the lease: it is free, or held by who asks, or by whom the
	 * claim takes it from.
	 * @param claim the claim
	 * @return whether it does
	 */
	boolean isOpenTo(Claim claim) {
		return this.session == null || this.session.equals(claim.session()) || this.session.equals(claim.from());
	}

	/**
	 * Whether the busy jobs are those of a node that crashed.
	 * @param claim the claim
	 * @return whether they are
	 */
	boolean isCrashOf(Claim claim) {
		return claim.crashed() && this.session != null && this.session.equals(claim.from());
	}

	/**
	 * Whether the claim is of the owner itself, who asks about a call that was never
	 * applied, though all before it were.
	 * @param claim the claim
	 * @return whether it is
	 */
	boolean hasNotSeenCallOf(Claim claim) {
		return claim.session().equals(this.session) && claim.epoch() == this.epoch
				&& claim.sequence() == this.sequence + 1;
	}

	/**
	 * Gives the lease to a session.
	 * @param newSession the session
	 * @param now milliseconds since 1970
	 * @return the lease
	 */
	Lease give(String newSession, long now) {
		this.session = newSession;
		this.epoch = Math.max(this.epoch + 1, now);
		this.since = now;
		this.sequence = 0;
		this.handOver = null;
		waitUntil(FetchResult.NOTHING, false);
		return new Lease(this.shard, newSession, this.epoch);
	}

	boolean isCurrent(Lease lease) {
		return lease.epoch() == this.epoch && lease.session().equals(this.session);
	}

	/**
	 * Notes the sequence number of a call that relies on those before it.
	 * @param next the number
	 * @return whether it is the next one
	 */
	boolean step(long next) {
		return next == this.sequence + 1 && advance(next);
	}

	/**
	 * Notes the sequence number of the owner's last call.
	 * @param newSequence the number
	 * @return whether it is new; nothing was done since but a hand-over
	 */
	boolean advance(long newSequence) {
		if (newSequence <= this.sequence && !isOvertakenBy(newSequence)) {
			return false;
		}
		this.sequence = newSequence;
		this.handOver = null;
		return true;
	}

	/**
	 * Whether a call follows the one before the hand-over that the owner has not seen.
	 */
	private boolean isOvertakenBy(long next) {
		return this.handOver != null && next == this.handOver.after() + 1;
	}

	/**
	 * What was handed over since the owner's last call.
	 * @param next the number of its next call
	 * @return what was handed over; null if nothing, or if the owner knows of it
	 */
	@Nullable HandOver handOverBefore(long next) {
		return isOvertakenBy(next) ? this.handOver : null;
	}

	/**
	 * Whether the owner waits for a later job and takes one that is handed over.
	 * @param now when the job is due
	 * @return whether it does
	 */
	boolean takes(long now) {
		return this.session != null && this.takes && now < this.waitsUntil;
	}

	/**
	 * Hands a job over to the owner as its next step. The number of the step is not that
	 * of any other.
	 * @param job the job, which is busy
	 * @param now the time of the step
	 */
	void handOver(FetchedJob job, StoreTime now) {
		String owner = String.valueOf(this.session);
		long step = Math.max((long) (now.score() * 1000), this.sequence + 1);
		HandOver given = new HandOver(this.epoch, this.sequence, step, job, this.waitsUntil, now.millis());
		this.sequence = step;
		stopWaiting();
		this.handOver = given;
		this.messages.add((wakeUps) -> wakeUps.handOver(owner, this.shard, given));
	}

	/**
	 * Leaves the shard free and tells all nodes.
	 */
	void free() {
		this.session = null;
		this.since = 0;
		this.handOver = null;
		stopWaiting();
		this.messages.add((wakeUps) -> wakeUps.released(this.shard));
	}

	/**
	 * Leaves word that the owner waits for a job.
	 * @param next when the next job is due that it knows of
	 * @param takesHandOver whether it takes a job that is handed over
	 */
	void waitUntil(long next, boolean takesHandOver) {
		this.waitsUntil = next;
		this.takes = takesHandOver;
	}

	void stopWaiting() {
		waitUntil(NOT_WAITING, false);
	}

	/**
	 * Wakes the owner if it waits for a later job than this one.
	 * @param performAt when the job is due
	 */
	void wakeOwnerFor(long performAt) {
		if (performAt < this.waitsUntil) {
			wakeOwner();
		}
	}

	/**
	 * Wakes the owner if it waits.
	 */
	void wakeOwner() {
		String owner = this.session;
		if (owner != null && this.waitsUntil != NOT_WAITING) {
			stopWaiting();
			this.messages.add((wakeUps) -> wakeUps.wake(owner, this.shard));
		}
	}

	List<Message> takeMessages() {
		List<Message> taken = List.copyOf(this.messages);
		this.messages.clear();
		return taken;
	}

	@Nullable String session() {
		return this.session;
	}

	long epoch() {
		return this.epoch;
	}

	long since() {
		return this.since;
	}

	/**
	 * A message that is delivered after the lock of the shard is released.
	 */
	interface Message {

		/**
		 * Delivers the message.
		 * @param wakeUps to whom
		 */
		void deliver(MemoryWakeUps wakeUps);

	}

}
