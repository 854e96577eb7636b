package io.lowkiq.memory;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.lowkiq.store.Assignment;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of the nodes. A session that has ended never lives again.
 */
final class MemoryNodeRegistry implements NodeRegistry {

	/** The number of ended sessions that are remembered. */
	private static final int MAX_ENDED = 1_000;

	/**
	 * What a heartbeat did.
	 *
	 * @param before the session before it; null if it has ended
	 * @param after the sessions after it
	 */
	private record Beat(@Nullable Member before, Membership after) {
	}

	/** The number of ended sessions that are described to people. */
	private static final int MAX_DESCRIBED = 20;

	private final MemoryWakeUps wakeUps;

	private final InstantSource clock;

	/** Guards all fields below. */
	private final ReentrantLock lock = new ReentrantLock();

	/** The one that joined first in front. */
	private final Map<String, Member> living = new LinkedHashMap<>();

	/** When the last heartbeat of a living session was counted. */
	private final Map<String, Long> seen = new HashMap<>();

	/** Whether they crashed; the one that ended first in front. */
	private final Map<String, Boolean> ended = new LinkedHashMap<>();

	/** The one that ended first in front. */
	private final List<EndedNode> past = new ArrayList<>();

	private final Map<String, String> reports = new HashMap<>();

	private Assignment assignment = Assignment.NONE;

	MemoryNodeRegistry(MemoryWakeUps wakeUps, InstantSource clock) {
		this.clock = clock;
		this.wakeUps = wakeUps;
	}

	private <T extends @Nullable Object> T locked(Supplier<T> step) {
		this.lock.lock();
		try {
			return step.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Makes a step, and notifies all nodes if it changed something.
	 * @param step answers whether it did
	 * @return whether it did
	 */
	private boolean change(Supplier<Boolean> step) {
		boolean changed = locked(step);
		if (changed) {
			this.wakeUps.changed();
		}
		return changed;
	}

	@Override
	public Membership join(String session, NodeInfo info) {
		Membership membership = locked(() -> {
			if (!this.ended.containsKey(session)) {
				this.living.merge(session, new Member(session, 0, info),
						(known, first) -> new Member(session, known.beats(), info));
			}
			return membership(session);
		});
		if (membership.held()) {
			this.wakeUps.changed();
		}
		return membership;
	}

	@Override
	public Membership beat(String session, NodeInfo info) {
		Beat beat = locked(() -> {
			Member before = this.living.get(session);
			if (before != null) {
				this.living.put(session, new Member(session, before.beats() + 1, info));
				this.seen.put(session, now());
			}
			return new Beat(before, membership(session));
		});
		if (beat.before() != null) {
			this.wakeUps.echo(session);
			if (!beat.before().info().equals(info)) {
				this.wakeUps.changed();
			}
		}
		return beat.after();
	}

	@Override
	public Membership members() {
		return locked(
				() -> new Membership(false, List.copyOf(this.living.values()), this.ended, this.assignment.version()));
	}

	private Membership membership(String session) {
		return new Membership(this.living.containsKey(session), List.copyOf(this.living.values()), this.ended,
				this.assignment.version());
	}

	@Override
	public boolean end(String session, long beats) {
		change(() -> {
			Member member = this.living.get(session);
			return member != null && member.beats() == beats
					&& end(member, this.seen.getOrDefault(session, now()), !member.info().stopping());
		});
		return locked(() -> this.ended.containsKey(session));
	}

	@Override
	public void leave(String session) {
		change(() -> {
			Member member = this.living.get(session);
			return member != null && end(member, now(), false);
		});
	}

	private boolean end(Member member, long at, boolean crashed) {
		this.living.remove(member.session());
		this.reports.remove(member.session());
		this.seen.remove(member.session());
		this.past.add(new EndedNode(member.session(), member.info(), at, crashed));
		if (this.past.size() > MAX_DESCRIBED) {
			this.past.remove(0);
		}
		this.ended.put(member.session(), crashed);
		if (this.ended.size() > MAX_ENDED) {
			this.ended.remove(this.ended.keySet().iterator().next());
		}
		return true;
	}

	@Override
	public boolean assign(Assignment next) {
		return change(() -> {
			boolean isNext = next.version() == this.assignment.version() + 1;
			if (isNext) {
				this.assignment = next;
			}
			return isNext;
		});
	}

	@Override
	public Assignment assignment() {
		return locked(() -> this.assignment);
	}

	@Override
	public AssignedShards assignedTo(String session) {
		Assignment current = assignment();
		return new AssignedShards(current.version(), current.of(session));
	}

	@Override
	public void report(String session, String status) {
		locked(() -> this.living.containsKey(session) ? this.reports.put(session, status) : null);
	}

	@Override
	public Map<String, String> reports() {
		return locked(() -> Map.copyOf(this.reports));
	}

	@Override
	public List<EndedNode> endedNodes() {
		return locked(() -> List.copyOf(this.past));
	}

	@Override
	public long now() {
		return this.clock.millis();
	}

}
