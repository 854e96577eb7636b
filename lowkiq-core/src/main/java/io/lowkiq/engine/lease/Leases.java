package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.engine.perform.Task;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the shards that this node is to hold, recovers a lease after a lost answer,
 * and gives it back. Guarded by the {@link StateLock}.
 */
public final class Leases {

	private static final Logger logger = LoggerFactory.getLogger(Leases.class);

	private final StateLock lock;

	private final ShardStore store;

	private final ShardCalls calls;

	/** Whether the node gives its shards back. */
	private final BooleanSupplier quiet;

	private final LowkiqObserver observer;

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	private final long leaseDuration;

	private final String family;

	private final ForgottenCalls forgottenCalls;

	private final Consumer<ServedShard> followUps;

	/** Notified of runs whose outcomes will not be applied. */
	private final Consumer<Set<Task>> orphaned;

	private @Nullable Session session;

	private Membership membership = new Membership(false, List.of(), Map.of(), 0);

	public Leases(StateLock lock, ShardStore store, ShardCalls calls, BooleanSupplier quiet, LowkiqObserver observer,
			InstantSource clock, LongSupplier nanoTime, Duration leaseDuration, String family,
			ForgottenCalls forgottenCalls, Consumer<ServedShard> followUps, Consumer<Set<Task>> orphaned) {
		this.lock = lock;
		this.store = store;
		this.calls = calls;
		this.quiet = quiet;
		this.observer = observer;
		this.clock = clock;
		this.nanoTime = nanoTime;
		this.leaseDuration = leaseDuration.toNanos();
		this.family = family;
		this.forgottenCalls = forgottenCalls;
		this.followUps = followUps;
		this.orphaned = orphaned;
	}

	/** Remembers the sessions. */
	public void seen(Session current, Membership seen) {
		this.session = current;
		this.membership = seen;
	}

	/**
	 * Does what is due for the lease of a shard. Returns the nanoseconds until more is.
	 */
	public long process(ServedShard shard) {
		long nanos = this.nanoTime.getAsLong();
		HeldShard held = stillHeld(shard);
		giveUpWaiting(shard, held, nanos);
		if (shard.isAcquiring() || (held != null && held.isCalling())) {
			return Long.MAX_VALUE;
		}
		long backOff = shard.backOffLeft(nanos);
		if (backOff > 0) {
			return backOff;
		}
		if (held == null) {
			acquire(shard, nanos);
		}
		else if (held.uncertainty() != CallUncertainty.NONE) {
			recover(held);
		}
		else if ((!shard.isWanted() || this.quiet.getAsBoolean()) && !shard.isPerforming()) {
			release(held);
		}
		return Long.MAX_VALUE;
	}

	/** Drops a lease that was lost. Under it, nothing is sent any more (I6). */
	private @Nullable HeldShard stillHeld(ServedShard shard) {
		HeldShard held = shard.held();
		if (held == null || (!held.isFenced() && held.session().isValid())) {
			return held;
		}
		Set<Task> runs = shard.notHeld(this.clock.instant(), false);
		orphaned(runs);
		if (held.isFenced()) {
			this.lock.afterwards(() -> {
				logger.warn(
						"Lost the lease of shard {}; {} runs have not ended, and their jobs will be performed again",
						shard.shard(), runs.size());
				this.observer.fenced(shard.queue().name());
			});
		}
		return null;
	}

	private void orphaned(Set<Task> runs) {
		if (!runs.isEmpty()) {
			this.lock.afterwards(() -> this.orphaned.accept(runs));
		}
	}

	private void giveUpWaiting(ServedShard shard, @Nullable HeldShard held, long nanos) {
		ServedShard.Attempt attempt = shard.attempt();
		if (attempt != null && nanos - attempt.since() >= this.leaseDuration) {
			this.calls.attemptUnanswered(shard, null);
		}
		else if (attempt != null && attempt.session() != this.session) {
			shard.attemptUnanswered();
		}
		if (held != null && held.isCalling() && held.calledFor(nanos) >= this.leaseDuration) {
			this.calls.callUnanswered(held, null);
		}
	}

	private void acquire(ServedShard shard, long nanos) {
		Session current = this.session;
		if (this.quiet.getAsBoolean() || (!shard.isWanted() && !shard.isAcquisitionUncertain())) {
			this.calls.forget(shard);
			return;
		}
		if (current == null || !current.isValid()) {
			return;
		}
		LeaseRequest grounds = request(shard, current);
		if (grounds == null) {
			this.calls.forget(shard);
			return;
		}
		shard.maybeFree(false);
		ServedShard.Attempt attempt = new ServedShard.Attempt(current, nanos);
		shard.attempt(attempt);
		LeaseRequest request = grounds.with(shard.queue().gathering()).after(shard.lastEpoch());
		this.calls.acquire(shard, attempt, () -> this.store.acquire(shard.shard(), request),
				(answer) -> acquired(shard, current, answer));
	}

	/** The request for a shard; null if there are no grounds for one. */
	private @Nullable LeaseRequest request(ServedShard shard, Session current) {
		if (!shard.isWanted()) {
			return LeaseRequest.ifHeld(current.id());
		}
		String holder = shard.holder();
		LeaseRequest request = (holder != null) ? requestFrom(shard, current, holder) : null;
		if (request == null && shard.isMaybeFree()) {
			return LeaseRequest.forFreeShard(current.id());
		}
		return request;
	}

