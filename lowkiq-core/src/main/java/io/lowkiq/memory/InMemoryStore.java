package io.lowkiq.memory;

import java.time.InstantSource;

import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;

/**
 * A storage in memory that follows every rule of the storage on Redis, but is lost with
 * the JVM. For tests, and the measure of what other storages do. Thread-safe; wake-ups
 * are delivered on the thread of the call that causes them, after it took effect.
 */
public final class InMemoryStore {

	private final MemoryWakeUps wakeUps = new MemoryWakeUps();

	private final QueueRegistry queues = new MemoryQueueRegistry();

	private final NodeRegistry nodes;

	private final ShardStore shardStore;

	private final ShardInspection inspection;

	private final ShardActions actions;

	/**
	 * Makes an empty store.
	 * @param clock the store's clock
	 */
	public InMemoryStore(InstantSource clock) {
		MemoryShards shards = new MemoryShards(clock, this.wakeUps);
		this.nodes = new MemoryNodeRegistry(clock, this.wakeUps);
		this.shardStore = new MemoryShardStore(shards);
		this.inspection = new MemoryShardInspection(shards);
		this.actions = new MemoryShardActions(shards);
	}

	/**
	 * The atomic steps of producers and owners.
	 * @return always the same
	 */
	public ShardStore shardStore() {
		return this.shardStore;
	}

	/**
	 * The recorded queues.
	 * @return always the same
	 */
	public QueueRegistry queues() {
		return this.queues;
	}

	/**
	 * The sessions of the nodes.
	 * @return always the same
	 */
	public NodeRegistry nodes() {
		return this.nodes;
	}

	/**
	 * The messages to waiting nodes.
	 * @return always the same
	 */
	public WakeUps wakeUps() {
		return this.wakeUps;
	}

	/**
	 * The read side, for people.
	 * @return always the same
	 */
	public ShardInspection inspection() {
		return this.inspection;
	}

	/**
	 * What people do to jobs.
	 * @return always the same
	 */
	public ShardActions actions() {
		return this.actions;
	}

}
