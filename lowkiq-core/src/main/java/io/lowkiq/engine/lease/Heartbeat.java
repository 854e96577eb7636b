package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.function.Supplier;

import io.lowkiq.engine.runtime.Backoff;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Loop;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the node's session, or begins a new one when it has lapsed. */
final class Heartbeat {

	private static final Logger logger = LoggerFactory.getLogger(Heartbeat.class);

	/**
	 * How many heartbeats are sent per lease. The lease counts from the last but one, so
	 * an outage of three fifths of it ends no session.
	 */
	private static final int BEATS_PER_LEASE = 5;

	private final NodeRegistry nodes;

	private final Duration leaseDuration;

	private final EngineRuntime runtime;

	private final Supplier<NodeInfo> info;

	private final StoreAvailability availability;

	private final Listener listener;

	private final Loop loop;

	private final Backoff backoff = new Backoff();

	/** The part of the id that all sessions of this run share. */
	private final String family;

	/** Written by this thread, read by all. */
	private volatile @Nullable Session session;

	/** When the last answered heartbeat was sent, or the join. Used by this thread. */
	private long lastSent;

	private int sessions;

	/** Called on the thread of the heartbeat. */
	interface Listener {

		/** A session is about to begin. */
		void joining();

		/** Others know of the session. */
		void joined();

		/** A session has begun; nothing is held under it yet. */
		void began(Session session, Membership membership);

		/** A heartbeat is about to be sent. */
		void beating();

		/** A heartbeat was answered. */
		void beat(Session session, Membership membership);

		/** The session has ended, or its time has run out. */
		void lapsed(Session session);

	}

	Heartbeat(NodeRegistry nodes, String family, Duration leaseDuration, EngineRuntime runtime, Supplier<NodeInfo> info,
			StoreAvailability availability, Listener listener) {
		this.nodes = nodes;
		this.family = family;
		this.leaseDuration = leaseDuration;
		this.runtime = runtime;
		this.loop = new Loop("lowkiq-heartbeat", runtime, this::beatOrJoin);
		this.info = info;
		this.availability = availability;
		this.listener = listener;
	}

	@Nullable Session session() {
		return this.session;
	}

	void beatNow() {
		this.loop.signal();
	}

	/** The loop, whose end is not the end of the session. */
	Loop loop() {
		return this.loop;
	}

	/** Returns how long to wait until the next heartbeat, in nanoseconds. */
	private long beatOrJoin() {
		long interval = this.leaseDuration.toNanos() / BEATS_PER_LEASE;
		try {
			Session current = this.session;
			if (current != null && !beat(current) && !this.loop.isEnded()) {
				this.session = null;
				this.listener.lapsed(current);
			}
			if (this.session == null && !this.loop.isEnded()) {
				join();
			}
			this.availability.succeeded(this);
			this.backoff.reset();
			return interval;
		}
		catch (RuntimeException ex) {
			if (!this.loop.isEnded()) {
				this.availability.failed(this, ex);
			}
			Session current = this.session;
			if (current != null && !current.isValid()) {
				// Nothing is performed under it any more while the store can't be reached
				this.session = null;
				this.listener.lapsed(current);
			}
			return Math.min(this.backoff.next(this.runtime.random()), interval);
		}
	}

	private boolean beat(Session current) {
		if (!current.isValid()) {
			return false;
		}
		this.listener.beating();
		long sent = this.runtime.nanoTime();
		Membership membership = this.nodes.beat(current.id(), this.info.get());
		// A failover may forget the heartbeat that was just answered, but not the one
		// before
		if (!membership.held() || !current.renew(this.lastSent + this.leaseDuration.toNanos())) {
			return false;
		}
		this.lastSent = sent;
		this.listener.beat(current, membership);
		return true;
	}

	private void join() {
		this.listener.joining();
		String id = Session.id(this.family, ++this.sessions);
		long sent = this.runtime.nanoTime();
		Membership membership = this.nodes.join(id, this.info.get());
		try {
			this.listener.joined();
		}
		catch (RuntimeException ex) {
			this.nodes.leave(id);
			throw ex;
		}
		if (this.loop.isEnded()) {
			// The server was stopped meanwhile
			this.nodes.leave(id);
			return;
		}
		this.lastSent = sent;
		Session begun = new Session(id, sent + this.leaseDuration.toNanos(), this.runtime::nanoTime);
		logger.debug("Session {} has begun", id);
		this.session = begun;
		this.listener.began(begun, membership);
	}

}
