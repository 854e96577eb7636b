package io.lowkiq.memory;

import java.time.InstantSource;

import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardInspection;

/**
 * A storage in memory that follows every rule of the storage on Redis, but is lost with
 * the JVM. For tests, and the measure of what other storages do. Thread-safe. Every step
 * is made on the caller's thread, and the wake-ups that it causes are delivered there,
 * too, after it took effect.
 */
public final class InMemoryStore implements InspectableStore {

	private final MemoryWakeUps wakeUps = new MemoryWakeUps();

	private final QueueRegistry queues = new MemoryQueueRegistry();

	private final NodeRegistry nodes;

	private final ShardStore shards;

	private final ShardInspection inspection;

	private final ShardActions actions;

	private final LivingNodes livingNodes;

	/**
	 * Makes an empty store.
	 * @param clock the store's clock
	 */
	public InMemoryStore(InstantSource clock) {
		this.nodes = new MemoryNodeRegistry(this.wakeUps, clock);
		MemoryShards all = new MemoryShards(clock, this.wakeUps);
		this.shards = new MemoryShardStore(all);
		this.inspection = new MemoryShardInspection(all);
		this.actions = new MemoryShardActions(all);
		this.livingNodes = new LivingNodes(this.nodes);
	}

	@Override
	public ShardStore shards() {
		return this.shards;
	}

	@Override
	public QueueRegistry queues() {
		return this.queues;
	}

	@Override
	public NodeRegistry nodes() {
		return this.nodes;
	}

	@Override
	public WakeUps wakeUps() {
		return this.wakeUps;
	}

	@Override
	public ShardInspection inspection() {
		return this.inspection;
	}

	@Override
	public ShardActions actions() {
		return this.actions;
	}

	@Override
	public LivingNodes livingNodes() {
		return this.livingNodes;
	}

}