	private @Nullable LeaseRequest requestFrom(ServedShard shard, Session current, String holder) {
		if (holder.equals(current.id())) {
			return LeaseRequest.forFreeShard(current.id());
		}
		if (this.family.equals(Session.family(holder))) {
			return LeaseRequest.afterLapse(current.id(), holder);
		}
		Boolean crashed = this.membership.ended().get(holder);
		if (crashed == null && isUnknownForLong(shard, holder)) {
			// The registry has forgotten it, and with it whether it crashed
			crashed = this.membership.members()
				.stream()
				.noneMatch((member) -> Session.family(member.session()).equals(Session.family(holder)));
		}
		if (crashed == null) {
			return null;
		}
		return crashed ? LeaseRequest.afterCrash(current.id(), holder) : LeaseRequest.afterLapse(current.id(), holder);
	}

	private boolean isUnknownForLong(ServedShard shard, String holder) {
		boolean known = this.membership.members().stream().map(Member::session).anyMatch(holder::equals);
		return shard.unknownFor(holder, known, this.nanoTime.getAsLong()) >= this.leaseDuration;
	}

	private void acquired(ServedShard shard, Session current, Acquisition answer) {
		checkCalls(shard, answer);
		if (answer instanceof Acquisition.Acquired acquired && current.isValid()) {
			shard.hold(heldShard(shard, current, acquired), this.clock.instant());
			restored(shard, acquired.restored());
		}
		else if (answer instanceof Acquisition.Free) {
			shard.free();
		}
		else {
			shard.heldBy((answer instanceof Acquisition.Held other) ? other.session() : current.id(),
					this.clock.instant());
		}
		shard.acquisitionUncertain(false);
	}

	private void checkCalls(ServedShard shard, Acquisition answer) {
		if (answer instanceof Acquisition.Acquired acquired) {
			this.forgottenCalls.check(shard, acquired.before());
		}
	}

	private HeldShard heldShard(ServedShard shard, Session current, Acquisition.Acquired acquired) {
		wakeFollowUps(shard, acquired);
		return new HeldShard(shard, current, acquired.lease(), nextDue(acquired), acquired.lastFollowUp(),
				acquired.groups());
	}

	private void wakeFollowUps(ServedShard shard, Acquisition.Acquired acquired) {
		if (acquired.lastFollowUp() != 0) {
			this.lock.afterwards(() -> this.followUps.accept(shard));
		}
	}

	private NextDue nextDue(Acquisition.Acquired acquired) {
		return NextDue.of(acquired.next(), acquired.nextSuspect(), acquired.now(), this.nanoTime.getAsLong());
	}

	/**
	 * After a lost answer, takes the lease again with a higher epoch, which fences the
	 * lost call off, and learns whether that was applied. If this can't be known, the
	 * store restores all busy jobs.
	 */
	private void recover(HeldShard held) {
		ServedShard shard = held.shard();
		long uncertain = (held.uncertainty() == CallUncertainty.UNANSWERED) ? held.sequence() : 0;
		LeaseRequest request = LeaseRequest.toRenew(held.lease(), uncertain).with(shard.queue().gathering());
		held.beginRecovery(this.nanoTime.getAsLong());
		this.calls.make(held, () -> this.store.acquire(shard.shard(), request), (answer) -> recovered(held, answer));
	}

	/**
	 * An unanswered request may be applied late, and give another epoch than is named.
	 */
	private void recovered(HeldShard held, Acquisition answer) {
		ServedShard shard = held.shard();
		checkCalls(shard, answer);
		if (answer instanceof Acquisition.Acquired acquired && acquired.kept()) {
			held.resume(acquired.lease(), nextDue(acquired), acquired.groups());
			wakeFollowUps(shard, acquired);
		}
		else if (answer instanceof Acquisition.Acquired acquired) {
			HeldShard again = heldShard(shard, held.session(), acquired);
			again.continues(held);
			orphaned(shard.restart(again));
			restored(shard, acquired.restored());
		}
		else {
			held.fenced();
		}
	}

	/** Gives the lease back with all outcomes that were not sent yet. */
	private void release(HeldShard held) {
		List<Outcome> outcomes = held.beginRelease(this.nanoTime.getAsLong());
		Lease lease = held.lease();
		long sequence = held.sequence();
		this.calls.make(held, () -> this.store.release(lease, sequence, outcomes),
				(current) -> released(held, current));
	}

	private void released(HeldShard held, boolean current) {
		ServedShard shard = held.shard();
		List<Completed> applied = current ? held.answered(0, held.nextDue(), this.nanoTime.getAsLong()) : List.of();
		int buried = applied.stream().mapToInt(Completed::buried).sum();
		shard.notHeld(this.clock.instant(), true);
		if (buried > 0) {
			String queue = shard.queue().name();
			this.lock.afterwards(() -> this.observer.buried(queue, buried));
			this.lock.afterwards(() -> applied.forEach((job) -> job.report(this.observer, queue)));
		}
	}

	private void restored(ServedShard shard, int jobs) {
		if (jobs > 0) {
			this.lock.afterwards(() -> this.observer.restored(shard.queue().name(), jobs));
		}
	}

}
