package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Worker;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class AdaptiveShardSplitterTests {

	private final ServerFixture fixture = new ServerFixture(new InMemoryStore(InstantSource.system()));

	@AfterEach
	void stopServers() {
		this.fixture.close();
	}

	@Test
	void everyThreadMayTakeEveryShard() {
		List<Shard> shards = new QueueLayout("orders", 1, 7).allShards();
		assertThat(new AdaptiveShardSplitter().split(shards, 3)).containsExactly(shards, shards, shards);
	}

	@Test
	void aThreadThatIsHeldUpLeavesItsShardsToTheOthers() {
		QueueLayout layout = new QueueLayout("orders", 1, 4);
		// Dealt out in turn, shards 0 and 2 would be those of one thread
		String first = idIn(layout, layout.shard(0));
		String second = idIn(layout, layout.shard(2));
		CountDownLatch both = new CountDownLatch(2);
		this.fixture.worker("orders", settings(4, 1, 3), (Worker<Integer>) (id, payloads) -> {
			both.countDown();
			both.await();
		});
		LowkiqServer server = this.fixture.server((builder) -> builder.splitter(new AdaptiveShardSplitter())
			.settings(new ServerSettings(2, Duration.ofSeconds(1), Duration.ofSeconds(15), 100, false)));
		server.start();
		await().atMost(PATIENCE).until(() -> server.status().shards().stream().filter(ShardStatus::held).count() == 4);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", first, 1);
		client.enqueue("orders", second, 1);
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 2);
	}

	private static String idIn(QueueLayout layout, Shard shard) {
		return IntStream.range(0, 1_000)
			.mapToObj(Integer::toString)
			.filter((id) -> layout.shardOf(id).equals(shard))
			.findFirst()
			.orElseThrow();
	}

}
