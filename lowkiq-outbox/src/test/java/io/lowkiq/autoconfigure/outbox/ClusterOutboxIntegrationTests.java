package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.TransactionMode;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.EnqueueTracing;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The outbox in front of a Redis Cluster of three masters, one of which doesn't respond.
 */
class ClusterOutboxIntegrationTests {

	private static final List<String> IDS = IntStream.range(0, 40).mapToObj((i) -> "order-" + i).toList();

	private static final Duration LONG = Duration.ofMinutes(2);

	/** By id and payload: how often it was performed. */
	private final Map<String, AtomicInteger> performs = new ConcurrentHashMap<>();

	private final Worker<String> worker = (id, payloads) -> payloads
		.forEach((payload) -> performs(id, payload).incrementAndGet());

	private final WorkerRegistry workers = new WorkerRegistry(List.of(new RegisteredWorker("orders", Worker.class,
			String.class, new RegisteredWorker.Settings(12, 1, 25, 10, 1, 0), () -> this.worker)));

	private final RedisClusterProcess cluster = RedisClusterProcess.start("--cluster-require-full-coverage", "no");

	private final LettuceConnectionFactory connections = connections();

	private final RedisStore store = new RedisStore(this.connections, "lowkiq", null);

	/** By how much the clock that says when a queue is looked up again is ahead. */
	private final AtomicLong ahead = new AtomicLong();

	private final StoreEnqueuer direct = enqueuer(this.store);

	private final AtomicInteger refusals = new AtomicInteger();

	private final OutboxFixture outbox = new OutboxFixture();

	private final OutboxFlusher flusher = flusher(this.direct);

	private final LowkiqClient client = new ShardedLowkiqClient(this.workers,
			new JacksonPayloadCodec(JsonMapper.shared()), List.of(), this.direct,
			Map.of(TransactionMode.OUTBOX,
					OutboxFixture.enqueuer(this.outbox.dataSource, this.outbox.table, this.flusher::wake)),
			TransactionMode.OUTBOX, EnqueueTracing.NONE);

	private final LowkiqServer server = new LowkiqServer(new ServerOptions(this.workers, this.store));

	private LettuceConnectionFactory connections() {
		return TestRedis.connectionFactory(new RedisClusterConfiguration(this.cluster.nodes()),
				(client) -> client.commandTimeout(Duration.ofSeconds(1)));
	}

	private StoreEnqueuer enqueuer(RedisStore on) {
		return new StoreEnqueuer(this.workers, List.of(), on.shards(), on.queues(), LowkiqObserver.NONE,
				() -> System.nanoTime() + this.ahead.get());
	}

	private OutboxFlusher flusher(StoreEnqueuer enqueuer) {
		return new OutboxFlusher(this.outbox.table, OutboxFixture.flush(this.outbox.dataSource, this.outbox.table,
				new OutboxTarget((queue, payloads, call) -> {
					List<ShardRefusal> notEnqueued = enqueuer.enqueueFenced(queue, payloads, call);
					this.refusals.addAndGet(notEnqueued.isEmpty() ? 0 : 1);
					return notEnqueued;
				}, enqueuer::ask, enqueuer::shardOf), System::nanoTime,
				new OutboxFlush.Settings(1_000, Duration.ofSeconds(1))), this.outbox.handedOver, Duration.ofMillis(100),
				System::nanoTime, InstantSource.system());
	}

	@BeforeEach
	void start() {
		this.server.registerQueues();
		this.server.start();
		this.flusher.start();
	}

	@AfterEach
	void stop() {
		this.cluster.masters().forEach(RedisProcess::resume);
		this.flusher.stop();
		this.server.stop(Duration.ofSeconds(5));
		this.store.close();
		this.connections.destroy();
		this.cluster.close();
		this.outbox.close();
	}

