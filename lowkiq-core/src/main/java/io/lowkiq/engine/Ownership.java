package io.lowkiq.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.StoreException;

/**
 * Takes the leases of the shards that the node is to process. A shard of another session
 * is taken over when the registry says that this session has ended, or has not known it
 * for the duration of a lease. Used by the ownership thread only.
 */
final class Ownership {

	/** After so many failures of a round the store is left alone for a while. */
	private static final int MOST_FAILURES = 3;

	private final ServerParts parts;

	private final ServedShards shards;

	private final ShardWork work;

	private final Predicate<String> ownSession;

	private final Consumer<List<ShardSlot>> heldChanged;

	private final Sharing sharing;

	private Set<ShardSlot> published = Set.of();

	private long acquisitions;

	/** Where the next round begins. */
	private int first;

	private int rotation;

	/**
	 * Ownership.
	 * @param parts what the server was built with
	 * @param shards the shards that the node serves
	 * @param work gives up what was lost
	 * @param ownSession whether a session is an earlier one of this run
	 * @param heldChanged told which shards are held, in the order of the splitter, when
	 * that has changed
	 */
	Ownership(ServerParts parts, ServedShards shards, ShardWork work, Predicate<String> ownSession,
			Consumer<List<ShardSlot>> heldChanged) {
		this.parts = parts;
		this.shards = shards;
		this.work = work;
		this.ownSession = ownSession;
		this.heldChanged = heldChanged;
		this.sharing = new Sharing(parts, shards);
	}

	/**
	 * Acquires what can be acquired of the node's share, and gives back what isn't in it
	 * any more.
	 * @param session the node's session
	 * @param membership the sessions as last seen
	 * @throws StoreException if the store is out of reach; some shards may have been
	 * acquired, and the next call begins behind the one that wasn't
	 */
	void acquire(Session session, Membership membership) {
		List<StoreException> failures = new ArrayList<>();
		try {
			Assignment assignment = this.sharing.settle(session, membership);
			Set<ShardSlot> wanted = new HashSet<>(this.sharing.wanted(session, assignment));
			List<ShardSlot> all = this.shards.ordered();
			for (int i = 0; i < all.size() && session.isValid(); i++) {
				ShardSlot slot = all.get((this.first + i) % all.size());
				boolean unwanted = !wanted.contains(slot);
				slot.leaving(unwanted);
				if (!slot.isHeldUnder(session) && (!unwanted || slot.isAcquisitionUncertain())) {
					try {
						acquireIfUnclaimed(slot, session, membership);
					}
					catch (StoreException ex) {
						failures.add(ex);
						if (failures.size() == MOST_FAILURES) {
							break;
						}
					}
				}
				if (unwanted) {
					releaseIfUnclaimed(slot);
				}
			}
		}
		finally {
			publish(session);
		}
		if (!failures.isEmpty()) {
			throw failures.get(0);
		}
	}

	/** How many shards have been acquired, ever. */
	long acquisitions() {
		return this.acquisitions;
	}

	private void acquireIfUnclaimed(ShardSlot slot, Session session, Membership membership) {
		if (!slot.claim()) {
			return;
		}
		try {
			acquire(slot, session, membership);
		}
		catch (RuntimeException ex) {
			slot.acquisitionUncertain(true);
			// The next try begins behind this shard, whose part of the store may be away
			this.first = this.shards.ordered().indexOf(slot) + 1;
			throw ex;
		}
		finally {
			slot.unclaim();
			slot.signal();
		}
	}

	private void acquire(ShardSlot slot, Session session, Membership membership) {
		HeldShard lapsed = slot.lastHeld();
		if (lapsed != null) {
			if (lapsed.session() == session && session.isValid()) {
				return;
			}
			this.work.lose(slot, lapsed);
		}
		Claim claim = claim(slot, session, membership);
		for (int tries = 0; claim != null && tries < 2; tries++) {
			slot.maybeFree(false);
			String holder;
			try {
				holder = acquire(slot, session, claim);
			}
			catch (RuntimeException ex) {
				slot.maybeFree(true);
				throw ex;
			}
			if (holder == null) {
				return;
			}
			claim = claimFrom(slot, session, membership, holder);
		}
	}

