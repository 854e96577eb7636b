package io.lowkiq.engine;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.ShardStore;
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

	private final StoreWatch watch;

	private final LowkiqObserver observer;

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	private final long leaseDuration;

	private final Predicate<String> ownSession;

	private final ShardAttendant attendant;

	private @Nullable Session session;

	private Membership membership = new Membership(false, List.of(), Map.of(), 0);

	Leases(StateLock lock, ShardStore store, Lifecycle lifecycle, StoreWatch watch, LowkiqObserver observer,
			InstantSource clock, LongSupplier nanoTime, ServerSettings settings, Predicate<String> ownSession,
			ShardAttendant attendant) {
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
	}

	/**
	 * The sessions have been seen. All shards are to be attended to afterwards.
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
		HeldShard held = shard.held();
		if (held != null && !held.session().isValid()) {
			lost(shard, held);
			held = null;
		}
		if (shard.isAcquiring() || (held != null && held.isCalling())) {
			return Long.MAX_VALUE;
		}
		long backOff = shard.backOffLeft(this.nanoTime.getAsLong());
		if (backOff > 0) {
			return backOff;
		}
		if (held == null) {
			return acquire(shard);
		}
		if (held.doubt() != HeldShard.Doubt.NONE) {
			recover(held);
		}
		else if ((!shard.isWanted() || this.lifecycle.isQuiet()) && held.runningTasks() == 0) {
			release(held);
		}
		return Long.MAX_VALUE;
	}

	/** The lease of a shard is lost: nothing of it is sent any more (I6). */
	void lost(ServedShard shard, HeldShard held) {
		logger.warn("The lease of shard {} is lost; {} running performs go on, and their jobs come again",
				shard.shard(), held.runningTasks());
		shard.notHeld(this.clock.instant(), false);
	}

	private long acquire(ServedShard shard) {
		Session current = this.session;
		if (this.lifecycle.isQuiet() || (!shard.isWanted() && !shard.isAcquisitionUncertain())) {
			this.lock.afterwards(() -> this.watch.forget(shard));
			return Long.MAX_VALUE;
		}
		if (current == null || !current.isValid()) {
			return Long.MAX_VALUE;
		}
		Claim claim = claim(shard, current);
		if (claim == null) {
			return Long.MAX_VALUE;
		}
		shard.maybeFree(false);
		shard.acquiring(true);
		this.lock.call(() -> this.store.acquire(shard.shard(), claim), (answer, problem) -> {
			shard.acquiring(false);
			acquired(shard, current, answer, problem);
			this.attendant.attend(shard);
		});
		return Long.MAX_VALUE;
	}

	/** On what grounds the shard can be asked for; null if there are none. */
	private @Nullable Claim claim(ServedShard shard, Session current) {
		String holder = shard.holder();
		if (holder != null) {
			Claim claim = claimFrom(shard, current, holder);
			if (claim != null) {
				return claim;
			}
		}
		return shard.isMaybeFree() ? Claim.free(current.id()) : null;
	}

	private @Nullable Claim claimFrom(ServedShard shard, Session current, String holder) {
		if (holder.equals(current.id())) {
			return Claim.free(current.id());
		}
		if (this.ownSession.test(holder)) {
			return Claim.lapsed(current.id(), holder);
		}
		Boolean crashed = this.membership.ended().get(holder);
		if (crashed == null && isUnknownForLong(shard, holder)) {
			crashed = true;
		}
		if (crashed == null) {
			return null;
		}
		return crashed ? Claim.crashed(current.id(), holder) : Claim.lapsed(current.id(), holder);
	}

	private boolean isUnknownForLong(ServedShard shard, String holder) {
		boolean known = this.membership.members().stream().map(Member::session).anyMatch(holder::equals);
		return !known && shard.unknownFor(holder, this.nanoTime.getAsLong()) >= this.leaseDuration;
	}

	private void acquired(ServedShard shard, Session current, @Nullable Acquisition answer,
			@Nullable Throwable problem) {
		if (answer == null) {
			shard.maybeFree(true);
			shard.acquisitionUncertain(true);
			unanswered(shard, problem);
			return;
		}
		answered(shard);
		shard.acquisitionUncertain(false);
		if (answer instanceof Acquisition.Held other) {
			shard.heldBy(other.session(), this.clock.instant());
			return;
		}
		Acquisition.Acquired acquired = (Acquisition.Acquired) answer;
		restored(shard, acquired.restored());
		if (current.isValid()) {
			shard.hold(new HeldShard(shard, current, acquired.lease(), agenda(acquired)), this.clock.instant());
		}
		else {
			shard.heldBy(current.id(), this.clock.instant());
		}
	}

	private Agenda agenda(Acquisition.Acquired acquired) {
		return Agenda.of(acquired.next(), acquired.nextSuspect(), acquired.now(), this.nanoTime.getAsLong());
	}

	/**
	 * After a lost answer, takes the lease again with a higher epoch, so that the lost
	 * call can't be applied any more, and learns whether it was. If that can't be told,
	 * all that was under way is put back in the store.
	 */
	private void recover(HeldShard held) {
		ServedShard shard = held.shard();
		long uncertain = (held.doubt() == HeldShard.Doubt.UNANSWERED) ? held.sequence() : 0;
		Claim claim = Claim.again(held.lease(), uncertain);
		held.beginRecovery();
		this.lock.call(() -> this.store.acquire(shard.shard(), claim), (answer, problem) -> {
			if (shard.held() == held) {
				recovered(held, answer, problem);
			}
			this.attendant.attend(shard);
		});
	}

	private void recovered(HeldShard held, @Nullable Acquisition answer, @Nullable Throwable problem) {
		ServedShard shard = held.shard();
		if (answer == null) {
			// A claim that is applied late gives the shard another epoch than the next
			// one names
			held.recoveryFailed();
			unanswered(shard, problem);
			return;
		}
		answered(shard);
		if (answer instanceof Acquisition.Acquired acquired && acquired.kept()) {
			held.goOn(acquired.lease(), agenda(acquired));
		}
		else if (answer instanceof Acquisition.Acquired acquired) {
			restored(shard, acquired.restored());
			shard.restart(new HeldShard(shard, held.session(), acquired.lease(), agenda(acquired)));
		}
		else {
			this.lock.afterwards(() -> this.observer.fenced(shard.queue().name()));
			lost(shard, held);
		}
	}

	/** Gives the lease back with all that was not sent yet. */
	private void release(HeldShard held) {
		ServedShard shard = held.shard();
		List<Outcome> outcomes = held.beginCall();
		Lease lease = held.lease();
		long sequence = held.sequence();
		this.lock.call(() -> this.store.release(lease, sequence, outcomes), (current, problem) -> {
			if (shard.held() == held) {
				released(held, current, problem);
			}
			this.attendant.attend(shard);
		});
	}

	private void released(HeldShard held, @Nullable Boolean current, @Nullable Throwable problem) {
		ServedShard shard = held.shard();
		if (current == null) {
			held.doubt(HeldShard.Doubt.UNANSWERED);
			unanswered(shard, problem);
			return;
		}
		answered(shard);
		int buried = held.answered(List.of(), held.agenda()).stream().mapToInt((job) -> job.buried()).sum();
		if (current && buried > 0) {
			this.lock.afterwards(() -> this.observer.buried(shard.queue().name(), buried));
		}
		shard.notHeld(this.clock.instant(), true);
	}

	private void unanswered(ServedShard shard, @Nullable Throwable problem) {
		shard.backOff(this.nanoTime.getAsLong());
		Throwable reason = (problem != null) ? problem : new IllegalStateException("The store gave no answer");
		this.lock.afterwards(() -> this.watch.failed(shard, reason));
	}

	private void answered(ServedShard shard) {
		shard.answered();
		this.lock.afterwards(() -> this.watch.succeeded(shard));
	}

	private void restored(ServedShard shard, int jobs) {
		if (jobs > 0) {
			this.lock.afterwards(() -> this.observer.restored(shard.queue().name(), jobs));
		}
	}

}
