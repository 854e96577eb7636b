package io.lowkiq.engine;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.engine.perform.Completed;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires the leases of the shards that this node is to hold, acquires them again after
 * a lost answer, and releases those that another node is to hold. All shards are asked
 * for at the same time, so one that gets no answer delays no other. Used with the
 * {@link StateLock} only; the answers of the store take it.
 */
final class Leases {

	private static final Logger logger = LoggerFactory.getLogger(Leases.class);

	private final StateLock lock;

	private final ShardStore store;

	private final Lifecycle lifecycle;

	private final StoreAvailability watch;

	private final LowkiqObserver observer;

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	private final long leaseDuration;

	private final Predicate<String> ownSession;

	private final ShardAttendant attendant;

	/** Given a shard in which follow-ups wait. */
	private final Consumer<ServedShard> followUps;

	private @Nullable Session session;

	private Membership membership = new Membership(false, List.of(), Map.of(), 0);

	Leases(StateLock lock, ShardStore store, Lifecycle lifecycle, StoreAvailability watch, LowkiqObserver observer,
			InstantSource clock, LongSupplier nanoTime, ServerSettings settings, Predicate<String> ownSession,
			ShardAttendant attendant, Consumer<ServedShard> followUps) {
		this.lock = lock;
		this.store = store;
		this.lifecycle = lifecycle;
		this.watch = watch;
		this.observer = observer;
		this.clock = clock;
		this.nanoTime = nanoTime;
		this.leaseDuration = settings.leaseDuration().toNanos();
		this.ownSession = ownSession;
		this.attendant = attendant;
		this.followUps = followUps;
	}

	/**
	 * The sessions have been seen. All shards must be attended to afterwards.
	 * @param current the node's session
	 * @param seen the sessions
	 */
	void seen(Session current, Membership seen) {
		this.session = current;
		this.membership = seen;
	}

	/**
	 * Does what is due for the lease of a shard.
	 * @return how long until something will be, in nanoseconds
	 */
	long attend(ServedShard shard) {
		long nanos = this.nanoTime.getAsLong();
		HeldShard held = shard.held();
		if (held != null && !held.session().isValid()) {
			shard.notHeld(this.clock.instant(), false);
			held = null;
		}
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
		else if (held.doubt() != HeldShard.Doubt.NONE) {
			recover(held);
		}
		else if ((!shard.isWanted() || this.lifecycle.isQuiet()) && !shard.isPerforming()) {
			release(held);
		}
		return Long.MAX_VALUE;
	}

	/**
	 * A call without any answer for the duration of a lease is taken for one whose answer
	 * was lost. All shards are checked more often than that.
	 */
	private void giveUpWaiting(ServedShard shard, @Nullable HeldShard held, long nanos) {
		ServedShard.Attempt attempt = shard.attempt();
		if (attempt != null && nanos - attempt.since() >= this.leaseDuration) {
			unanswered(shard, null);
		}
		else if (attempt != null && attempt.session() != this.session) {
			shard.maybeHeld();
		}
		if (held != null && held.isCalling() && held.calledFor(nanos) >= this.leaseDuration) {
			unanswered(held, null);
		}
	}

	/** A call about a shard that is held was not answered. */
	void unanswered(HeldShard held, @Nullable Throwable problem) {
		held.unanswered();
		backOff(held.shard(), problem);
	}

	/** The shard may be held without this node knowing. */
	private void unanswered(ServedShard shard, @Nullable Throwable problem) {
		shard.maybeHeld();
		backOff(shard, problem);
	}

	private void backOff(ServedShard shard, @Nullable Throwable problem) {
		shard.backOff(this.nanoTime.getAsLong());
		this.watch.failed(shard, (problem != null) ? problem : new StoreException("The store gave no answer", null));
	}

	private void answered(ServedShard shard) {
		shard.answered();
		this.watch.succeeded(shard);
	}

	/** The store says that the lease is another one: nothing is sent under it (I6). */
	void fenced(HeldShard held) {
		ServedShard shard = held.shard();
		int running = held.runningTasks();
		shard.notHeld(this.clock.instant(), false);
		this.lock.afterwards(() -> {
			logger.warn(
					"Lost the lease of shard {}; {} performs are still running, and their jobs will be performed again",
					shard.shard(), running);
			this.observer.fenced(shard.queue().name());
		});
	}

	private void acquire(ServedShard shard, long nanos) {
		Session current = this.session;
		if (this.lifecycle.isQuiet() || (!shard.isWanted() && !shard.isAcquisitionUncertain())) {
			this.watch.forget(shard);
			return;
		}
		if (current == null || !current.isValid()) {
			return;
		}
		LeaseRequest claim = claim(shard, current);
		if (claim == null) {
			this.watch.forget(shard);
			return;
		}
		shard.maybeFree(false);
		ServedShard.Attempt attempt = new ServedShard.Attempt(current, nanos);
		shard.attempt(attempt);
		LeaseRequest complete = claim.with(shard.queue().gathering()).after(shard.lastEpoch());
		this.lock.call(() -> this.store.acquire(shard.shard(), complete), (answer, problem) -> {
			if (attempt.equals(shard.attempt())) {
				shard.attempt(null);
				acquired(shard, current, answer, problem);
			}
			this.attendant.attend(shard);
		});
	}