	@Test
	void idsOfTheOtherMastersArePerformedOnceWhileOneIsStoppedAndAllWhenItIsBack() {
		enqueue("before", IDS);
		awaitLong().untilAsserted(() -> assertPerformedOnce("before", IDS));
		RedisProcess stopped = withoutRegistry();
		Map<Boolean, List<String>> byHealth = IDS.stream()
			.collect(Collectors.partitioningBy((id) -> masterOf(id) != stopped));
		List<String> healthy = byHealth.getOrDefault(true, List.of());
		List<String> away = byHealth.getOrDefault(false, List.of());
		assertThat(healthy).isNotEmpty();
		assertThat(away).isNotEmpty();
		stopped.pause();
		enqueue("during", IDS);
		awaitLong().untilAsserted(() -> assertPerformedOnce("during", healthy));
		int refused = this.refusals.get();
		awaitLong().until(() -> this.refusals.get() > refused + 3);
		enqueue("behind", healthy);
		awaitLong().untilAsserted(() -> assertPerformedOnce("behind", healthy));
		assertPerformedOnce("during", healthy);
		assertThat(away).allSatisfy((id) -> assertThat(performs(id, "during")).hasValue(0));
		stopped.resume();
		awaitLong().untilAsserted(
				() -> assertThat(away).allSatisfy((id) -> assertThat(performs(id, "during")).hasPositiveValue()));
		awaitLong().untilAsserted(() -> assertThat(this.outbox.rows()).isZero());
		assertPerformedOnce("during", healthy);
		assertPerformedOnce("behind", healthy);
	}

	@Test
	void aProcessThatStartsMeanwhileSendsToTheOtherMasters() {
		enqueue("before", IDS);
		awaitLong().untilAsserted(() -> assertPerformedOnce("before", IDS));
		this.flusher.stop();
		RedisProcess stopped = withoutRegistry();
		List<String> healthy = IDS.stream().filter((id) -> masterOf(id) != stopped).toList();
		stopped.pause();
		LettuceConnectionFactory others = connections();
		try (RedisStore other = new RedisStore(others, "lowkiq", null)) {
			OutboxFlusher started = flusher(enqueuer(other));
			enqueue("during", IDS);
			started.start();
			awaitLong().untilAsserted(() -> assertPerformedOnce("during", healthy));
			stopped.resume();
			awaitLong().untilAsserted(() -> assertThat(this.outbox.rows()).isZero());
			started.stop();
		}
		finally {
			others.destroy();
		}
		assertPerformedOnce("during", healthy);
	}

	@Test
	void rowsAreSentToTheOtherMastersThoughTheRecordsAreToBeReadAgainFromTheStoppedOne() {
		enqueue("before", IDS);
		awaitLong().untilAsserted(() -> assertPerformedOnce("before", IDS));
		RedisProcess stopped = this.cluster.masterOf(SlotHash.getSlot("queues"));
		assertThat(stopped).isNotSameAs(this.cluster.masterOf(SlotHash.getSlot("nodes")));
		List<String> healthy = IDS.stream().filter((id) -> masterOf(id) != stopped).toList();
		stopped.pause();
		this.ahead.addAndGet(Duration.ofMinutes(61).toNanos());
		enqueue("during", IDS);
		awaitLong().untilAsserted(() -> assertPerformedOnce("during", healthy));
		stopped.resume();
		awaitLong().untilAsserted(() -> assertThat(this.outbox.rows()).isZero());
		assertPerformedOnce("during", healthy);
	}

	private void enqueue(String payload, List<String> ids) {
		this.client.enqueueAll("orders", ids.stream().map((id) -> JobRequest.of(id, payload)).toList());
	}

	private void assertPerformedOnce(String payload, List<String> ids) {
		assertThat(ids).allSatisfy((id) -> assertThat(performs(id, payload)).as(id).hasValue(1));
	}

	private AtomicInteger performs(String id, String payload) {
		return this.performs.computeIfAbsent(id + " " + payload, (key) -> new AtomicInteger());
	}

	/** What the nodes need to know of each other is on the others. */
	private RedisProcess withoutRegistry() {
		Set<RedisProcess> needed = Stream.of("queues", "nodes")
			.map((key) -> this.cluster.masterOf(SlotHash.getSlot(key)))
			.collect(Collectors.toSet());
		return this.cluster.masters().stream().filter((master) -> !needed.contains(master)).findFirst().orElseThrow();
	}

	private RedisProcess masterOf(String id) {
		return this.cluster.masterOf(SlotHash.getSlot(this.direct.shardOf("orders", id).toString()));
	}

	private static ConditionFactory awaitLong() {
		return await().atMost(LONG);
	}

}
