package io.lowkiq.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Who owns a shard, and for which job the owner waits (I6). Guarded by the lock of its
 * shard.
 */
final class MemoryLease {

	/** Instead of a time to wait for: the owner doesn't wait. */
	private static final long NOT_WAITING = Long.MIN_VALUE;

	private final Shard shard;

	/** What to deliver when the lock has been released. */
	private final List<Consumer<MemoryWakeUps>> messages = new ArrayList<>();

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
	 */
	boolean isOpenTo(LeaseRequest claim) {
		return this.session == null || this.session.equals(claim.session()) || this.session.equals(claim.from());
	}

	/** Whether the busy jobs are those of a node that crashed. */
	boolean isCrashOf(LeaseRequest claim) {
		return claim.crashed() && this.session != null && this.session.equals(claim.from());
	}

	/**
	 * Whether the claim is of the owner itself, who asks about a call that was never
	 * applied, though all before it were.
	 */
	boolean hasNotSeenCallOf(LeaseRequest claim) {
		return claim.session().equals(this.session) && claim.epoch() == this.epoch
				&& claim.sequence() == this.sequence + 1;
	}

	/**
	 * Gives the lease to a session, which waits for any job.
	 * @param newSession the session
	 * @param known an epoch that the new one is larger than
	 * @param now the time
	 * @return the lease
	 */
	Lease give(String newSession, long known, StoreTime now) {
		this.session = newSession;
		long micros = Math.round(now.score() * 1_000);
		this.epoch = Math.max(Math.max(this.epoch, known) + 1 + micros % 1_000_000, micros);
		this.since = now.millis();
		this.sequence = 0;
		this.waitsUntil = FetchResult.NOTHING;
		return new Lease(this.shard, newSession, this.epoch);
	}

	boolean isCurrent(Lease lease) {
		return lease.epoch() == this.epoch && lease.session().equals(this.session);
	}

	/** Whether a sequence number is that of the next call. */
	boolean isNext(long number) {
		return number == this.sequence + 1;
	}

	/** Whether no call with a sequence number, or a larger one, was applied. */
	boolean isNew(long number) {
		return number > this.sequence;
	}

	/**
	 * Counts the next call.
	 */
	void step() {
		this.sequence++;
	}

	/**
	 * Leaves the shard free and notifies all nodes.
	 */
	void free() {
		revoke();
		this.messages.add((wakeUps) -> wakeUps.released(this.shard));
	}

	/** Leaves the shard free, without a word to the nodes. */
	void revoke() {
		this.session = null;
		this.since = 0;
		this.waitsUntil = NOT_WAITING;
	}

	/**
	 * Notes that the owner waits for a job.
	 * @param next when the next job is due that it knows of
	 */
	void waitUntil(long next) {
		this.waitsUntil = next;
	}

	void stopWaiting() {
		this.waitsUntil = NOT_WAITING;
	}

	/**
	 * Wakes the owner, once, if it waits for a job that is due later than this one.
	 * @param performAt when the job is due
	 */
	void wakeOwnerFor(long performAt) {
		if (performAt < this.waitsUntil) {
			wakeOwner();
		}
	}

	/**
	 * Wakes the owner, once, if it waits.
	 */
	void wakeOwner() {
		String owner = this.session;
		if (owner != null && this.waitsUntil != NOT_WAITING) {
			stopWaiting();
			this.messages.add((wakeUps) -> wakeUps.wake(owner, this.shard));
		}
	}

	List<Consumer<MemoryWakeUps>> takeMessages() {
		List<Consumer<MemoryWakeUps>> taken = List.copyOf(this.messages);
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

}
