package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.engine.schedule.ShardTurns;
import io.lowkiq.store.Lease;
import io.lowkiq.store.WaitingGroups;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;

/**
 * A shard under a lease of this node, and the state of its calls. When the lease is lost,
 * or its busy jobs were restored, the object is never used again; its runs continue to
 * their end, but their results are not sent. Guarded by the {@link StateLock}.
 */
public final class HeldShard {

	/** The maximum number of follow-ups on their way before no jobs are fetched. */
	static final int MAX_FOLLOW_UPS = 1_000;

	/** When to fetch again after jobs that could not begin. */
	private static final long PAUSE = Duration.ofMillis(10).toNanos();

	private final ServedShard shard;

	private final Session session;

	private final ShardTurns turns;

	private final ShardTasks tasks;

	private Lease lease;

	/** The number of the last call that was made under the lease. */
	private long sequence;

	/** The number of busy jobs in the store, as far as its answers say. */
	private int busy;

	private long nextFollowUp;

	private long reachedFollowUp;

	private int pendingFollowUps;

	private boolean calling;

	private boolean releasing;

	/** The number of the last call, including calls that acquired the shard again. */
	private long call;

	private long calledAt;

	private CallUncertainty uncertainty = CallUncertainty.NONE;

	/** The completed jobs in the call in progress, or in the uncertain one. */
	private List<Completed> sent = List.of();

	private NextDue nextDue;

	/** Whether to fetch whatever {@code nextDue} says, and since when. */
	private boolean fetchNeeded;

	private long fetchNeededSince;

	/** Whether to ask the store if the lease is current, with nothing to send. */
	private boolean checkNeeded;

	/** Whether the store has said that the lease is no longer current. */
	private boolean fenced;

	/** Written with the {@link StateLock}, read by performing threads. */
	private volatile boolean lost;

	private int lastFetch;

	private long fetchNotBefore;

	/** Whether the shard waits for a thread to fetch for, and since when. */
	private boolean waiting;

	private long waitingSince;

	/** Since when it waits at most, by the store's time. */
	private long passedOn = Long.MIN_VALUE;

	HeldShard(ServedShard shard, Session session, Lease lease, NextDue nextDue, long lastFollowUp,
			WaitingGroups groups) {
		this.shard = shard;
		this.session = session;
		this.lease = lease;
		this.nextDue = nextDue;
		this.fetchNotBefore = nextDue.askedAt();
		this.nextFollowUp = Math.max(lastFollowUp, 0) + 1;
		this.reachedFollowUp = this.nextFollowUp - 1;
		this.turns = new ShardTurns(shard.turns(), groups, nextDue.askedAt());
		this.tasks = new ShardTasks(shard.queue().worker().settings(), shard.shard().index(), this.turns,
				nextDue.askedAt());
		// A message may have come while the shard was acquired
		needFetch(nextDue.askedAt());
	}

	/** The lease continues that of another object: what that has saved up is kept. */
	void continues(HeldShard before) {
		this.turns.continues(before.turns);
		this.tasks.continues(before.tasks);
	}

	public ServedShard shard() {
		return this.shard;
	}

	public Session session() {
		return this.session;
	}

	public ShardTurns turns() {
		return this.turns;
	}

	public ShardTasks tasks() {
		return this.tasks;
	}

	public Lease lease() {
		return this.lease;
	}

	public long sequence() {
		return this.sequence;
	}

	public int busy() {
		return this.busy;
	}

	public CallUncertainty uncertainty() {
		return this.uncertainty;
	}

	/** Notes how far the follow-ups have been moved. */
	public boolean followUpsMoved(long reached, int pending) {
		boolean before = isAheadOfFollowUps();
		this.reachedFollowUp = reached;
		this.pendingFollowUps = pending;
		return before != isAheadOfFollowUps();
	}

	/** Whether too many follow-ups wait, refused ones apart, to fetch further jobs. */
	public boolean isAheadOfFollowUps() {
		return Math.max(this.nextFollowUp - 1 - this.reachedFollowUp, 0) + this.pendingFollowUps > MAX_FOLLOW_UPS;
	}

	boolean isCalling() {
		return this.calling;
	}

	/** Whether a call can be made: none is in progress, and the last one was answered. */
	public boolean isReady() {
		return !this.calling && this.uncertainty == CallUncertainty.NONE;
	}

	/** How long the call in progress has been unanswered, in nanoseconds. */
	long calledFor(long nanos) {
		return nanos - this.calledAt;
	}

	public long call() {
		return this.call;
	}

	public boolean isCalling(long number) {
		return this.calling && this.call == number;
	}

	/** Begins a call, which sends the completed jobs. */
	public List<Outcome> beginCall(long nanos) {
		List<Outcome> outcomes = new ArrayList<>(this.tasks.completed().size());
		for (Completed job : this.tasks.completed()) {
			outcomes.addAll(job.allOutcomes(this.nextFollowUp));
			this.nextFollowUp += job.followUps().size();
		}
		beginRecovery(nanos);
		this.sequence++;
		this.sent = this.tasks.send();
		return outcomes;
	}

