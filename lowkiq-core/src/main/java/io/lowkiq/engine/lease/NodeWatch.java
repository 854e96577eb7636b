package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.engine.runtime.Backoff;
import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Loop;
import io.lowkiq.internal.DurationText;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.store.node.SessionWatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends the sessions of dead nodes, and passes on which shards this node is to have. */
final class NodeWatch {

	private static final Logger logger = LoggerFactory.getLogger(NodeWatch.class);

	private static final long MAX_WAIT = Duration.ofMillis(2_500).toNanos();

	/** All messages that arrive within this time are followed by one reading. */
	private static final long READING_INTERVAL = Duration.ofMillis(50).toNanos();

	private final NodeRegistry nodes;

	private final Assigner assigner;

	private final Runnable beforeShards;

	private final SessionWatch sessions = new SessionWatch();

	private final Supplier<@Nullable Session> session;

	private final StoreAvailability availability;

	private final EngineRuntime runtime;

	private final Loop loop;

	private final ClusterMembership.Listener listener;

	/** Notified of a session whose time has run out. */
	private final Consumer<Session> lapsed;

	/** Further work for the session in each round. */
	private final BiConsumer<Session, Membership> eachRound;

	/** Used by this thread. */
	private final Backoff backoff = new Backoff();

	/** Written by the heartbeat and by this thread, read by this thread. */
	private final AtomicReference<@Nullable Membership> seen = new AtomicReference<>();

	/** Written by listeners of messages, read and cleared by this thread. */
	private volatile boolean changed;

	/** Used by this thread. */
	private long readAt;

	NodeWatch(NodeRegistry nodes, Assigner assigner, Runnable beforeShards, Supplier<@Nullable Session> session,
			StoreAvailability availability, EngineRuntime runtime, ClusterMembership.Listener listener,
			Consumer<Session> lapsed, BiConsumer<Session, Membership> eachRound) {
		this.nodes = nodes;
		this.assigner = assigner;
		this.beforeShards = beforeShards;
		this.session = session;
		this.availability = availability;
		this.runtime = runtime;
		this.listener = listener;
		this.lapsed = lapsed;
		this.eachRound = eachRound;
		this.loop = new Loop("lowkiq-membership", runtime, this::round);
		this.readAt = runtime.nanoTime();
	}

	Loop loop() {
		return this.loop;
	}

	void seen(Membership membership) {
		this.seen.set(membership);
		this.loop.signal();
	}

	/** Has the sessions read, because they or the assignment have changed. */
	void changed() {
		this.changed = true;
		this.loop.signal();
	}

	/** Returns the time until the next round, in nanoseconds. */
	long round() {
		Session current = this.session.get();
		Membership known = this.seen.get();
		if (current == null || known == null) {
			return MAX_WAIT;
		}
		if (!current.isValid()) {
			this.lapsed.accept(current);
			return MAX_WAIT;
		}
		return Math.min(round(new Round(current, known)), Math.max(1, current.nanosLeft()));
	}

	private long round(Round round) {
		// A step that fails keeps the others from nothing, unless the store fails
		round.attempt(() -> readIfChanged(round));
		round.attempt(this.beforeShards);
		round.attempt(() -> assign(round));
		round.attempt(() -> this.eachRound.accept(round.session, round.membership));
		Throwable problem = round.problem;
		if (problem != null) {
			this.availability.failed(this, problem);
			return this.backoff.next(this.runtime.random());
		}
		this.availability.succeeded(this);
		this.backoff.reset();
		long wait = Math.min(MAX_WAIT, this.sessions.nanosUntilDeath(this.runtime.nanoTime()));
		if (this.changed) {
			wait = Math.min(wait, READING_INTERVAL - (this.runtime.nanoTime() - this.readAt));
		}
		return Math.max(1, wait);
	}

	private void readIfChanged(Round round) {
		long nanos = this.runtime.nanoTime();
		String own = round.session.id();
		this.sessions.seen(round.membership.members(), own, nanos);
		boolean due = this.changed && nanos - this.readAt >= READING_INTERVAL;
		if (due || !this.sessions.dead(nanos).isEmpty()) {
			this.changed = false;
			read(round);
			if (endDead(round)) {
				read(round);
			}
		}
	}

	private void read(Round round) {
		Membership membership = this.nodes.members();
		round.membership = membership;
		this.seen.set(membership);
		// From the answer on: a counter may have stood still while it was on its way
		this.readAt = this.runtime.nanoTime();
		this.sessions.seen(membership.members(), round.session.id(), this.readAt);
	}

	/** Returns whether a session has been ended. */
	private boolean endDead(Round round) {
		List<Member> dead = this.sessions.dead(this.readAt)
			.stream()
			.filter((member) -> round.membership.members().contains(member))
			.toList();
		boolean ended = false;
		for (Member member : dead) {
			boolean crashed = this.sessions.isCrash(member, this.readAt);
			if (round.session.isValid() && this.nodes.end(member.session(), member.beats(), crashed)) {
				String lease = DurationText.of(member.info().leaseDuration());
				if (crashed) {
					logger.warn("Node {} has died: session {} sent no heartbeat for {}", member.info().node(),
							member.session(), lease);
				}
				else {
					logger.info(
							"Session {} of node {} has ended: it sent no heartbeat for {}. This doesn't count as a crash",
							member.session(), member.info().node(), lease);
				}
				ended = true;
			}
		}
		return ended;
	}

	private void assign(Round round) {
		Set<Shard> shards = this.assigner.assigned(round.session, round.membership);
		this.listener.assigned(round.session, round.membership, shards);
	}

	/** One round for a session. Used by this thread. */
	private static final class Round {

		private final Session session;

		private Membership membership;

		private @Nullable Throwable problem;

		Round(Session session, Membership membership) {
			this.session = session;
			this.membership = membership;
		}

		void attempt(Runnable step) {
			if (this.problem instanceof StoreException) {
				return;
			}
			try {
				step.run();
			}
			catch (Throwable ex) {
				this.problem = (this.problem == null || ex instanceof StoreException) ? ex : this.problem;
			}
		}

	}

}
