package io.lowkiq.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.StoreEnqueuer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A store that comes back empty, and what must not be taken for that. */
class ForgottenStoreTests {

	private static final Duration LEASE = Duration.ofSeconds(5);

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final Faults.Snapshot empty = this.redis.faults().snapshot();

	private final RedisStore store = this.redis.store();

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.store);

	private final AtomicInteger noticed = new AtomicInteger();

	/** By how much the clock of the nodes is ahead. */
	private final AtomicLong ahead = new AtomicLong();

	private LowkiqServer start(String node) {
		return this.fixture.started((builder) -> node(builder).node(node));
	}

	private ServerOptions node(ServerOptions builder) {
		return builder.settings(settings(2, LEASE))
			.nanoTime(() -> System.nanoTime() + this.ahead.get())
			.observer(new LowkiqObserver() {

				@Override
				public void everythingForgotten() {
					ForgottenStoreTests.this.noticed.incrementAndGet();
				}

			});
	}

	private void workers() {
		this.fixture.worker("orders", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> {
		});
		this.fixture.worker("mails", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> {
		});
	}

	private void awaitOther(LowkiqServer server, String session) {
		await().atMost(PATIENCE).until(() -> {
			String now = server.status().session();
			return now != null && !now.equals(session);
		});
	}

	private static String session(LowkiqServer server) {
		await().atMost(PATIENCE).until(() -> server.status().session() != null);
		return String.valueOf(server.status().session());
	}

	@Test
	void oneOfTheNodesSaysThatEverythingIsForgotten() {
		workers();
		LowkiqServer first = start("node-a");
		LowkiqServer second = start("node-b");
		ServerFixture.awaitHeld(2, first, second);
		String firstSession = session(first);
		String secondSession = session(second);
		assertThat(this.store.nodes().forgotten()).as("after a first start").isEmpty();
		this.redis.faults().promote(this.empty);
		awaitOther(first, firstSession);
		awaitOther(second, secondSession);
		assertThat(this.store.nodes().forgotten()).hasSize(1).allSatisfy((loss) -> {
			assertThat(loss.degree()).isEqualTo(Degree.EVERYTHING);
			assertThat(loss.node()).isIn("node-a", "node-b");
			assertThat(loss.knownAt()).isBetween(loss.noticedAt() - LEASE.toMillis(), loss.noticedAt());
		});
		assertThat(this.noticed).hasValue(1);
		Forgotten loss = this.store.nodes().forgotten().get(0);
		assertThat(loss.sentence()).contains("node " + loss.node() + " found its session and all queues gone",
				"Recorded again: mails, orders.");
		ServerFixture.awaitHeld(2, first, second);
	}

	@Test
	void aLossIsSaidOnceThoughTheAnswerOfItsRecordIsLost() {
		workers();
		AtomicBoolean isLost = new AtomicBoolean();
		NodeRegistry nodes = this.store.nodes();
		NodeRegistry lossy = Intercepted.of(NodeRegistry.class, nodes, (method, call) -> {
			Object answer = call.make();
			if (method.equals("recordForgotten") && isLost.compareAndSet(false, true)) {
				throw new StoreTimeoutException("The answer is lost", null);
			}
			return answer;
		});
		LowkiqServer server = this.fixture.server(this::node, lossy);
		server.start();
		ServerFixture.awaitHeld(4, server);
		String session = session(server);
		this.redis.faults().promote(this.empty);
		awaitOther(server, session);
		assertThat(isLost).isTrue();
		assertThat(nodes.forgotten()).hasSize(1);
		assertThat(this.noticed).hasValue(1);
	}

	private QueueLayout madeAgain(RedisStore known) {
		QueueLayout first = known.queues().register("orders", 2);
		assertThat(known.queues().beginRemoval(first) && known.queues().endRemoval(first)).isTrue();
		return known.queues().register("orders", 2);
	}

	@Test
	void jobsReachTheirServerThoughItsQueueHasAnEarlierGenerationNow() {
		Set<String> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> performed.add(id));
		RedisStore producing = this.redis.store();
		assertThat(madeAgain(producing).generation()).isEqualTo(2);
		StoreEnqueuer producer = new StoreEnqueuer(new WorkerRegistry(List.of()), List.of(), producing.shards(),
				producing.queues(), LowkiqObserver.NONE);
		List<NewPayload> jobs = IntStream.range(0, 20)
			.mapToObj((i) -> NewPayload.of("id" + i, new byte[] { '1' }))
			.toList();
		producer.enqueue("orders", jobs);
		this.redis.faults().promote(this.empty);
		start("node-a");
		await().atMost(PATIENCE).until(() -> this.store.queues().find("orders").isPresent());
		producer.enqueue("orders", jobs);
		await().atMost(PATIENCE).until(() -> performed.size() == 20);
		assertThat(producer.shardOf("orders", "id0").generation()).isEqualTo(1);
	}

	@Test
	void aQueueThatNobodyElseRecordsIsRecordedAsItWasKnown() {
		QueueLayout known = madeAgain(this.store);
		this.redis.faults().promote(this.empty);
		StoreEnqueuer producer = new StoreEnqueuer(new WorkerRegistry(List.of()),
				List.of(new QueueDeclaration("orders", 2)), this.store.shards(), this.store.queues(),
				LowkiqObserver.NONE);
		producer.enqueue("orders", List.of(NewPayload.of("a", new byte[] { '1' })));
		assertThat(this.store.queues().find("orders")).contains(known);
		this.redis.faults().promote(this.empty);
		assertThat(producer.enqueueByShard("orders", List.of(NewPayload.of("a", new byte[] { '1' })))).isEmpty();
		assertThat(this.store.inspection().counts(known.shardOf("a")).queued()).isOne();
		this.redis.faults().promote(this.empty);
		assertThat(this.redis.store().queues().register("orders", 2).generation()).isEqualTo(1);
		assertThat(this.store.queues().register("orders", 2).generation()).isEqualTo(1);
	}

	@Test
	void jobsOfALaterGenerationAreNamedUntilTheRecordIsCorrected() {
		QueueLayout second = madeAgain(this.store);
		second.allShards().forEach((shard) -> this.store.actions().close(shard, null, true));
		assertThat(this.store.queues().beginRemoval(second) && this.store.queues().endRemoval(second)).isTrue();
		QueueLayout third = this.store.queues().register("orders", 5);
		third.allShards().forEach((shard) -> this.store.shards().acquire(shard, LeaseRequest.forFreeShard("a")).join());
		this.store.shards().enqueue(third.shard(3), List.of(NewPayload.of("a", new byte[] { '1' })));
		RedisStore known = this.redis.store();
		assertThat(known.stranded()).isEmpty();
		record("1:2");
		assertThat(List.of(known.stranded(), this.redis.store().stranded())).allSatisfy((stranded) -> assertThat(
				stranded)
			.extracting(StrandedShards::sentence)
			.containsExactly("Queue orders: nobody performs its 1 job in 1 shard of generation 3. Its record in Redis "
					+ "has gone back to generation 1. When its other jobs are done, set the field 'orders' of "
					+ "lowkiq:{queues} to '3:5', and restart all applications."));
		record("3:5");
		assertThat(known.stranded()).isEmpty();
	}

	private void record(String layout) {
		this.redis.call(bytes("HSET"), bytes("lowkiq:{queues}"), bytes("orders"), bytes(layout)).join();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void aLapseForgetsNothing() {
		workers();
		LowkiqServer server = start("node-a");
		ServerFixture.awaitHeld(4, server);
		String session = session(server);
		this.ahead.addAndGet(LEASE.toNanos());
		server.clockMoved();
		awaitOther(server, session);
		ServerFixture.awaitHeld(4, server);
		assertNothing();
	}

	@Test
	void aFailoverThatKnowsTheQueuesHasNotForgottenEverything() {
		workers();
		LowkiqServer before = start("node-a");
		ServerFixture.awaitHeld(4, before);
		before.stop(PATIENCE);
		Faults.Snapshot replica = this.redis.faults().snapshot();
		LowkiqServer server = start("node-b");
		ServerFixture.awaitHeld(4, server);
		String session = session(server);
		this.redis.faults().promote(replica);
		awaitOther(server, session);
		assertNothing();
	}

	private void assertNothing() {
		assertThat(this.store.nodes().forgotten()).extracting(Forgotten::degree).doesNotContain(Degree.EVERYTHING);
		assertThat(this.noticed).hasValue(0);
	}

}
