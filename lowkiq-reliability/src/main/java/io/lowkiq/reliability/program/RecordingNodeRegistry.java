package io.lowkiq.reliability.program;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;

/**
 * Writes down until when a node's sessions surely last, and says when the first has
 * begun. Thread-safe.
 */
final class RecordingNodeRegistry implements NodeRegistry {

	private final NodeRegistry registry;

	private final HistoryWriter history;

	private final Runnable ready;

	private final AtomicBoolean begun = new AtomicBoolean();

	RecordingNodeRegistry(NodeRegistry registry, HistoryWriter history, Runnable ready) {
		this.registry = registry;
		this.history = history;
		this.ready = ready;
	}

	@Override
	public Membership join(String session, NodeInfo info) {
		long sent = System.nanoTime();
		return answered(session, sent, info, this.registry.join(session, info));
	}

	@Override
	public Membership beat(String session, NodeInfo info) {
		long sent = System.nanoTime();
		return answered(session, sent, info, this.registry.beat(session, info));
	}

	@Override
	public Membership members() {
		return this.registry.members();
	}

	@Override
	public boolean end(String session, long beats) {
		return this.registry.end(session, beats);
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

	private Membership answered(String session, long sent, NodeInfo info, Membership membership) {
		if (membership.held()) {
			this.history.write(new Event.SessionHeld(sent, session, info.leaseDuration().toNanos()));
			if (this.begun.compareAndSet(false, true)) {
				this.ready.run();
			}
		}
		return membership;
	}

}
