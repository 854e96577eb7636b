package io.lowkiq.engine;

import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A queue is removed while a node starts that serves it. */
class RemovedQueueTests {

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private final AtomicBoolean removed = new AtomicBoolean();

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(storeWithoutQueueAtTheFirstJoin());

	@Test
	void isRecordedAgainWithTheNextGenerationAndServed() throws InterruptedException {
		CountDownLatch performed = new CountDownLatch(1);
		this.memory.queues().register("orders", 3);
		this.fixture.worker("orders", settings(3, 1, 3), (Worker<Integer>) (id, payloads) -> performed.countDown());
		this.fixture.server().start();
		await().atMost(ServerFixture.PATIENCE)
			.untilAsserted(
					() -> assertThat(this.memory.queues().find("orders")).contains(new QueueLayout("orders", 2, 3)));
		this.fixture.client().enqueue("orders", "42", 1);
		assertThat(performed.await(ServerFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

	private RedisStore storeWithoutQueueAtTheFirstJoin() {
		NodeRegistry nodes = Intercepted.of(NodeRegistry.class, this.memory.nodes(), (method, call) -> {
			if (method.equals("join") && this.removed.compareAndSet(false, true)) {
				TestAdmin.of(this.memory).removeQueue("orders");
			}
			return call.make();
		});
		return Intercepted.of(RedisStore.class, this.memory,
				(method, call) -> method.equals("nodes") ? nodes : call.make());
	}

}
