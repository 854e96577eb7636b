package io.lowkiq.engine;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.Worker;
import io.lowkiq.engine.schedule.ByNodeShardSplitter;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.awaitHeld;
import static io.lowkiq.engine.ServerFixture.held;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Shards move among the nodes as they come and go (I7). */
class AssignmentTests {

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(InMemoryRedis.newStore(InstantSource.system()));

	@Test
	void aThirdNodeTakesTwentyOfSixtyShardsAndNoOtherMoves() {
		this.fixture.worker("orders", settings(60, 1, 3), (Worker<Integer>) (id, payloads) -> {
		});
		LowkiqServer first = started();
		awaitHeld(60, first);
		LowkiqServer second = started();
		awaitHeld(30, first, second);
		Set<Shard> ofFirst = held(first);
		Set<Shard> ofSecond = held(second);
		LowkiqServer third = started();
		awaitHeld(20, first, second, third);
		assertThat(ofFirst).containsAll(held(first));
		assertThat(ofSecond).containsAll(held(second));
		Set<Shard> left = held(first);
		third.stop(PATIENCE);
		awaitHeld(30, first, second);
		assertThat(held(first)).containsAll(left);
	}

	@Test
	void aTransferLosesNothingAndCostsNoRetry() {
		Set<Integer> performed = ConcurrentHashMap.newKeySet();
		AtomicInteger restored = new AtomicInteger();
		this.fixture.worker("orders", settings(12, 1, 3), (Worker<Integer>) (id, payloads) -> {
			performed.addAll(payloads);
			Thread.yield();
		});
		LowkiqObserver observer = new LowkiqObserver() {
			@Override
			public void restored(String queue, int jobs) {
				restored.addAndGet(jobs);
			}
		};
		LowkiqServer first = this.fixture.server((builder) -> builder.observer(observer));
		first.start();
		LowkiqClient client = this.fixture.client();
		List<LowkiqServer> others = new ArrayList<>();
		for (int i = 0; i < 2_000; i++) {
			client.enqueue("orders", "id" + i % 100, i);
			if (i % 500 == 250) {
				LowkiqServer other = this.fixture.server((builder) -> builder.observer(observer));
				other.start();
				others.add(other);
			}
			if (i % 500 == 499) {
				others.remove(0).stop(PATIENCE);
			}
		}
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(performed).hasSize(2_000);
		assertThat(restored).hasValue(0);
	}

	@Test
	void aShardMovesAfterTheJobUnderWay() throws Exception {
		CountDownLatch started = new CountDownLatch(2);
		CountDownLatch go = new CountDownLatch(1);
		this.fixture.worker("orders", settings(2, 1, 3), (Worker<Integer>) (id, payloads) -> {
			started.countDown();
			go.await();
		});
		LowkiqServer first = started();
		awaitHeld(2, first);
		LowkiqClient client = this.fixture.client();
		QueueLayout layout = new QueueLayout("orders", 1, 2);
		for (Shard shard : layout.allShards()) {
			client.enqueue("orders", ServerFixture.idIn(layout, shard.index()), 1);
		}
		started.await();
		LowkiqServer second = started();
		String session = first.status().session();
		await().atMost(PATIENCE)
			.until(() -> this.fixture.nodes.assignedTo(String.valueOf(session)).shards().size() == 1);
		assertThat(held(second)).isEmpty();
		go.countDown();
		awaitHeld(1, first, second);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(this.fixture.processed("orders")).isEqualTo(2);
	}

	@Test
	void aNodeWithFixedShardsTakesThemAndNoOther() {
		this.fixture.worker("orders", settings(10, 1, 3), (Worker<Integer>) (id, payloads) -> {
		});
		LowkiqServer first = this.fixture.server((builder) -> builder.splitter(new ByNodeShardSplitter(2, 0)));
		LowkiqServer second = this.fixture.server((builder) -> builder.splitter(new ByNodeShardSplitter(2, 1)));
		first.start();
		awaitHeld(5, first);
		second.start();
		awaitHeld(5, first, second);
	}

	private LowkiqServer started() {
		return this.fixture.started();
	}

}
