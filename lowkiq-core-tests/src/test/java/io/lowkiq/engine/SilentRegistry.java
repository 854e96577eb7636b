package io.lowkiq.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.store.EndedNode;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Forgotten;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * A registry that a node can be cut off from, and that counts its heartbeats and reports.
 */
class SilentRegistry implements NodeRegistry {

	private final NodeRegistry registry;

	/** Whether the node is cut off. */
	private final AtomicBoolean cut;

	/** Written by the thread that beats. */
	final AtomicInteger beats = new AtomicInteger();

	/** Written by the thread that reports. */
	final AtomicInteger reports = new AtomicInteger();

	/** The heartbeats and reports that have begun and not ended. */
	final AtomicInteger underWay = new AtomicInteger();

	SilentRegistry(NodeRegistry registry, AtomicBoolean cut) {
		this.registry = registry;
		this.cut = cut;
	}

	private NodeRegistry reachable() {
		if (this.cut.get()) {
			throw new StoreException("Cut off", null);
		}
		return this.registry;
	}

	@Override
	public Membership join(String session, NodeInfo info) {
		return reachable().join(session, info);
	}

	@Override
	public Membership beat(String session, NodeInfo info) {
		this.underWay.incrementAndGet();
		try {
			Membership membership = reachable().beat(session, info);
			this.beats.incrementAndGet();
			return membership;
		}
		finally {
			this.underWay.decrementAndGet();
		}
	}

	@Override
	public Membership members() {
		return reachable().members();
	}

	@Override
	public boolean end(String session, long beats, boolean crashed) {
		return reachable().end(session, beats, crashed);
	}

	@Override
	public void leave(String session) {
		reachable().leave(session);
	}

	@Override
	public boolean assign(Assignment assignment) {
		return reachable().assign(assignment);
	}

	@Override
	public Assignment assignment() {
		return reachable().assignment();
	}

	@Override
	public AssignedShards assignedTo(String session) {
		return reachable().assignedTo(session);
	}

	@Override
	public void report(String session, String status) {
		this.underWay.incrementAndGet();
		try {
			reachable().report(session, status);
			this.reports.incrementAndGet();
		}
		finally {
			this.underWay.decrementAndGet();
		}
	}

	@Override
	public Map<String, String> reports() {
		return reachable().reports();
	}

	@Override
	public Map<String, String> lastReports(Collection<String> sessions) {
		return reachable().lastReports(sessions);
	}

	@Override
	public List<EndedNode> endedNodes() {
		return reachable().endedNodes();
	}

	@Override
	public boolean recordForgotten(Forgotten forgotten, @Nullable Forgotten known) {
		return reachable().recordForgotten(forgotten, known);
	}

	@Override
	public boolean acknowledge(Forgotten forgotten) {
		return reachable().acknowledge(forgotten);
	}

	@Override
	public List<Forgotten> forgotten() {
		return reachable().forgotten();
	}

	@Override
	public long now() {
		return reachable().now();
	}

}
