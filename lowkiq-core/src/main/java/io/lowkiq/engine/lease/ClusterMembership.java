package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.engine.runtime.Loop;
import io.lowkiq.store.Store;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's membership in the cluster: its session, which the heartbeat keeps, the other
 * nodes, which the watch observes, the assignment of shards, and the messages of the
 * store. Thread-safe.
 */
public final class ClusterMembership {

	private static final Logger logger = LoggerFactory.getLogger(ClusterMembership.class);

	private static final long MAX_END_TIME = Duration.ofSeconds(1).toNanos();

	private final Store store;

	private final ServedShards shards;

	private final ShardEvents events;

	private final StoreMemory memory;

	private final ForgottenCalls forgottenCalls;

	private final Messages messages = new ReceivedMessages();

	private final QueueUses uses;

	private final Heartbeat heartbeat;

	private final NodeWatch watch;

	/**
	 * The queues with forgotten shards, as of a heartbeat that found the session there.
	 */
	private volatile Set<String> forgotten = Set.of();

	/** Notified of the shards of this node. */
	interface Listener {

		void assigned(Session session, Membership membership, Set<Shard> assigned);

	}

	/** Calls eachRound for the present session at least every 2.5 s. */
	public ClusterMembership(Store store, String family, Duration leaseDuration, EngineRuntime runtime,
			Supplier<NodeInfo> info, StoreAvailability availability, ServedShards shards,
			Consumer<Map<String, String>> foreignQueues, ShardEvents events, StoreMemory memory,
			ForgottenCalls forgottenCalls, Consumer<Session> eachRound) {
		this.store = store;
		this.shards = shards;
		this.events = events;
		this.memory = memory;
		this.forgottenCalls = forgottenCalls;
		this.uses = new QueueUses(store, shards, info, leaseDuration, runtime::nanoTime, foreignQueues);
		this.heartbeat = new Heartbeat(store.nodes(), family, leaseDuration, runtime, info, availability,
				new SessionEvents());
		GroupOverridesReader groups = new GroupOverridesReader(store.queues(), shards, events::overridden);
		this.watch = new NodeWatch(store.nodes(), new Assigner(store.nodes(), store.queues()), groups::readNew,
				this.heartbeat::session, availability, runtime, events, this::lapsed, (session, seen) -> {
					// First, since a store whose memory is full refuses what follows
					groups.readAgain();
					eachRound.accept(session);
					this.uses.seen(seen.members());
					if (shards.recordAgain(this.forgotten)) {
						// A new session has its shards assigned
						lapsed(session);
					}
				});
	}

	public void start(BiConsumer<String, Throwable> failed) {
		loops().forEach((loop) -> loop.start(failed));
	}

	private List<Loop> loops() {
		return List.of(this.watch.loop(), this.heartbeat.loop());
	}

	/** The node's session; null if there is none at present. */
	public @Nullable Session session() {
		return this.heartbeat.session();
	}

	/** Whether shards must be polled, because messages may not arrive. */
	public boolean isPolling() {
		return this.messages.isPolling();
	}

	/** Sends a heartbeat and looks at the other nodes at once. */
	public void signal() {
		this.heartbeat.beatNow();
		this.watch.loop().signal();
	}

	/**
	 * Connects again: the store may be another server, which has forgotten whom to wake.
	 */
	public void reconnect() {
		this.messages.reconnect();
	}

	public void end() {
		loops().forEach(Loop::end);
		loops().forEach((loop) -> loop.awaitEnd(MAX_END_TIME));
	}

	public void leave(boolean orderly) {
		Session session = session();
		if (session != null && session.end() && orderly) {
			try {
				this.store.nodes().leave(session.id());
			}
			catch (RuntimeException ex) {
				logger.warn("Could not leave the registry; the session will end by itself", ex);
			}
		}
		try {
			this.messages.close();
		}
		catch (RuntimeException ex) {
			logger.warn("Could not close the subscription to messages from the store", ex);
		}
	}

	private void lapsed(Session session) {
		if (session.end()) {
			logger.warn("Session {} has lapsed: this node has lost all its leases", session.id());
			this.events.lapsed(session);
			this.heartbeat.beatNow();
		}
	}

	/** From the thread of the heartbeat. */
	private final class SessionEvents implements Heartbeat.Listener {

		@Override
		public void joining() {
			// The recorded queues may be lost with the last session
			ClusterMembership.this.memory.look();
			ClusterMembership.this.shards.serve();
			ClusterMembership.this.uses.joining();
		}

		@Override
		public void joined() {
			ClusterMembership.this.shards.serveRemoved();
		}

		@Override
		public void began(Session session, Membership seen) {
			ClusterMembership.this.memory.known(session);
			try {
				ClusterMembership.this.messages.subscribe(ClusterMembership.this.store.wakeUps(), session.id());
			}
			catch (RuntimeException ex) {
				logger.warn("Could not subscribe to messages from the store; polling instead", ex);
			}
			ClusterMembership.this.events.beganSession();
			ClusterMembership.this.watch.seen(seen);
		}

		@Override
		public void beating() {
			ClusterMembership.this.messages.beat();
		}

		@Override
		public void beat(Session session, Membership seen) {
			ClusterMembership.this.memory.known(session);
			ClusterMembership.this.forgottenCalls.beat();
			ClusterMembership.this.events.beat();
			ClusterMembership.this.forgotten = ClusterMembership.this.events.forgottenQueues();
			ClusterMembership.this.watch.seen(seen);
		}

		@Override
		public void lapsed(Session session) {
			ClusterMembership.this.lapsed(session);
		}

	}

	/** From a thread of the store's client. */
	private final class ReceivedMessages extends Messages {

		@Override
		public void wake(Shard shard) {
			ClusterMembership.this.events.wake(shard);
		}

		@Override
		public void released(Shard shard) {
			ClusterMembership.this.events.released(shard);
		}

		@Override
		public void changed() {
			ClusterMembership.this.watch.changed();
		}

		@Override
		void uncertain() {
			ClusterMembership.this.events.messagesLost();
			ClusterMembership.this.watch.changed();
		}

	}

}
