package io.lowkiq.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.lowkiq.LowkiqClient;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.Worker;
import io.lowkiq.engine.schedule.ByNodeShardSplitter;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.held;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** One queue is stopped on one node, and started again. */
class StoppedQueueTests {

	@RegisterExtension
	private final LogLines log = new LogLines(LowkiqServer.class);

	private final ServerFixture fixture = new ServerFixture();

	private final CountDownLatch open = new CountDownLatch(1);

	/** By whose threads each id was performed. */
	private final Map<String, String> performed = new ConcurrentHashMap<>();

	@AfterEach
	void stopServers() {
		this.open.countDown();
		this.fixture.close();
	}

	private Worker<Integer> worker() {
		return (id, numbers) -> {
			this.performed.put(id, Thread.currentThread().getName());
			if (id.startsWith("slow")) {
				this.open.await();
			}
		};
	}

	private LowkiqServer started(String name) {
		return this.fixture.started((builder) -> builder.threadFactory((task) -> {
			Thread thread = new Thread(task, "lowkiq-" + name);
			thread.setDaemon(true);
			return thread;
		}));
	}

	private static void awaitHeld(LowkiqServer server, String queue, int shards) {
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(held(server)).extracting(Shard::queue).filteredOn(queue::equals).hasSize(shards));
	}

	@Test
	void shardsOfAStoppedQueueGoToOthersAndComeBackWhenItIsStarted() {
		this.fixture.worker("orders", settings(6, 1, 5), worker()).worker("mails", settings(2, 1, 5), worker());
		LowkiqClient client = this.fixture.client();
		LowkiqServer first = started("first");
		LowkiqServer second = started("second");
		ServerFixture.awaitHeld(4, first, second);
		assertThat(first.stopQueue("orders")).isTrue();
		assertThat(first.stopQueue("orders")).isFalse();
		assertThat(first.status().stoppedQueues()).containsExactly("orders");
		awaitHeld(second, "orders", 6);
		awaitHeld(first, "orders", 0);
		assertThat(held(first)).extracting(Shard::queue).contains("mails");
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			ids.add("id" + i);
			client.enqueue("orders", "id" + i, 1);
		}
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 30);
		assertThat(this.performed).containsOnlyKeys(ids)
			.containsValue("lowkiq-second")
			.doesNotContainValue("lowkiq-first");
		assertThat(first.startQueue("orders")).isTrue();
		assertThat(first.startQueue("orders")).isFalse();
		assertThat(first.status().stoppedQueues()).isEmpty();
		awaitHeld(first, "orders", 3);
		awaitHeld(second, "orders", 3);
	}

	@Test
	void runningJobsEndHereAndNoOtherOfTheirShardBegins() {
		this.fixture.worker("orders", settings(1, 1, 5), worker());
		LowkiqClient client = this.fixture.client();
		LowkiqServer first = started("first");
		awaitHeld(first, "orders", 1);
		client.enqueue("orders", "slow", 1);
		await().atMost(PATIENCE).until(() -> this.performed.containsKey("slow"));
		// So long that a shard that is only to move would be served on
		await().atMost(PATIENCE)
			.until(() -> first.status()
				.threads()
				.stream()
				.anyMatch((thread) -> thread.shard() != null
						&& thread.since().isBefore(Instant.now().minusMillis(1_200))));
		LowkiqServer second = started("second");
		first.stopQueue("orders");
		client.enqueue("orders", "quick", 1);
		await().atMost(PATIENCE).until(() -> this.fixture.nodes.assignedTo(session(second)).shards().size() == 1);
		client.enqueue("orders", "quick2", 1);
		assertThat(this.fixture.counts("orders", 0).fresh()).isEqualTo(2);
		this.open.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 3);
		assertThat(this.performed).containsOnly(Map.entry("slow", "lowkiq-first"), Map.entry("quick", "lowkiq-second"),
				Map.entry("quick2", "lowkiq-second"));
	}

	private static String session(LowkiqServer server) {
		return String.valueOf(server.status().session());
	}

	@Test
	void aQueueThatIsStoppedOnItsOnlyNodeWaits() {
		this.fixture.worker("orders", settings(2, 1, 5), worker());
		LowkiqServer server = this.fixture.server();
		server.stopQueue("orders");
		server.start();
		await().atMost(PATIENCE).until(() -> server.status().session() != null);
		this.fixture.client().enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> server.status().shards().size() == 2);
		assertThat(held(server)).isEmpty();
		assertThat(this.performed).isEmpty();
		server.startQueue("orders");
		await().atMost(PATIENCE).until(() -> this.performed.containsKey("a"));
	}

	@Test
	void fixedShardsAreGivenBackToo() {
		this.fixture.worker("orders", settings(2, 1, 5), worker());
		LowkiqServer server = this.fixture.started((builder) -> builder.splitter(new ByNodeShardSplitter(1, 0)));
		awaitHeld(server, "orders", 2);
		server.stopQueue("orders");
		awaitHeld(server, "orders", 0);
		server.startQueue("orders");
		awaitHeld(server, "orders", 2);
	}

	@Test
	void aStopIsInTheLogAndAnUnknownQueueIsRefused() {
		this.fixture.worker("orders", settings(1, 1, 5), worker());
		LowkiqServer server = this.fixture.server();
		server.stopQueue("orders");
		assertThat(this.log.warnings()).singleElement()
			.satisfies((line) -> assertThat(line).startsWith("Queue 'orders' is stopped on node "));
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> server.stopQueue("ordres"))
			.withMessage("This node has no queue 'ordres'. Its queues are [orders]");
	}

}
