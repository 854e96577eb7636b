package io.lowkiq.autoconfigure;

import java.time.InstantSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.inspection.ShardActions;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.WakeUps;

/**
 * All parts of a store that needs no Redis.
 */
@Configuration(proxyBeanMethods = false)
public class MemoryStoreConfiguration {

	@Bean
	InMemoryStore memoryStore() {
		return new InMemoryStore(InstantSource.system());
	}

	@Bean
	ShardStore memoryShardStore(InMemoryStore store) {
		return store.shardStore();
	}

	@Bean
	QueueRegistry memoryQueueRegistry(InMemoryStore store) {
		return store.queues();
	}

	@Bean
	NodeRegistry memoryNodeRegistry(InMemoryStore store) {
		return store.nodes();
	}

	@Bean
	WakeUps memoryWakeUps(InMemoryStore store) {
		return store.wakeUps();
	}

	@Bean
	ShardInspection memoryShardInspection(InMemoryStore store) {
		return store.inspection();
	}

	@Bean
	ShardActions memoryShardActions(InMemoryStore store) {
		return store.actions();
	}

}
