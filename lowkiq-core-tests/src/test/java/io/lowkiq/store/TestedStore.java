package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.redis.ShardInspection;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.node.NodeRegistry;
import org.jspecify.annotations.Nullable;

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
 * @param keys what is stored; null if nobody looks at that
 * @param end frees what the storage holds
 */
record TestedStore(ShardStore shards, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps,
		ShardInspection inspection, ShardActions actions, LivingNodes livingNodes, RedisLayoutCheck.@Nullable Keys keys,
		Runnable end) implements Store, AutoCloseable {

	static TestedStore of(RedisStore store, RedisLayoutCheck.@Nullable Keys keys, Runnable end) {
		return new TestedStore(store.shards(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
				store.actions(), store.livingNodes(), keys, end);
	}

	static TestedStore inMemory(InstantSource clock) {
		InMemoryRedis redis = new InMemoryRedis(clock);
		return of(redis.store(), redis);
	}

	/** A storage on a server in the JVM. */
	static TestedStore of(RedisStore store, InMemoryRedis redis) {
		return of(store, new RedisLayoutCheck.InMemory(redis), () -> {
		});
	}

	/** As in a cluster, one script sees the keys of one slot only. */
	static TestedStore inMemoryCluster(InstantSource clock) {
		InMemoryRedis redis = new InMemoryRedis(clock);
		redis.faults().spread();
		return of(redis.store(), redis);
	}

	TestedStore with(ShardStore other) {
		return new TestedStore(other, this.queues, this.nodes, this.wakeUps, this.inspection, this.actions,
				this.livingNodes, this.keys, this.end);
	}

	/** Checks the keys against each other and against what the storage says. */
	void checkLayout() {
		if (this.keys != null) {
			new RedisLayoutCheck(this).check(this.keys);
		}
	}

	@Override
	public void close() {
		this.end.run();
	}

}
