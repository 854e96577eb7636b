package io.lowkiq.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.store.Membership;
import io.lowkiq.store.StoreException;

/**
 * The loop that takes leases while the server runs, and gives them back when it doesn't
 * any more. Separate from the heartbeat, which nothing may delay.
 */
final class OwnershipThread implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(OwnershipThread.class);

	/** How often one shard is looked at whatever messages say. */
	private static final long ROTATION = Duration.ofSeconds(30).toNanos();

	/** The longest wait between two looks at what this node itself knows. */
	private static final long LONGEST_WAIT = Duration.ofMillis(2_500).toNanos();

	/** A session is looked at so long after its end, to be sure to find it ended. */
	private static final long END_MARGIN = Duration.ofMillis(5).toNanos();

	private final Lifecycle lifecycle;

	private final Ownership ownership;

	private final StoreWatch watch;

	private final Sessions sessions;

	private final BooleanSupplier threadsEnded;

	private final Consumer<Throwable> failed;

	private final ServerParts parts;

	private final Waiter waiter = new Waiter();

	private final Backoff backoff = new Backoff();

	/** Written by the heartbeat and by this thread, read by this thread. */
	private final AtomicReference<@Nullable Seen> membership = new AtomicReference<>();

	/** Written by listeners, read and cleared by this thread. */
	private volatile boolean look;

	private long rotatedAt;

	/** The sessions, and when they were seen by the monotonic clock. */
	private record Seen(Membership membership, long at) {
	}

	/** What the thread asks of the node's sessions. */
	interface Sessions {

		/** Begins to keep a session. */
		void begin();

		/** The present session. */
		@Nullable Session current();

		/** The present session's time has run out. */
		void lapsed(Session session);

		/** Leaves the registry, when nothing is held any more. */
		void leave(boolean orderly);

	}

	OwnershipThread(ServerParts parts, Lifecycle lifecycle, Ownership ownership, StoreWatch watch, Sessions sessions,
			BooleanSupplier threadsEnded, Consumer<Throwable> failed) {
		this.parts = parts;
		this.lifecycle = lifecycle;
		this.ownership = ownership;
		this.watch = watch;
		this.sessions = sessions;
		this.threadsEnded = threadsEnded;
		this.failed = failed;
	}

	/** Something may be to do. */
	void signal() {
		this.waiter.signal();
	}

	/** The sessions have been seen. */
	void seen(Membership seen) {
		this.membership.set(new Seen(seen, this.parts.nanoTime().getAsLong()));
		this.waiter.signal();
	}

	/** It is time to look at free shards and at the registry. */
	void look() {
		this.look = true;
		this.waiter.signal();
	}

	@Override
	public void run() {
		try {
			this.sessions.begin();
			this.rotatedAt = this.parts.nanoTime().getAsLong();
			while (!this.lifecycle.isQuiet()) {
				this.waiter.awaitOrInterrupt(own(), TimeUnit.NANOSECONDS);
			}
		}
		catch (Throwable ex) {
			this.failed.accept(ex);
		}
		giveBack();
	}

	/** Returns how long to wait before the next round, in nanoseconds. */
	private long own() {
		Session session = this.sessions.current();
		Seen seen = this.membership.get();
		if (session == null || seen == null) {
			return LONGEST_WAIT;
		}
		if (!session.isValid()) {
			this.sessions.lapsed(session);
			return LONGEST_WAIT;
		}
		long before = this.ownership.acquisitions();
		try {
			if (this.look || nanosUntilEndOfAnother(session, seen) <= 0) {
				this.look = false;
				seen = new Seen(this.parts.nodes().members(), this.parts.nanoTime().getAsLong());
				this.membership.set(seen);
			}
			this.ownership.acquire(session, seen.membership());
			this.backoff.reset();
		}
		catch (RuntimeException ex) {
			if (ex instanceof StoreException) {
				this.watch.failed(this, ex);
			}
			else {
				logger.error("Unexpected exception while shards were acquired and dealt out; trying again", ex);
			}
			if (this.ownership.acquisitions() != before) {
				this.backoff.reset();
			}
			return Math.min(this.backoff.next(), Math.max(1, session.nanosLeft()));
		}
		this.watch.succeeded(this);
		long nanos = this.parts.nanoTime().getAsLong();
		if (nanos - this.rotatedAt >= ROTATION) {
			this.rotatedAt = nanos;
			this.ownership.rotate();
		}
		long wait = Math.min(LONGEST_WAIT, nanosUntilEndOfAnother(session, seen));
		return Math.max(1, Math.min(wait, session.nanosLeft()));
	}

	/**
	 * How long until a session of another node ends, if it isn't prolonged, so that its
	 * shards are taken over at once (I7). Living nodes prolong theirs long before.
	 */
	private long nanosUntilEndOfAnother(Session session, Seen seen) {
		long now = seen.membership().now();
		long left = seen.membership()
			.members()
			.stream()
			.filter((member) -> !member.session().equals(session.id()))
			.mapToLong((member) -> member.expiresAt() - now)
			.min()
			.orElse(TimeUnit.DAYS.toMillis(1));
		return TimeUnit.MILLISECONDS.toNanos(left) + END_MARGIN - (this.parts.nanoTime().getAsLong() - seen.at());
	}

	/**
	 * Gives back what no thread works on, until no thread runs and nothing is held, or
	 * the time for that is over.
	 */
	private void giveBack() {
		boolean released = this.ownership.releaseAll();
		while (!(this.threadsEnded.getAsBoolean() && released) && !this.lifecycle.isAborted()) {
			this.waiter.awaitOrInterrupt(released ? LONGEST_WAIT : this.backoff.next(), TimeUnit.NANOSECONDS);
			released = this.ownership.releaseAll();
		}
		this.sessions.leave(this.threadsEnded.getAsBoolean());
	}

}
