package io.lowkiq.store;

import java.time.InstantSource;

import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestRedis;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * All sides of a storage under test.
 *
 * @param shardStore the atomic steps
 * @param queues the recorded queues
 * @param nodes the sessions
 * @param wakeUps the messages
 * @param inspection the read side
 * @param actions what people do
 * @param end frees what the storage holds
 */
record TestedStore(ShardStore shardStore, QueueRegistry queues, NodeRegistry nodes, WakeUps wakeUps,
		ShardInspection inspection, ShardActions actions, Runnable end) implements AutoCloseable {

	static TestedStore inMemory(InstantSource clock) {
		InMemoryStore store = new InMemoryStore(clock);
		return new TestedStore(store.shardStore(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
				store.actions(), () -> {
				});
	}

	/** On Redis, where no other test is. Ends with the connections. */
	static TestedStore onRedis(RedisConnectionFactory connections, InstantSource clock) {
		RedisStore store = new RedisStore(connections, TestRedis.uniquePrefix(), clock);
		return new TestedStore(store.shardStore(), store.queues(), store.nodes(), store.wakeUps(), store.inspection(),
				store.actions(), () -> {
					store.close();
					TestRedis.destroy(connections);
				});
	}

	TestedStore with(ShardStore other) {
		return new TestedStore(other, this.queues, this.nodes, this.wakeUps, this.inspection, this.actions, this.end);
	}

	@Override
	public void close() {
		this.end.run();
	}

}
