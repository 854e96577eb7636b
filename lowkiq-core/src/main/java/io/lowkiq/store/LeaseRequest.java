package io.lowkiq.store;

import org.jspecify.annotations.Nullable;

/**
 * A request for the lease of a shard, with the grounds for it.
 *
 * @param from the session whose lease may be taken over, because it has ended; null to
 * take only a free shard, or one of the asking session; the asking session to take only
 * the latter
 * @param crashed whether the busy jobs of {@code from} were caught in a crash (rule 8):
 * true unless the asking node was {@code from}
 * @param epoch the last known epoch, or 0: the new one is larger, even if a failover has
 * forgotten it. For a session that holds the shard, that of its lease: if the store has
 * another one, it got a request that the session doesn't know of, so busy jobs are
 * restored
 * @param sequence for a session that holds the shard, the number of the call whose answer
 * was lost. If that call was not applied, but the one before it, busy jobs stay busy. 0
 * to restore them in any case
 */
public record LeaseRequest(String session, @Nullable String from, boolean crashed, long epoch, long sequence,
		Gathering gathering) {

	/** A request of an owner that wants no gathering. */
	public LeaseRequest(String session, @Nullable String from, boolean crashed, long epoch, long sequence) {
		this(session, from, crashed, epoch, sequence, Gathering.NONE);
	}

	/** A copy of an owner with a policy of gathering. */
	public LeaseRequest with(Gathering policy) {
		return new LeaseRequest(this.session, this.from, this.crashed, this.epoch, this.sequence, policy);
	}

	/** A copy of a node that has known a lease of the shard. */
	public LeaseRequest after(long known) {
		return new LeaseRequest(this.session, this.from, this.crashed, known, this.sequence, this.gathering);
	}

	/** Requests a free shard. */
	public static LeaseRequest forFreeShard(String session) {
		return new LeaseRequest(session, null, false, 0, 0);
	}

	/** Requests a shard that the session may hold without knowing, but no free one. */
	public static LeaseRequest ifHeld(String session) {
		return new LeaseRequest(session, session, false, 0, 0);
	}

	/** Requests the shard of an ended session of another node. */
	public static LeaseRequest afterCrash(String session, String dead) {
		return new LeaseRequest(session, dead, true, 0, 0);
	}

	/** Requests the shard of an earlier session of the same node. */
	public static LeaseRequest afterLapse(String session, String earlier) {
		return new LeaseRequest(session, earlier, false, 0, 0);
	}

	/** Requests the shard that the session holds itself, after an uncertain answer. */
	public static LeaseRequest toRenew(Lease lease, long sequence) {
		return new LeaseRequest(lease.session(), null, false, lease.epoch(), sequence);
	}

}
