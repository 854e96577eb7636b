package io.lowkiq.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.Assignment;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;

/**
 * The sessions of the nodes. A session that has ended never lives again.
 */
final class MemoryNodeRegistry implements NodeRegistry {

	/** So many ended sessions are remembered. */
	private static final int MAX_ENDED = 1_000;

	private final InstantSource clock;

	private final MemoryWakeUps wakeUps;

	/** Guarded by this; the longest living first. */
	private final Map<String, Member> living = new LinkedHashMap<>();

	/** Guarded by this; the oldest first. */
	private final Set<String> ended = new LinkedHashSet<>();

	/** Guarded by this. */
	private Assignment assignment = Assignment.NONE;

	MemoryNodeRegistry(InstantSource clock, MemoryWakeUps wakeUps) {
		this.clock = clock;
		this.wakeUps = wakeUps;
	}

	@Override
	public Membership join(String session, Duration duration, NodeInfo info) {
		Membership membership = begin(session, duration, info);
		this.wakeUps.changed();
		return membership;
	}

	private synchronized Membership begin(String session, Duration duration, NodeInfo info) {
		long now = endExpired();
		if (this.ended.contains(session)) {
			return membership(false, now);
		}
		this.living.put(session, new Member(session, now + duration.toMillis(), info));
		return membership(true, now);
	}

	@Override
	public Membership beat(String session, Duration duration, NodeInfo info) {
		Membership membership = prolong(session, duration, info);
		if (membership.held()) {
			this.wakeUps.echo(session);
		}
		return membership;
	}

	private synchronized Membership prolong(String session, Duration duration, NodeInfo info) {
		long now = endExpired();
		Member member = this.living.computeIfPresent(session,
				(key, known) -> new Member(key, now + duration.toMillis(), info));
		return membership(member != null, now);
	}

	@Override
	public void leave(String session) {
		synchronized (this) {
			endExpired();
			if (this.living.remove(session) == null) {
				return;
			}
			end(session);
		}
		this.wakeUps.changed();
	}

	@Override
	public boolean assign(Assignment next) {
		synchronized (this) {
			if (next.version() != this.assignment.version() + 1) {
				return false;
			}
			this.assignment = next;
		}
		this.wakeUps.changed();
		return true;
	}

	@Override
	public synchronized Membership members() {
		return membership(false, endExpired());
	}

	private long endExpired() {
		long now = this.clock.millis();
		List<Member> expired = this.living.values().stream().filter((member) -> member.expiresAt() < now).toList();
		for (Member member : expired) {
			this.living.remove(member.session());
			end(member.session());
		}
		return now;
	}

	private void end(String session) {
		this.ended.add(session);
		if (this.ended.size() > MAX_ENDED) {
			Iterator<String> oldest = this.ended.iterator();
			oldest.next();
			oldest.remove();
		}
	}

	private Membership membership(boolean held, long now) {
		return new Membership(held, List.copyOf(this.living.values()), Set.copyOf(this.ended), this.assignment, now);
	}

}
