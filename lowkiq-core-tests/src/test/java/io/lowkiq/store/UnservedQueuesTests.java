package io.lowkiq.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;

import io.lowkiq.admin.UnservedQueues;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.node.NodeInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnservedQueuesTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final UnservedQueues unserved = new UnservedQueues(this.store);

	UnservedQueuesTests() {
		this.store.queues().register("orders", 5);
		this.store.queues().register("old", 5);
	}

	@Test
	void findsQueuesThatNoNodeServes() {
		join("one", false, "orders");
		assertThat(this.unserved.find()).containsExactly("old");
		join("other", false, "old");
		assertThat(this.unserved.find()).isEmpty();
		this.store.nodes().leave("other");
		assertThat(this.unserved.find()).containsExactly("old");
	}

	@Test
	void withoutNodesNothingIsCertain() {
		assertThat(this.unserved.find()).isEmpty();
	}

	@Test
	void besideANodeThatDoesNotSayWhatItServesNothingIsCertain() {
		join("one", false, "orders");
		join("stopping", true);
		assertThat(this.unserved.find()).isEmpty();
	}

	private void join(String session, boolean stopping, String... queues) {
		this.store.nodes().join(session, new NodeInfo(session, 0, Duration.ofSeconds(15), Set.of(queues), stopping));
	}

}
