package io.lowkiq.admin;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.NodeInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ForeignQueuesTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final ForeignQueues foreign = new ForeignQueues(this.store);

	private void join(String session, String application, Map<String, String> types) {
		this.store.nodes()
			.join(session, new NodeInfo(session, 0, Duration.ofMinutes(1), types.keySet(), false, application, types));
	}

	@Test
	void findsAQueueThatTwoApplicationsServeWithDifferentTypes() {
		join("a", "shop", Map.of("orders", "com.acme.Order", "mails", "com.acme.Mail"));
		join("b", "billing", Map.of("orders", "com.acme.Invoice"));
		assertThat(this.foreign.of("shop")).extracting(ForeignQueue::queue).containsExactly("orders");
		assertThat(this.foreign.of("shop").get(0).describe())
			.isEqualTo("billing (com.acme.Invoice), shop (com.acme.Order)");
		assertThat(this.foreign.of("billing")).isEqualTo(this.foreign.of("shop"));
		assertThat(this.foreign.of("third")).isEmpty();
		this.store.nodes().leave("b");
		assertThat(this.foreign.of("shop")).isEmpty();
	}

	@Test
	void aRenamedClassOfOneApplicationIsItsOwn() {
		join("blue", "shop", Map.of("orders", "com.acme.Order"));
		join("green", "shop", Map.of("orders", "com.acme.PlacedOrder"));
		assertThat(this.foreign.of("shop")).isEmpty();
	}

	@Test
	void applicationsMayShareAQueueWithOnePayloadType() {
		join("a", "shop", Map.of("orders", "com.acme.Order"));
		join("b", "night-shift", Map.of("orders", "com.acme.Order"));
		assertThat(this.foreign.of("shop")).isEmpty();
	}

	@Test
	void aNodeThatDoesNotSayItsApplicationIsNotCompared() {
		join("a", "shop", Map.of("orders", "com.acme.Order"));
		join("b", "", Map.of("orders", "com.acme.Invoice"));
		this.store.nodes().join("old", new NodeInfo("old", 0, Duration.ofMinutes(1), Set.of("orders"), false));
		assertThat(this.foreign.of("shop")).isEmpty();
		assertThat(this.foreign.of("")).isEmpty();
	}

	@Test
	void whatOtherNodesSayCanNotForgeALine() {
		join("a", "shop", Map.of("orders", "com.acme.Order"));
		join("b", "x\nWARN all is lost", Map.of("orders", "b\r\n"));
		assertThat(this.foreign.of("shop").get(0).describe()).doesNotContain("\n").doesNotContain("\r");
	}

}
