package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.SessionWatch;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop that watches the other nodes: ends the sessions of those that have died, and
 * hands on which shards this node is to have. Separate from the heartbeat, which nothing
 * may delay.
 */
final class MembershipThread implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(MembershipThread.class);

	/** The longest wait between two looks at what is known. */
	private static final long LONGEST_WAIT = Duration.ofMillis(2_500).toNanos();

	/** How long to wait after an unexpected error. */
	private static final long PAUSE = Duration.ofMillis(100).toNanos();

	/** Messages are followed by one reading for all that arrive within this time. */
	private static final long READING_INTERVAL = Duration.ofMillis(50).toNanos();

	private final NodeRegistry nodes;

	private final Assigner assigner;

	private final SessionWatch sessions = new SessionWatch();

	private final Supplier<@Nullable Session> session;

	private final StoreAvailability watch;

	private final LongSupplier nanoTime;

	private final Listener listener;

	private final BooleanSupplier ended;

	private final Waiter waiter = new Waiter();

	private final Backoff backoff = new Backoff();

	/** Written by the heartbeat and by this thread, read by this thread. */
	private final AtomicReference<@Nullable Membership> seen = new AtomicReference<>();

	/** Written by listeners, read and cleared by this thread. */
	private volatile boolean changed;

	private long readAt;

	/** Called on this thread. */
	interface Listener {

		/**
		 * The shards of this node are known.
		 * @param session the node's session
		 * @param membership the sessions
		 * @param assigned the shards that the assignment gives this node
		 */
		void assigned(Session session, Membership membership, Set<Shard> assigned);

		/** The present session's time has run out. */
		void lapsed(Session session);

		/** Called from time to time. */
		void rotate();

	}

	MembershipThread(NodeRegistry nodes, Assigner assigner, Supplier<@Nullable Session> session,
			StoreAvailability watch, LongSupplier nanoTime, Listener listener, BooleanSupplier ended) {
		this.nodes = nodes;
		this.assigner = assigner;
		this.session = session;
		this.watch = watch;
		this.nanoTime = nanoTime;
		this.listener = listener;
		this.ended = ended;
		this.readAt = nanoTime.getAsLong();
	}

	/** The sessions have been read. */
	void seen(Membership membership) {
		this.seen.set(membership);
		this.waiter.signal();
	}

	/** The sessions, or the assignment, have changed. */
	void changed() {
		this.changed = true;
		this.waiter.signal();
	}

	/** Something else has changed. */
	void signal() {
		this.waiter.signal();
	}

	@Override
	public void run() {
		while (!this.ended.getAsBoolean()) {
			long wait = PAUSE;
			try {
				wait = look();
			}
			catch (Throwable ex) {
				Unexpected.log("while watching the nodes", ex);
			}
			this.waiter.awaitOrInterrupt(wait, TimeUnit.NANOSECONDS);
		}
	}

	/** Returns how long to wait before the next look, in nanoseconds. */
	private long look() {
		Session current = this.session.get();
		Membership membership = this.seen.get();
		if (current == null || membership == null) {
			return LONGEST_WAIT;
		}
		if (!current.isValid()) {
			this.listener.lapsed(current);
			return LONGEST_WAIT;
		}
		try {
			return look(current, membership);
		}
		catch (StoreException ex) {
			this.watch.failed(this, ex);
			return Math.min(this.backoff.next(), Math.max(1, current.nanosLeft()));
		}
	}

	private long look(Session current, Membership known) {
		Membership membership = known;
		long nanos = this.nanoTime.getAsLong();
		this.sessions.seen(membership.members(), current.id(), nanos);
		long untilReading = READING_INTERVAL - (nanos - this.readAt);
		if ((this.changed && untilReading <= 0) || !this.sessions.dead(nanos).isEmpty()) {
			this.changed = false;
			membership = read(current);
			if (endDead(membership, current)) {
				membership = read(current);
			}
		}
		this.listener.assigned(current, membership, this.assigner.assigned(current, membership));
		this.listener.rotate();
		this.watch.succeeded(this);
		this.backoff.reset();
		long wait = Math.min(LONGEST_WAIT, this.sessions.nanosUntilDeath(this.nanoTime.getAsLong()));
		wait = this.changed ? Math.min(wait, untilReading) : wait;
		return Math.max(1, Math.min(wait, current.nanosLeft()));
	}

	private Membership read(Session current) {
		Membership membership = this.nodes.members();
		this.seen.set(membership);
		this.readAt = this.nanoTime.getAsLong();
		this.sessions.seen(membership.members(), current.id(), this.readAt);
		return membership;
	}

	/** Returns whether a session has ended. */
	private boolean endDead(Membership membership, Session current) {
		List<Member> dead = this.sessions.dead(this.readAt)
			.stream()
			.filter((member) -> membership.members().contains(member))
			.toList();
		boolean ended = false;
		for (Member member : dead) {
			if (current.isValid() && this.nodes.end(member.session(), member.beats())) {
				logger.warn("Node {} has died: session {} sent no heartbeat for {}", member.info().node(),
						member.session(), member.info().leaseDuration());
				ended = true;
			}
		}
		return ended;
	}

}