	/** On what grounds the shard can be asked for; null if there are none. */
	private @Nullable LeaseRequest claim(ServedShard shard, Session current) {
		String holder = shard.holder();
		if (holder != null) {
			LeaseRequest claim = claimFrom(shard, current, holder);
			if (claim != null) {
				return claim;
			}
		}
		return shard.isMaybeFree() ? LeaseRequest.forFreeShard(current.id()) : null;
	}

	private @Nullable LeaseRequest claimFrom(ServedShard shard, Session current, String holder) {
		if (holder.equals(current.id())) {
			return LeaseRequest.forFreeShard(current.id());
		}
		if (this.ownSession.test(holder)) {
			return LeaseRequest.afterLapse(current.id(), holder);
		}
		Boolean crashed = this.membership.ended().get(holder);
		if (crashed == null && isUnknownForLong(shard, holder)) {
			crashed = true;
		}
		if (crashed == null) {
			return null;
		}
		return crashed ? LeaseRequest.afterCrash(current.id(), holder) : LeaseRequest.afterLapse(current.id(), holder);
	}

	private boolean isUnknownForLong(ServedShard shard, String holder) {
		boolean known = this.membership.members().stream().map(Member::session).anyMatch(holder::equals);
		if (known) {
			shard.knownHolder();
			return false;
		}
		return shard.unknownFor(holder, this.nanoTime.getAsLong()) >= this.leaseDuration;
	}

	private void acquired(ServedShard shard, Session current, @Nullable Acquisition answer,
			@Nullable Throwable problem) {
		if (answer == null) {
			unanswered(shard, problem);
			return;
		}
		answered(shard);
		if (answer instanceof Acquisition.Acquired acquired && current.isValid()) {
			shard.hold(heldShard(shard, current, acquired), this.clock.instant());
			restored(shard, acquired.restored());
		}
		else {
			shard.heldBy((answer instanceof Acquisition.Held other) ? other.session() : current.id(),
					this.clock.instant());
		}
		shard.acquisitionUncertain(false);
	}

	private HeldShard heldShard(ServedShard shard, Session current, Acquisition.Acquired acquired) {
		wakeFollowUps(shard, acquired);
		return new HeldShard(shard, current, acquired.lease(), agenda(acquired), acquired.lastFollowUp());
	}

	private void wakeFollowUps(ServedShard shard, Acquisition.Acquired acquired) {
		if (acquired.lastFollowUp() > 0) {
			this.lock.afterwards(() -> this.followUps.accept(shard));
		}
	}

	private NextDue agenda(Acquisition.Acquired acquired) {
		return NextDue.of(acquired.next(), acquired.nextSuspect(), acquired.now(), this.nanoTime.getAsLong());
	}

	/**
	 * After a lost answer, takes the lease again with a higher epoch, so that the lost
	 * call can't be applied any more, and learns whether it was. If that can't be known,
	 * all that was under way is put back in the store.
	 */
	private void recover(HeldShard held) {
		ServedShard shard = held.shard();
		long uncertain = (held.doubt() == HeldShard.Doubt.UNANSWERED) ? held.sequence() : 0;
		LeaseRequest claim = LeaseRequest.toRenew(held.lease(), uncertain).with(shard.queue().gathering());
		held.beginRecovery(this.nanoTime.getAsLong());
		long call = held.call();
		this.lock.call(() -> this.store.acquire(shard.shard(), claim), (answer, problem) -> {
			if (shard.held() == held && held.isCalling(call)) {
				recovered(held, answer, problem);
			}
			this.attendant.attend(shard);
		});
	}

	/**
	 * An unanswered claim may be applied late: it gives the shard another epoch than the
	 * next one names.
	 */
	private void recovered(HeldShard held, @Nullable Acquisition answer, @Nullable Throwable problem) {
		ServedShard shard = held.shard();
		if (answer == null) {
			unanswered(held, problem);
			return;
		}
		answered(shard);
		if (answer instanceof Acquisition.Acquired acquired && acquired.kept()) {
			held.goOn(acquired.lease(), agenda(acquired));
			wakeFollowUps(shard, acquired);
		}
		else if (answer instanceof Acquisition.Acquired acquired) {
			shard.restart(heldShard(shard, held.session(), acquired));
			restored(shard, acquired.restored());
		}
		else {
			fenced(held);
		}
	}

	/** Gives the lease back with all that was not sent yet. */
	private void release(HeldShard held) {
		ServedShard shard = held.shard();
		List<Outcome> outcomes = held.beginRelease(this.nanoTime.getAsLong());
		Lease lease = held.lease();
		long sequence = held.sequence();
		long call = held.call();
		this.lock.call(() -> this.store.release(lease, sequence, outcomes), (current, problem) -> {
			if (shard.held() == held && held.isCalling(call)) {
				released(held, current, problem);
			}
			this.attendant.attend(shard);
		});
	}

	private void released(HeldShard held, @Nullable Boolean current, @Nullable Throwable problem) {
		ServedShard shard = held.shard();
		if (current == null) {
			unanswered(held, problem);
			return;
		}
		answered(shard);
		List<Completed> applied = held.answered(0, held.agenda());
		int buried = applied.stream().mapToInt(Completed::buried).sum();
		shard.notHeld(this.clock.instant(), true);
		if (current && buried > 0) {
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
