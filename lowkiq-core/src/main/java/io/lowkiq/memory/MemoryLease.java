package io.lowkiq.memory;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.store.Claim;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Shard;
import io.lowkiq.store.Turn;
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
		this.waitsUntil = Turn.NOTHING;
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
	 * Notes the sequence number of a call.
	 * @param newSequence the number
	 * @return whether it is new
	 */
	boolean advance(long newSequence) {
		if (newSequence <= this.sequence) {
			return false;
		}
		this.sequence = newSequence;
		return true;
	}

	/**
	 * Leaves the shard free and tells all nodes.
	 */
	void free() {
		this.session = null;
		this.since = 0;
		this.waitsUntil = NOT_WAITING;
		this.messages.add((wakeUps) -> wakeUps.released(this.shard));
	}

	/**
	 * Leaves word that the owner waits for a job.
	 * @param next when the next job is due that it knows of
	 */
	void waitUntil(long next) {
		this.waitsUntil = next;
	}

	void stopWaiting() {
		this.waitsUntil = NOT_WAITING;
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
