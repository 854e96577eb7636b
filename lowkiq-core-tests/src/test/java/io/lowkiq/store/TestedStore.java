package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.InspectableStore;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardInspection;

/**
 * A storage under test.
 *
 * @param shards the atomic steps
 * @param queues the recorded queues
 * @param nodes the sessions
 * @param wakeUps the messages
 * @param inspection the read side
 * @param actions what people do
 * @param livingNodes tells which nodes live
 * @param end frees what the storage holds
 */
record TestedStore(ShardStore shards, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps,
		ShardInspection inspection, ShardActions actions, LivingNodes livingNodes,
		Runnable end) implements InspectableStore, AutoCloseable {

	static TestedStore of(InspectableStore store, Runnable end) {
		return new TestedStore(store.shards(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
				store.actions(), store.livingNodes(), end);
	}

	static TestedStore inMemory(InstantSource clock) {
		return of(InMemoryRedis.newStore(clock), () -> {
		});
	}

	/** As in a cluster, one script sees the keys of one slot only. */
	static TestedStore inMemoryCluster(InstantSource clock) {
		InMemoryRedis redis = new InMemoryRedis(clock);
		redis.faults().spread();
		return of(redis.store(), () -> {
		});
	}

	TestedStore with(ShardStore other) {
		return new TestedStore(other, this.queues, this.nodes, this.wakeUps, this.inspection, this.actions,
				this.livingNodes, this.end);
	}

	@Override
	public void close() {
		this.end.run();
	}

}
