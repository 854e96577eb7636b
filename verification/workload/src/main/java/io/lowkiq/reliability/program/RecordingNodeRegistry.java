package io.lowkiq.reliability.program;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Forgotten;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Writes down until when a node's sessions surely last, and says when the first has
 * begun. Thread-safe.
 */
final class RecordingNodeRegistry implements NodeRegistry {

	private final NodeRegistry registry;

	private final EventLog history;

	private final Surroundings surroundings;

	private final Runnable ready;

	private final Map<String, Known> known = new ConcurrentHashMap<>();

	private final AtomicBoolean begun = new AtomicBoolean();

	/**
	 * The session as the node knows it.
	 *
	 * @param lastSent when the last answered heartbeat was sent, or the join
	 * @param until when the session ends without another answer
	 */
	private record Known(long lastSent, long until) {
	}

	RecordingNodeRegistry(NodeRegistry registry, EventLog history, Surroundings surroundings, Runnable ready) {
		this.registry = registry;
		this.history = history;
		this.surroundings = surroundings;
		this.ready = ready;
	}

	@Override
	public Membership join(String session, NodeInfo info) {
		long sent = this.surroundings.nanoTime();
		return answered(session, sent, info, this.registry.join(session, info));
	}

	@Override
	public Membership beat(String session, NodeInfo info) {
		long sent = this.surroundings.nanoTime();
		return answered(session, sent, info, this.registry.beat(session, info));
	}

	@Override
	public Membership members() {
		return this.registry.members();
	}

	@Override
	public boolean end(String session, long beats, boolean crashed) {
		return this.registry.end(session, beats, crashed);
	}

	@Override
	public void leave(String session) {
		this.registry.leave(session);
	}

	@Override
	public boolean assign(Assignment assignment) {
		return this.registry.assign(assignment);
	}

	@Override
	public Assignment assignment() {
		return this.registry.assignment();
	}

	@Override
	public AssignedShards assignedTo(String session) {
		return this.registry.assignedTo(session);
	}

	@Override
	public void report(String session, String status) {
		this.registry.report(session, status);
	}

	@Override
	public Map<String, String> reports() {
		return this.registry.reports();
	}

	@Override
	public Map<String, String> lastReports(Collection<String> sessions) {
		return this.registry.lastReports(sessions);
	}

	@Override
	public List<EndedNode> endedNodes() {
		return this.registry.endedNodes();
	}

	@Override
	public boolean recordForgotten(Forgotten forgotten, @Nullable Forgotten known) {
		return this.registry.recordForgotten(forgotten, known);
	}

	@Override
	public boolean acknowledge(Forgotten forgotten) {
		return this.registry.acknowledge(forgotten);
	}

	@Override
	public List<Forgotten> forgotten() {
		return this.registry.forgotten();
	}

	@Override
	public long now() {
		return this.registry.now();
	}

	/** An answer that comes when the session has run out is too late. */
	private Membership answered(String session, long sent, NodeInfo info, Membership membership) {
		long lease = info.leaseDuration().toNanos();
		Known before = this.known.get(session);
		if (membership.held() && (before == null || this.surroundings.nanoTime() - before.until() < 0)) {
			long from = (before != null) ? before.lastSent() : sent;
			this.known.put(session, new Known(sent, from + lease));
			this.history.write(new Event.SessionHeld(from, session, lease));
			if (this.begun.compareAndSet(false, true)) {
				this.ready.run();
			}
		}
		return membership;
	}

}
