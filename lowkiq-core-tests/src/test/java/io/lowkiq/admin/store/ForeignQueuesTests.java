package io.lowkiq.admin.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.admin.ForeignQueues.Kind;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.NodeInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ForeignQueuesTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final ForeignQueues foreign = new ForeignQueues(this.store);

	private void join(String session, String application, String type, Set<String> foreign, Set<String> shared) {
		this.store.nodes()
			.join(session, new NodeInfo(session, 0, Duration.ofMinutes(1), Set.of("orders"), false, application,
					Map.of("orders", type), Build.THIS, foreign, shared));
	}

	private void join(String session, String application, Map<String, String> types) {
		this.store.nodes()
			.join(session, new NodeInfo(session, 0, Duration.ofMinutes(1), types.keySet(), false, application, types));
	}

	@Test
	void findsAQueueThatTwoApplicationsServeWithDifferentTypes() {
		join("a", "shop", Map.of("orders", "com.acme.Order", "mails", "com.acme.Mail"));
		join("b", "billing", Map.of("orders", "com.acme.Invoice"));
		assertThat(this.foreign.of("shop")).extracting(ForeignQueue::queue).containsExactly("orders");
		ForeignQueue orders = this.foreign.of("shop").get(0);
		assertThat(orders.kind()).isEqualTo(Kind.FOREIGN);
		assertThat(orders.sentence()).isEqualTo(
				"Queue orders is served by several applications with different payloads: billing (com.acme.Invoice), shop (com.acme.Order). Each performs jobs of the other.");
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
	void saysWhichApplicationIsRefused() {
		join("a", "shop", "com.acme.Order", Set.of(), Set.of("orders"));
		join("b", "billing", "com.acme.Invoice", Set.of("orders"), Set.of());
		assertThat(this.foreign.of("shop").get(0).kind()).isEqualTo(Kind.FOREIGN);
		assertThat(this.foreign.of("shop").get(0).sentence()).isEqualTo(
				"Several applications have workers for queue orders, with different payloads: billing (com.acme.Invoice), shop (com.acme.Order). billing left it to another, so its jobs are performed there.");
	}

	@Test
	void applicationsShareAQueueWithDifferentTypesIfAllOfThemSaySo() {
		join("a", "shop", "com.acme.Order", Set.of(), Set.of("orders"));
		join("b", "billing", "com.acme.Invoice", Set.of(), Set.of("orders"));
		assertThat(this.foreign.of("shop")).isEmpty();
	}

	@Test
	void applicationsShareAQueueWithOnePayloadTypeIfAllOfThemSaySo() {
		join("a", "shop", "com.acme.Order", Set.of(), Set.of("orders"));
		join("b", "night-shift", Map.of("orders", "com.acme.Order"));
		assertThat(this.foreign.of("shop")).extracting(ForeignQueue::kind).containsExactly(Kind.SHARED);
		join("c", "night-shift", "com.acme.Order", Set.of(), Set.of("orders"));
		assertThat(this.foreign.of("shop")).extracting(ForeignQueue::kind).containsExactly(Kind.SHARED);
		this.store.nodes().leave("b");
		assertThat(this.foreign.of("shop")).isEmpty();
	}

	@Test
	void withoutNamesDifferentPayloadsMayBeADeploy() {
		join("a", "", Map.of("orders", "com.acme.Order"));
		join("b", "", Map.of("orders", "com.acme.Order"));
		assertThat(this.foreign.of("")).isEmpty();
		join("c", "", Map.of("orders", "com.acme.PlacedOrder"));
		assertThat(this.foreign.of("")).extracting(ForeignQueue::kind).containsExactly(Kind.UNNAMED);
		this.store.nodes().leave("a");
		this.store.nodes().leave("b");
		assertThat(this.foreign.of("")).isEmpty();
		join("d", "shop", Map.of("orders", "com.acme.Order"));
		assertThat(this.foreign.of("shop")).extracting(ForeignQueue::kind).containsExactly(Kind.UNNAMED);
		assertThat(this.foreign.of("shop").get(0).sentence()).startsWith(
				"Queue orders is served with different payloads: an application without a name (com.acme.PlacedOrder), shop (com.acme.Order). A deploy that renames a class looks the same");
	}

	@Test
	void aNodeThatDoesNotSayWhatItExpectsIsNotCompared() {
		join("a", "shop", Map.of("orders", "com.acme.Order"));
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