	/**
	 * On what grounds the shard can be asked for.
	 * @return null if there are none
	 */
	private @Nullable Claim claim(ShardSlot slot, Session session, Membership membership) {
		String holder = slot.holder();
		if (holder != null) {
			Claim claim = claimFrom(slot, session, membership, holder);
			if (claim != null) {
				return claim;
			}
		}
		return slot.isMaybeFree() ? Claim.free(session.id()) : null;
	}

	private @Nullable Claim claimFrom(ShardSlot slot, Session session, Membership membership, String holder) {
		if (holder.equals(session.id())) {
			return Claim.free(session.id());
		}
		if (this.ownSession.test(holder)) {
			return Claim.lapsed(session.id(), holder);
		}
		if (membership.ended().contains(holder) || isUnknownForLong(slot, membership, holder)) {
			return Claim.crashed(session.id(), holder);
		}
		return null;
	}

	private boolean isUnknownForLong(ShardSlot slot, Membership membership, String holder) {
		if (membership.members().stream().map(Member::session).anyMatch(holder::equals)) {
			slot.knownHolder();
			return false;
		}
		long now = this.parts.nanoTime().getAsLong();
		return now - slot.unknownHolder(holder, now) >= this.parts.settings().leaseDuration().toNanos();
	}

	/** Asks for a shard; returns its holder, null if that is this session now. */
	private @Nullable String acquire(ShardSlot slot, Session session, Claim claim) {
		Acquisition answer = this.parts.store().acquire(slot.shard(), claim);
		slot.acquisitionUncertain(false);
		Instant now = this.parts.clock().instant();
		if (answer instanceof Acquisition.Held other) {
			slot.heldBy(other.session(), now);
			return other.session();
		}
		Acquisition.Acquired acquired = (Acquisition.Acquired) answer;
		if (acquired.restored() > 0) {
			this.parts.observer().restored(slot.queue().name(), acquired.restored());
		}
		slot.knownHolder();
		this.acquisitions++;
		slot.hold(new HeldShard(session, acquired.lease()),
				Agenda.of(acquired.next(), acquired.nextSuspect(), acquired.now(), this.parts.nanoTime().getAsLong()),
				now);
		return null;
	}

	/**
	 * Has one shard after the other looked at, whatever messages say: the last safety net
	 * for one that got lost on a connection that seemed well, and for a call that took a
	 * shard long after this node had given it up.
	 */
	void rotate() {
		List<ShardSlot> ordered = this.shards.ordered();
		if (!ordered.isEmpty()) {
			ShardSlot slot = ordered.get(this.rotation++ % ordered.size());
			slot.maybeFree(true);
			slot.acquisitionUncertain(slot.held() == null);
			slot.wake();
		}
	}

	/** Has all shards that others hold asked for. */
	void allMaybeFree() {
		this.shards.ordered().forEach((slot) -> slot.maybeFree(true));
	}

	/**
	 * Gives back all shards that no thread works on.
	 * @return whether none is held any more
	 */
	boolean releaseAll() {
		boolean none = true;
		for (ShardSlot slot : this.shards.ordered()) {
			none &= releaseIfUnclaimed(slot);
		}
		return none;
	}

	/** Returns whether the shard is not held any more. */
	private boolean releaseIfUnclaimed(ShardSlot slot) {
		HeldShard held = slot.held();
		if (held == null || held.isAbandoned()) {
			return true;
		}
		if (!slot.claim()) {
			return false;
		}
		try {
			return release(slot);
		}
		finally {
			slot.unclaim();
		}
	}

	private boolean release(ShardSlot slot) {
		HeldShard held = slot.lastHeld();
		if (held == null || held.backOffLeft(this.parts.nanoTime().getAsLong()) > 0) {
			return held == null;
		}
		this.work.release(slot, held);
		return slot.lastHeld() == null;
	}

	private void publish(Session session) {
		Set<ShardSlot> held = new LinkedHashSet<>();
		this.shards.ordered().stream().filter((slot) -> slot.isHeldUnder(session)).forEach(held::add);
		if (!held.equals(this.published)) {
			this.heldChanged.accept(List.copyOf(held));
			this.published = held;
		}
	}

}