	/** Begins the call that gives the lease back: no task begins any more. */
	List<Outcome> beginRelease(long nanos) {
		List<Outcome> outcomes = beginCall(nanos);
		this.releasing = true;
		return outcomes;
	}

	public boolean isReleasing() {
		return this.releasing;
	}

	void beginRecovery(long nanos) {
		this.checkNeeded = false;
		this.calling = true;
		this.call++;
		this.calledAt = nanos;
	}

	/** Ends the call: its outcomes are applied. */
	public List<Completed> answered(int jobs, NextDue newNextDue, long nanos) {
		this.shard.answered(this.lease, this.sequence, nanos);
		callEnded();
		this.nextDue = newNextDue;
		this.busy += jobs - this.sent.size();
		List<Completed> applied = this.sent;
		this.tasks.applied(applied);
		this.sent = List.of();
		return applied;
	}

	private void callEnded() {
		this.calling = false;
		this.turns.ended();
	}

	/** Notes what is not known about the call. */
	public void uncertain(CallUncertainty reason) {
		callEnded();
		this.uncertainty = reason;
	}

	void unanswered() {
		callEnded();
		if (this.uncertainty == CallUncertainty.NONE) {
			this.uncertainty = CallUncertainty.UNANSWERED;
		}
	}

	/**
	 * Continues under a new lease: the uncertain call was not applied. What it was to
	 * send goes first with the next call, since follow-ups keep their order.
	 */
	void resume(Lease newLease, NextDue newNextDue, WaitingGroups groups) {
		callEnded();
		this.releasing = false;
		this.uncertainty = CallUncertainty.NONE;
		this.lease = newLease;
		this.sequence = 0;
		this.nextDue = newNextDue;
		this.shard.leased(this);
		needFetch(newNextDue.askedAt());
		this.tasks.notSent(this.sent);
		this.sent = List.of();
		this.turns.answered(groups, null, newNextDue.askedAt());
	}

	/** Notes that a failover may have forgotten the lease. */
	void needCheck() {
		this.checkNeeded = true;
	}

	/** Whether runs wait for a call that shows whether the lease is current. */
	public boolean isCheckNeeded() {
		return this.checkNeeded && this.tasks.runningTasks() > 0;
	}

	/** Notes that the store has said that the lease is no longer current. */
	public void fenced() {
		this.fenced = true;
	}

	boolean isFenced() {
		return this.fenced;
	}

	Set<Task> lose() {
		this.lost = true;
		this.turns.close();
		return this.tasks.lose();
	}

	/**
	 * Whether outcomes will be applied, as far as is known. Thread-safe, without a lock.
	 */
	public boolean isValid() {
		return !this.lost && this.session.isValid();
	}

	public NextDue nextDue() {
		return this.nextDue;
	}

	/** Whether a job may be due that {@link #nextDue()} doesn't know. */
	public boolean isFetchNeeded() {
		return this.fetchNeeded;
	}

	/** Notes that the shard waits for a thread to fetch for. */
	public void waits(long nanos) {
		if (!this.waiting) {
			this.waiting = true;
			this.waitingSince = nanos;
		}
	}

	/**
	 * Since when the shard has been waiting for a fetch, by the store's time in
	 * milliseconds since 1970: since its last job was due as far as the node knows, since
	 * a message has come, or since it has been able to fetch, whichever is first.
	 */
	public long waitingSince(long nanos) {
		long known = Math.min(this.nextDue.next(), this.nextDue.storeTime(this.waiting ? this.waitingSince : nanos));
		long since = this.fetchNeeded ? Math.min(known, this.nextDue.storeTime(this.fetchNeededSince)) : known;
		return Math.max(since, this.passedOn);
	}

	/**
	 * Another shard of the queue was served instead of this one, which now waits as long
	 * as that has, so that the queue has no more turns than its shards.
	 */
	public void passOn(HeldShard other, long nanos) {
		this.passedOn = Math.max(this.passedOn, other.waitingSince(nanos));
	}

	/** Notes that a job may be due that {@link #nextDue()} doesn't know. */
	public void needFetch(long nanos) {
		if (!this.fetchNeeded) {
			this.fetchNeeded = true;
			this.fetchNeededSince = nanos;
		}
	}

	public void fetching(int jobs) {
		this.fetchNeeded = false;
		this.waiting = false;
		this.passedOn = Long.MIN_VALUE;
		this.lastFetch = jobs;
	}

	/** Returns fetched jobs that have not begun for some time to the queue. */
	public void returnNotBegunFor(long patience, long nanos) {
		if (this.tasks.returnNotBegunFor(patience, nanos)) {
			this.lastFetch = 1;
		}
	}

	/** Returns jobs that were fetched, but may not begin, to the queue. */
	public void giveBack(List<FetchedJob> jobs, long nanos) {
		if (!jobs.isEmpty()) {
			this.fetchNotBefore = nanos + PAUSE;
			this.tasks.giveBack(jobs, nanos);
		}
	}

	/** In nanoseconds: not at once after some came that could not begin. */
	public long untilFetch(long nanos) {
		return this.fetchNotBefore - nanos;
	}

	public int lastFetch() {
		return this.lastFetch;
	}

}
