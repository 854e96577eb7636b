package io.lowkiq.reliability.program;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;

/**
 * Writes down until when a node's sessions surely last, and tells when the first has
 * begun. Thread-safe.
 */
final class RecordingNodeRegistry implements NodeRegistry {

	private final NodeRegistry registry;

	private final HistoryWriter history;

	private final Runnable ready;

	private final AtomicBoolean told = new AtomicBoolean();

	RecordingNodeRegistry(NodeRegistry registry, HistoryWriter history, Runnable ready) {
		this.registry = registry;
		this.history = history;
		this.ready = ready;
	}

	@Override
	public Membership join(String session, Duration duration, NodeInfo info) {
		long sent = System.nanoTime();
		return answered(session, sent, duration, this.registry.join(session, duration, info));
	}

	@Override
	public Membership beat(String session, Duration duration, NodeInfo info) {
		long sent = System.nanoTime();
		return answered(session, sent, duration, this.registry.beat(session, duration, info));
	}

	@Override
	public void leave(String session) {
		this.registry.leave(session);
	}

	@Override
	public Membership members() {
		return this.registry.members();
	}

	@Override
	public boolean assign(Assignment assignment) {
		return this.registry.assign(assignment);
	}

	private Membership answered(String session, long sent, Duration duration, Membership membership) {
		if (membership.held()) {
			this.history.write(new Event.SessionHeld(sent, session, duration.toNanos()));
			if (this.told.compareAndSet(false, true)) {
				this.ready.run();
			}
		}
		return membership;
	}

}
