package io.lowkiq.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Outcome;

/**
 * A shard under a lease of this node: what was fetched and not begun, what became of the
 * rest and isn't sent yet, and whether the last call's answer was lost. So work on the
 * shard can be left at any point and taken up again by another thread.
 * <p>
 * Written and read by the thread that has the claim of the {@link ShardSlot}, but for the
 * volatile fields, which all read.
 */
final class HeldShard {

	private final Session session;

	private final Deque<FetchedJob> fetched = new ArrayDeque<>();

	private final List<Outcome> outcomes = new ArrayList<>();

	private final Backoff backoff = new Backoff();

	private volatile Lease lease;

	/** Whether nothing is tried before {@link #retryAt}. Written after it. */
	private volatile boolean backingOff;

	private volatile long retryAt;

	/** Whether the answer of the call with the last sequence number was lost. */
	private volatile boolean uncertain;

	/** Whether an error stopped the server while a job of this shard was performed. */
	private volatile boolean abandoned;

	private long sequence;

	private int lastFetch;

	/** Whether the node's only permit for suspects belongs to this shard. */
	private boolean suspectPermit;

	/** When outcomes were sent last, by the monotonic clock. */
	private long turnAt;

	HeldShard(Session session, Lease lease) {
		this.session = session;
		this.lease = lease;
	}

	Session session() {
		return this.session;
	}

	Lease lease() {
		return this.lease;
	}

	/** Jobs that are busy and not begun. */
	Deque<FetchedJob> fetched() {
		return this.fetched;
	}

	/** What became of jobs, not yet sent or not surely applied. */
	List<Outcome> outcomes() {
		return this.outcomes;
	}

	long nextSequence() {
		return ++this.sequence;
	}

	long sequence() {
		return this.sequence;
	}

	/** Whether a step that the store took for the owner follows its last call. */
	boolean isNext(HandOver handOver) {
		return !this.uncertain && handOver.epoch() == this.lease.epoch() && handOver.after() == this.sequence;
	}

	/** Goes on after a step that the store took for the owner. */
	void goOn(HandOver handOver) {
		this.sequence = handOver.sequence();
	}

	boolean isUncertain() {
		return this.uncertain;
	}

	/** An answer was lost: the shard is acquired again before anything else. */
	void uncertain() {
		this.uncertain = true;
	}

	/** Goes on under a new lease, whose sequence numbers begin anew. */
	void goOn(Lease newLease) {
		this.lease = newLease;
		this.sequence = 0;
		this.uncertain = false;
	}

	/** Waits before the next try. */
	void backOff(long nanos) {
		this.retryAt = nanos + this.backoff.next();
		this.backingOff = true;
	}

	void answered() {
		if (this.backingOff) {
			this.backoff.reset();
			this.backingOff = false;
		}
	}

	/** How long nothing is to be tried, in nanoseconds; 0 or less if it may be. */
	long backOffLeft(long nanos) {
		return this.backingOff ? this.retryAt - nanos : 0;
	}

	int lastFetch() {
		return this.lastFetch;
	}

	void lastFetch(int jobs) {
		this.lastFetch = jobs;
	}

	boolean hasSuspectPermit() {
		return this.suspectPermit;
	}

	void suspectPermit(boolean held) {
		this.suspectPermit = held;
	}

	long turnAt() {
		return this.turnAt;
	}

	void turnAt(long nanos) {
		this.turnAt = nanos;
	}

	boolean isAbandoned() {
		return this.abandoned;
	}

	void abandon() {
		this.abandoned = true;
	}

}
