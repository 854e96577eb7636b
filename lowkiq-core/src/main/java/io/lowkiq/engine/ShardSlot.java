package io.lowkiq.engine;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.lowkiq.engine.ShardScheduler.Candidate;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Shard;
import io.lowkiq.store.FetchResult;

/**
 * A shard that this node serves, over all its sessions and starts. Whoever fetches from
 * it, acquires or releases it has its claim, so one thread at a time does, and none
 * fetches while a perform from an earlier lease still runs in this JVM (I1).
 */
final class ShardSlot {

	private final Shard shard;

	private final ServedQueue queue;

	/** Taken by compare-and-set, given back by the thread that took it. */
	private final AtomicBoolean claimed = new AtomicBoolean();

	/** Written by the thread with the claim, read by all. */
	private volatile @Nullable HeldShard held;

	/** Written by the thread with the claim, read by all. */
	private volatile Agenda agenda = Agenda.of(FetchResult.NOTHING, FetchResult.NOTHING, 0, 0);

	/**
	 * Whether the store is to be asked whatever the agenda says. Set by anybody, cleared
	 * by the thread with the claim before it asks, so that a message that overtakes the
	 * answer is not lost.
	 */
	private volatile boolean dirty;

	/**
	 * What was handed over and not yet looked at. Set by the connection's thread, which
	 * sets {@link #dirty} after it; taken by the thread with the claim, which clears that
	 * before.
	 */
	private final AtomicReference<@Nullable HandOver> handOver = new AtomicReference<>();

	/** Where the threads wait that take this shard. Written by the ownership thread. */
	private volatile List<Waiter> waiters = List.of();

	/** Since when it is held, or not held by anybody alive. Written as {@link #held}. */
	private volatile Instant since;

	/** The session that held the shard when last asked. Written as {@link #held}. */
	private volatile @Nullable String holder;

	/** Whether acquiring may have become possible. Set by anybody, cleared as dirty. */
	private volatile boolean maybeFree = true;

	/**
	 * Whether the shard is to be given back because another node is to have it. Written
	 * by the ownership thread, read by all.
	 */
	private volatile boolean leaving;

	/**
	 * Whether the session may hold the shard without knowing, because the answer of the
	 * last try to acquire was lost, or an earlier try is applied late. Written and read
	 * by the ownership thread only.
	 */
	private boolean acquisitionUncertain;

	/** Written and read by the ownership thread only. */
	private @Nullable UnknownHolder unknownHolder;

	private record UnknownHolder(String session, long since) {
	}

	ShardSlot(Shard shard, ServedQueue queue, Instant since) {
		this.shard = shard;
		this.queue = queue;
		this.since = since;
	}

	Shard shard() {
		return this.shard;
	}

	ServedQueue queue() {
		return this.queue;
	}

	boolean claim() {
		return this.claimed.compareAndSet(false, true);
	}

	void unclaim() {
		this.claimed.set(false);
	}

	boolean isClaimed() {
		return this.claimed.get();
	}

	/** What is held, if the session under which it is held can be relied on. */
	@Nullable HeldShard held() {
		HeldShard current = this.held;
		return (current != null && current.session().isValid()) ? current : null;
	}

	/** What is held, or was held until its session ended; with the claim only. */
	@Nullable HeldShard lastHeld() {
		return this.held;
	}

	boolean isHeldUnder(Session session) {
		HeldShard current = held();
		return current != null && current.session() == session;
	}

	/** The lease was given; with the claim only. */
	void hold(HeldShard newlyHeld, Agenda newAgenda, Instant at) {
		this.agenda = newAgenda;
		this.dirty = true;
		this.holder = newlyHeld.session().id();
		this.since = at;
		this.held = newlyHeld;
	}

	/** The lease was lost; with the claim only. */
	void lost(Instant at) {
		this.held = null;
		this.since = at;
		this.maybeFree = true;
	}

	/** The lease was given back; with the claim only. */
	void released(Instant at) {
		lost(at);
		this.holder = null;
	}

	/** Another session holds the shard; with the claim only. */
	void heldBy(String session, Instant at) {
		if (!session.equals(this.holder)) {
			this.holder = session;
			this.since = at;
		}
	}

	void agenda(Agenda newAgenda) {
		this.agenda = newAgenda;
	}

	Agenda agenda() {
		return this.agenda;
	}

	/** The store is to be asked at once. */
	void wake() {
		this.dirty = true;
		signal();
	}

	/** A job was handed over; any that was before is void by now. */
	void handOver(HandOver given) {
		this.handOver.set(given);
		wake();
	}

	/** Takes what was handed over; with the claim only. */
	@Nullable HandOver takeHandOver() {
		return this.handOver.getAndSet(null);
	}

	/** The next call asks; with the claim only. */
	void asking() {
		this.dirty = false;
	}

	void signal() {
		this.waiters.forEach(Waiter::signal);
	}

	/** Signals all but the thread that calls. */
	void signalOthers(Waiter own) {
		for (Waiter waiter : this.waiters) {
			if (waiter != own) {
				waiter.signal();
			}
		}
	}

	void waiters(List<Waiter> newWaiters) {
		this.waiters = newWaiters;
	}

	/**
	 * How long until a thread should take the shard, whoever has the claim.
	 * @param nanos the time by the monotonic clock
	 * @param suspectsFree whether a suspect could be performed
	 * @param pollInterval how often to ask in any case, in nanoseconds
	 * @return the time in nanoseconds; 0 or less if the shard is due, the largest number
	 * if it is not held
	 */
	long nanosUntilDue(long nanos, boolean suspectsFree, long pollInterval) {
		HeldShard current = held();
		if (current == null || current.isAbandoned()) {
			return Long.MAX_VALUE;
		}
		long backOff = current.backOffLeft(nanos);
		if (backOff > 0) {
			return backOff;
		}
		if (this.dirty || current.isUncertain()) {
			return 0;
		}
		Agenda latest = this.agenda;
		long left = Math.min(latest.dueAt() - nanos, pollInterval - (nanos - latest.askedAt()));
		return suspectsFree ? Math.min(left, latest.suspectAt() - nanos) : left;
	}

	/** The shard as the scheduler sees it while it is due. */
	Candidate candidate(long nanos) {
		Agenda current = this.agenda;
		return new Candidate(this.shard, Math.min(current.next(), current.storeTime(nanos)));
	}

	boolean isLeaving() {
		return this.leaving;
	}

	void leaving(boolean leave) {
		this.leaving = leave;
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

	@Nullable String holder() {
		return this.holder;
	}

	/** Since when the registry has not known the holder. */
	long unknownHolder(String session, long nanos) {
		UnknownHolder before = this.unknownHolder;
		if (before == null || !before.session().equals(session)) {
			before = new UnknownHolder(session, nanos);
			this.unknownHolder = before;
		}
		return before.since();
	}

	void knownHolder() {
		this.unknownHolder = null;
	}

	ServerStatus.ShardStatus status() {
		HeldShard current = held();
		return new ServerStatus.ShardStatus(this.shard, current != null, this.holder,
				(current != null) ? current.lease().epoch() : 0, this.since);
	}

}
