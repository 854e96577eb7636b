package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.NodeActivity;
import io.lowkiq.engine.ServerFixture.StoreParts;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Store;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a node reports to people. */
class NodeReportTests {

	private static final GatheringPolicy QUIET = new GatheringPolicy(Duration.ofMillis(5), Duration.ZERO, Duration.ZERO,
			false, false, false);

	/** How far the clock of the store is ahead. */
	private final AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);

	private final RedisStore store = InMemoryRedis.newStore(() -> Instant.now().plus(this.passed.get()));

	/** How far the node's clock is ahead of that of the store. */
	private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ofDays(1));

	private final CountDownLatch released = new CountDownLatch(1);

	private final Worker<Object> worker = (id, payloads) -> this.released.await();

	private final LowkiqServer server = server(this.store);

	private LowkiqServer server(Store store) {
		return new LowkiqServer(new ServerOptions(
				new WorkerRegistry(List.of(new RegisteredWorker("orders", Worker.class, Object.class,
						new RegisteredWorker.Settings(1, 1, 7, 1_000, 1, 2).with(QUIET)
							.with(new Limits(1, new RateLimit(1_000, Duration.ofSeconds(1)))),
						() -> this.worker))),
				store)
			.settings(ServerFixture.BRIEF_LEASE)
			.application("shop")
			.clock(() -> Instant.now().plus(this.ahead.get())));
	}

	private JsonNode report() {
		return this.store.nodes()
			.reports()
			.values()
			.stream()
			.map((report) -> JsonMapper.shared().readTree(report))
			.findFirst()
			.orElseGet(() -> JsonMapper.shared().createObjectNode());
	}

	@Test
	void aNodeReportsItsSettingsAndWhereLongPerformsAreByTheClockOfTheStore() {
		Instant begin = Instant.now();
		this.server.start();
		try {
			this.server.registerQueues();
			this.store.shards()
				.enqueue(this.store.queues().find("orders").orElseThrow().shard(0),
						List.of(NewPayload.of("42", "{}".getBytes())));
			await().atMost(Duration.ofSeconds(30)).until(() -> report().at("/threads").findValue("shard") != null);
			JsonNode report = report();
			assertThat(report.at("/queues/orders/maxRetryCount").asInt()).isEqualTo(7);
			assertThat(report.at("/queues/orders/shardConcurrency").asInt()).isEqualTo(2);
			assertThat(report.at("/queues/orders/debounce").asInt()).isEqualTo(5);
			assertThat(report.at("/queues/orders/shards").asInt()).isEqualTo(1);
			assertThat(report.at("/queues/orders/concurrency").asInt()).isEqualTo(1);
			assertThat(report.at("/queues/orders/rate").asString()).isEqualTo("1000/s");
			assertThat(report.at("/threadCount").asInt()).isEqualTo(5);
			JsonNode busy = busy(report);
			assertThat(Instant.ofEpochMilli(busy.at("/since").asLong())).isBetween(begin.minusSeconds(1),
					Instant.now());
			assertThat(busy.at("/stack").isMissingNode()).isTrue();
			this.store.shards()
				.enqueue(this.store.queues().find("orders").orElseThrow().shard(0),
						List.of(NewPayload.of("43", "{}".getBytes())));
			await().atMost(Duration.ofSeconds(30)).until(() -> report().at("/queues/orders/limited/0").asInt(-1) == 0);
			this.ahead.set(Duration.ofDays(1).plusSeconds(11));
			await().atMost(Duration.ofSeconds(30)).until(() -> !busy(report()).at("/stack").isMissingNode());
			JsonNode later = report();
			assertThat(busy(later).at("/stack/frames")).hasSizeBetween(3, 40);
			assertThat(busy(later).at("/stack/frames").toString()).contains(NodeReportTests.class.getName());
			assertThat(later.at("/reportedAt").asLong()).isGreaterThan(report.at("/reportedAt").asLong());
		}
		finally {
			this.released.countDown();
			this.server.stop(Duration.ofSeconds(10));
		}
	}

	@Test
	void aNodeReportsTheLimitsOfGroupsAndWhatRunsOfThem() {
		RegisteredWorker.Settings settings = new RegisteredWorker.Settings(1, 1, 7, 1_000, 1, 2).with(
				new GroupPolicy(":", 80, Map.of(), true, new Limits(3, new RateLimit(100, Duration.ofSeconds(1), 20))));
		LowkiqServer grouped = new LowkiqServer(new ServerOptions(
				new WorkerRegistry(List
					.of(new RegisteredWorker("orders", Worker.class, Object.class, settings, () -> this.worker))),
				this.store));
		grouped.start();
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> report().has("reportedAt"));
			assertThat(groups()).isEqualTo(
					new NodeActivity.Groups(":", 3, "100/s, burst 20", 80, Map.of(), Map.of(), Map.of(), Map.of()));
			long before = this.store.nodes().now();
			this.store.shards()
				.enqueue(this.store.queues().find("orders").orElseThrow().shard(0),
						List.of(NewPayload.of("acme:1", "{}".getBytes()), NewPayload.of("acme:2", "{}".getBytes())));
			await().atMost(Duration.ofSeconds(30))
				.until(() -> groups().running()
					.getOrDefault("acme", new NodeActivity.RunningGroup(0, 0, 0, 0))
					.jobs() == 2);
			NodeActivity.RunningGroup acme = groups().running().get("acme");
			assertThat(acme.since()).isBetween(before - 1_000, this.store.nodes().now());
			assertThat(acme.last()).isBetween(acme.since(), this.store.nodes().now());
			assertThat(acme.concurrency()).isEqualTo(3);
			TestAdmin.of(this.store).as("anna").group("orders", "globex").pause();
			await().atMost(Duration.ofSeconds(30)).until(() -> groups().paused().containsKey("globex"));
			assertThat(groups().paused().get("globex").by()).isEqualTo("anna");
			assertThat(groups().paused().get("globex").at()).isBetween(before - 1_000, this.store.nodes().now());
		}
		finally {
			this.released.countDown();
			grouped.stop(Duration.ofSeconds(10));
		}
	}

	@Test
	void aNodeReportsWhenAShardMayStartItsNextJobByTheRateOfItsQueue() {
		RegisteredWorker worker = new RegisteredWorker("orders", Worker.class, Object.class,
				RegisteredWorker.Settings.DEFAULTS.with(new Limits(0, new RateLimit(6, Duration.ofMinutes(1)))),
				() -> this.worker);
		LowkiqServer slow = new LowkiqServer(new ServerOptions(new WorkerRegistry(List.of(worker)), this.store));
		long begin = this.store.nodes().now();
		slow.start();
		try {
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(queues()).hasEntrySatisfying("orders",
						(orders) -> assertThat(orders.starts().values()).hasSize(5)
							.allMatch((start) -> start > begin && start <= this.store.nodes().now() + 50_000)));
		}
		finally {
			slow.stop(Duration.ofSeconds(10));
		}
	}

	private NodeActivity.Groups groups() {
		NodeActivity.QueueSettings orders = queues().get("orders");
		return (orders != null) ? orders.groups() : NodeActivity.Groups.NONE;
	}

	private Map<String, NodeActivity.QueueSettings> queues() {
		return NodeActivity.of(report().toString()).queues();
	}

	@Test
	void aNodeReportsHowLongThePerformsOfAFullMinuteTook() {
		this.released.countDown();
		this.server.start();
		try {
			this.server.registerQueues();
			Shard shard = this.store.queues().find("orders").orElseThrow().shard(0);
			await().atMost(Duration.ofSeconds(30)).until(() -> report().has("minutes"));
			this.store.shards().enqueue(shard, List.of(NewPayload.of("42", "{}".getBytes())));
			await().atMost(Duration.ofSeconds(30))
				.until(() -> this.store.inspection().counts(List.of(shard)).get(0).processed() == 1);
			this.passed.set(Duration.ofMinutes(1));
			await().atMost(Duration.ofSeconds(30)).until(() -> performs(report()) == 1);
		}
		finally {
			this.server.stop(Duration.ofSeconds(10));
		}
	}

	@Test
	void aNodeKnowsThatItsClockDiffersFromThatOfTheStore() {
		this.ahead.set(Duration.ofSeconds(40));
		this.server.start();
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> this.server.status().clockDifference() != null);
			assertThat(this.server.status().clockDifference()).endsWith("ahead of Redis");
			this.ahead.set(Duration.ZERO);
			await().atMost(Duration.ofSeconds(30)).until(() -> this.server.status().clockDifference() == null);
		}
		finally {
			this.server.stop(Duration.ofSeconds(10));
		}
	}

	@Test
	void aStoreThatRespondsLateHasNoOtherClock() {
		this.ahead.set(Duration.ZERO);
		SilentRegistry counted = new SilentRegistry(this.store.nodes(), new AtomicBoolean());
		NodeRegistry slow = Intercepted.of(NodeRegistry.class, counted.nodes, (method, call) -> {
			if (method.equals("report")) {
				this.ahead.set(Duration.ZERO);
			}
			Object answer = call.make();
			if (method.equals("now")) {
				this.ahead.set(Duration.ofSeconds(30));
			}
			return answer;
		});
		LowkiqServer waiting = server(
				new StoreParts(this.store.shards(), this.store.queues(), slow, this.store.wakeUps()));
		waiting.start();
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> counted.reports.get() > 1);
			assertThat(waiting.status().clockDifference()).isNull();
		}
		finally {
			waiting.stop(Duration.ofSeconds(10));
		}
	}

	@Test
	void aNodeSaysWhichPayloadsItsApplicationExpects() {
		this.server.start();
		try {
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(
						() -> assertThat(this.store.nodes().members().members()).singleElement().satisfies((member) -> {
							assertThat(member.info().application()).isEqualTo("shop");
							assertThat(member.info().payloadTypes())
								.containsExactly(Map.entry("orders", "java.lang.Object"));
						}));
		}
		finally {
			this.released.countDown();
			this.server.stop(Duration.ofSeconds(10));
		}
	}

	private static long performs(JsonNode report) {
		return NodeActivity.of(report.toString())
			.minutes()
			.stream()
			.flatMap((minute) -> minute.counts().getOrDefault("orders", List.of()).stream())
			.mapToLong((count) -> count)
			.sum();
	}

	@Test
	void aNodeThatDoesNothingReportsAllTheSame() {
		this.server.start();
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> report().has("reportedAt"));
			long first = report().at("/reportedAt").asLong();
			await().atMost(Duration.ofSeconds(30)).until(() -> report().at("/reportedAt").asLong() > first);
		}
		finally {
			this.server.stop(Duration.ofSeconds(10));
		}
	}

	private static JsonNode busy(JsonNode report) {
		for (JsonNode thread : report.at("/threads")) {
			if (thread.has("shard")) {
				return thread;
			}
		}
		return JsonMapper.shared().createObjectNode();
	}

}
