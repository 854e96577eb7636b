package io.lowkiq.reliability.program;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.EventLog;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;
import org.jspecify.annotations.Nullable;

/**
 * Writes down until when a node's sessions surely last, and says when the first has
 * begun. Thread-safe.
 */
final class RecordingNodeRegistry {

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

	private RecordingNodeRegistry(EventLog history, Surroundings surroundings, Runnable ready) {
		this.history = history;
		this.surroundings = surroundings;
		this.ready = ready;
	}

	static NodeRegistry of(NodeRegistry registry, EventLog history, Surroundings surroundings, Runnable ready) {
		return Intercepted.of(NodeRegistry.class, registry,
				new RecordingNodeRegistry(history, surroundings, ready)::answer);
	}

	private @Nullable Object answer(String method, Intercepted.Call call) throws Throwable {
		if (!method.equals("join") && !method.equals("beat")) {
			return call.make();
		}
		long sent = this.surroundings.nanoTime();
		Membership membership = (Membership) Objects.requireNonNull(call.make());
		return answered((String) call.argument(0), sent, (NodeInfo) call.argument(1), membership);
	}

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
