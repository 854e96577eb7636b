package io.lowkiq.engine;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NodeRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that keeps the node's session, and begins a new one when it has lapsed. It
 * does nothing else, so that nothing delays a heartbeat.
 */
final class Heartbeat implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Heartbeat.class);

	/**
	 * How many heartbeats are sent per lease. The lease counts from the last but one, so
	 * an outage of three fifths of it ends no session.
	 */
	private static final int BEATS_PER_LEASE = 5;

	/** How long to wait after an unexpected error. */
	private static final long PAUSE = Duration.ofMillis(100).toNanos();

	private final NodeRegistry nodes;

	private final Duration leaseDuration;

	private final LongSupplier nanoTime;

	private final Supplier<NodeInfo> info;

	private final StoreAvailability watch;

	private final Listener listener;

	private final Waiter waiter = new Waiter();

	private final Backoff backoff = new Backoff();

	/** What all sessions of this run have in common. */
	private final String family = UUID.randomUUID().toString().replace("-", "");

	/** Written by this thread, read by all. */
	private volatile @Nullable Session session;

	/** Written by whoever stops the server, read by this thread. */
	private volatile boolean ended;

	/** When the last answered heartbeat of the session was sent, or its join. */
	private long lastSent;

	private int sessions;

	/** Called on the thread of the heartbeat. */
	interface Listener {

		/** A session is about to begin. */
		void joining();

		/**
		 * Others know of the session. A queue that was removed before they did is
		 * recorded again.
		 */
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

	Heartbeat(NodeRegistry nodes, Duration leaseDuration, LongSupplier nanoTime, Supplier<NodeInfo> info,
			StoreAvailability watch, Listener listener) {
		this.nodes = nodes;
		this.leaseDuration = leaseDuration;
		this.nanoTime = nanoTime;
		this.info = info;
		this.watch = watch;
		this.listener = listener;
	}

	@Nullable Session session() {
		return this.session;
	}

	/** Whether a session is an earlier one of this run. */
	boolean isOwn(String other) {
		return Session.family(other).equals(this.family);
	}

	/** Has the next heartbeat sent at once. */
	void beatNow() {
		this.waiter.signal();
	}

	/** Ends the loop, not the session. */
	void end() {
		this.ended = true;
		this.waiter.signal();
	}

	@Override
	public void run() {
		while (!this.ended) {
			long wait = PAUSE;
			try {
				wait = beatOrJoin();
			}
			catch (Throwable ex) {
				Unexpected.log("in the heartbeat", ex);
			}
			this.waiter.awaitOrInterrupt(wait, TimeUnit.NANOSECONDS);
		}
	}

	/** Returns how long to wait until the next heartbeat, in nanoseconds. */
	private long beatOrJoin() {
		long interval = this.leaseDuration.toNanos() / BEATS_PER_LEASE;
		try {
			Session current = this.session;
			if (current != null && !beat(current) && !this.ended) {
				this.session = null;
				this.listener.lapsed(current);
			}
			if (this.session == null && !this.ended) {
				join();
			}
			this.watch.succeeded(this);
			this.backoff.reset();
			return interval;
		}
		catch (RuntimeException ex) {
			if (!this.ended) {
				this.watch.failed(this, ex);
			}
			Session current = this.session;
			if (current != null && !current.isValid()) {
				// Nothing is performed under it any more while the store can't be reached
				this.session = null;
				this.listener.lapsed(current);
			}
			return Math.min(this.backoff.next(), interval);
		}
	}

	private boolean beat(Session current) {
		if (!current.isValid()) {
			return false;
		}
		this.listener.beating();
		long sent = this.nanoTime.getAsLong();
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
		long sent = this.nanoTime.getAsLong();
		Membership membership = this.nodes.join(id, this.info.get());
		try {
			this.listener.joined();
		}
		catch (RuntimeException ex) {
			this.nodes.leave(id);
			throw ex;
		}
		if (this.ended) {
			// The server was stopped meanwhile
			this.nodes.leave(id);
			return;
		}
		this.lastSent = sent;
		Session begun = new Session(id, sent + this.leaseDuration.toNanos(), this.nanoTime);
		logger.info("Session {} has begun", id);
		this.session = begun;
		this.listener.began(begun, membership);
	}

}
