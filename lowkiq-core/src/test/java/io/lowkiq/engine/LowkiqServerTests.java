package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.ShardCountMismatchException;
import io.lowkiq.Worker;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class LowkiqServerTests {

	private final InMemoryStore memory = new InMemoryStore(InstantSource.system());

	private final ServerFixture fixture = new ServerFixture(this.memory);

	@AfterEach
	void stopServers() {
		this.fixture.close();
	}

	/** A worker that retries at once. */
	private interface Impatient extends Worker<Integer> {

		@Override
		default Duration retryIn(int retryCount) {
			return Duration.ZERO;
		}

	}

	@Test
	void payloadsOfAnIdArriveInOrder() {
		Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
		this.fixture.worker("orders", settings(3, 1, 3), (Worker<Integer>) (id,
				payloads) -> seen.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>()).addAll(payloads));
		this.fixture.server().start();
		LowkiqClient client = this.fixture.client();
		for (int i = 0; i < 300; i++) {
			client.enqueue("orders", "id" + i % 7, i);
		}
		await().atMost(PATIENCE).until(() -> seen.values().stream().mapToInt(List::size).sum() == 300);
		assertThat(seen.values()).allSatisfy((payloads) -> assertThat(payloads).isSorted().doesNotHaveDuplicates());
	}

	@Test
	void noTwoPerformsOfAnIdOverlapUnderManyThreadsAndNodes() {
		Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
		List<String> overlaps = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(4, 1, 3), (Worker<Integer>) (id, payloads) -> {
			AtomicInteger count = running.computeIfAbsent(id, (key) -> new AtomicInteger());
			if (count.incrementAndGet() != 1) {
				overlaps.add(id);
			}
			Thread.yield();
			count.decrementAndGet();
		});
		for (int i = 0; i < 2; i++) {
			this.fixture
				.server((builder) -> builder.splitter(new AdaptiveShardSplitter())
					.settings(new ServerSettings(8, Duration.ofSeconds(1), Duration.ofSeconds(15), 100, false)))
				.start();
		}
		LowkiqClient client = this.fixture.client();
		IntStream.range(0, 3_000).parallel().forEach((i) -> client.enqueue("orders", "id" + i % 11, i));
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(overlaps).isEmpty();
	}

	@Test
	void aFailedJobIsRetriedAndThenBuried() {
		AtomicInteger performs = new AtomicInteger();
		List<Integer> exhausted = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 2), new Impatient() {

			@Override
			public void perform(String id, List<Integer> payloads) {
				performs.incrementAndGet();
				throw new IllegalStateException("boom");
			}

			@Override
			public void retriesExhausted(String id, Integer payload, Throwable error) {
				exhausted.add(payload);
			}

		});
		this.fixture.server().start();
		this.fixture.client().enqueue("orders", "a", 42);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).dead() == 1);
		assertThat(performs).hasValue(3);
		assertThat(exhausted).containsExactly(42);
		Shard shard = this.fixture.queues.find("orders").orElseThrow().shard(0);
		assertThat(this.fixture.inspection.find(shard, JobView.State.DEAD, "a", 1).orElseThrow().error())
			.contains("IllegalStateException: boom");
		assertThat(this.fixture.counts("orders", 0).failed()).isEqualTo(3);
	}

	@Test
	void withoutRetriesTheFirstFailureBuries() {
		AtomicInteger performs = new AtomicInteger();
		this.fixture.worker("orders", settings(1, 1, 0), (Worker<Integer>) (id, payloads) -> {
			performs.incrementAndGet();
			throw new AssertionError("boom");
		});
		this.fixture.server().start();
		this.fixture.client().enqueue("orders", "a", 42);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).dead() == 1);
		assertThat(performs).hasValue(1);
	}

	@Test
	void aNonsensicalRetryDelayIsReplacedByTheStandardOne() {
		this.fixture.worker("orders", settings(1, 1, 5), new Worker<>() {

			@Override
			public void perform(String id, List<Integer> payloads) {
				throw new IllegalStateException("boom");
			}

			@Override
			public Duration retryIn(int retryCount) {
				return Duration.ofSeconds(-1);
			}

		});
		this.fixture.server().start();
		this.fixture.client().enqueue("orders", "a", 42);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).retry() == 1);
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(counts.oldest() - counts.now()).isGreaterThan(5_000);
	}

	@Test
	void aBatchSettlesEachJobByItself() {
		List<Integer> sizes = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 4, 5), (BatchWorker<Integer>) (batch) -> {
			sizes.add(batch.jobs().size());
			for (Batch.Job<Integer> job : batch) {
				if (job.id().equals("bad")) {
					job.fail(new IllegalStateException("bad"));
				}
				if (job.id().equals("good")) {
					job.done();
				}
			}
			throw new IllegalStateException("the rest");
		});
		LowkiqClient client = this.fixture.client();
		client.enqueueAll("orders",
				List.of(JobRequest.of("good", 1), JobRequest.of("bad", 2), JobRequest.of("unmarked", 3)));
		this.fixture.server().start();
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).retry() == 2);
		assertThat(this.fixture.counts("orders", 0).processed()).isEqualTo(1);
		assertThat(sizes).containsExactly(3);
	}

	@Test
	void anUnreadablePayloadGoesToTheMorgueAndTheRestIsPerformed() {
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> seen.addAll(payloads));
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "a", 1);
		Shard shard = this.fixture.queues.find("orders").orElseThrow().shard(0);
		this.fixture.store.push(shard,
				List.of(NewPayload.of("a", "{".getBytes()), NewPayload.of("b", "null".getBytes())));
		client.enqueue("orders", "a", 3);
		this.fixture.server().start();
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).dead() == 2);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(seen).containsExactly(1, 3);
		JobView dead = this.fixture.inspection.find(shard, JobView.State.DEAD, "a", 10).orElseThrow();
		assertThat(dead.payloads()).singleElement()
			.satisfies((payload) -> assertThat(payload.bytes()).asString().isEqualTo("{"));
		assertThat(dead.error()).contains("PayloadException");
	}

	@Test
	void anErrorStopsTheServerAndTheOthersFinish() throws Exception {
		CountDownLatch slowBegan = new CountDownLatch(1);
		CountDownLatch finishSlow = new CountDownLatch(1);
		List<LowkiqServerEvent> events = new CopyOnWriteArrayList<>();
		this.fixture.worker("slow", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			slowBegan.countDown();
			finishSlow.await();
		});
		this.fixture.worker("fatal", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			throw new OutOfMemoryError("pretended");
		});
		LowkiqServer server = this.fixture.server((builder) -> builder.events(events::add));
		server.start();
		this.fixture.client().enqueue("slow", "s", 1);
		assertThat(slowBegan.await(20, TimeUnit.SECONDS)).isTrue();
		this.fixture.client().enqueue("fatal", "f", 1);
		await().atMost(PATIENCE).until(() -> server.status().state() == ServerStatus.State.FAILED);
		assertThat(server.isRunning()).isFalse();
		assertThat(server.status().failure()).isInstanceOf(OutOfMemoryError.class);
		finishSlow.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("slow") == 1);
		await().atMost(PATIENCE).until(() -> this.fixture.nodes.members().members().isEmpty());
		assertThat(this.fixture.counts("slow", 0).session()).isNull();
		assertThat(events).hasAtLeastOneElementOfType(LowkiqServerEvent.Failed.class);
	}

	@Test
	void theJobOfAnErrorComesBackAndCountsAsCaughtInACrash() {
		AtomicBoolean healed = new AtomicBoolean();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			if (!healed.get()) {
				throw new OutOfMemoryError("pretended");
			}
		});
		LowkiqServer server = this.fixture.server();
		server.start();
		this.fixture.client().enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> server.status().state() == ServerStatus.State.FAILED);
		await().atMost(PATIENCE).until(() -> this.fixture.nodes.members().members().isEmpty());
		healed.set(true);
		Shard shard = this.fixture.queues.find("orders").orElseThrow().shard(0);
		Acquisition restored = this.fixture.store.acquire(shard,
				Claim.crashed("looking", String.valueOf(this.fixture.counts("orders", 0).session())));
		assertThat(this.fixture.inspection.find(shard, JobView.State.QUEUED, "a", 1).orElseThrow().crashes())
			.isEqualTo(1);
		this.fixture.store.release(((Acquisition.Acquired) restored).lease(), 1, List.of());
		this.fixture.server().start();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
	}

	@Test
	void aServerStartsAgainAfterAStop() {
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> seen.addAll(payloads));
		LowkiqServer server = this.fixture.server();
		for (int i = 0; i < 3; i++) {
			int number = i;
			server.start();
			this.fixture.client().enqueue("orders", "a", number);
			await().atMost(PATIENCE).until(() -> seen.contains(number));
			assertThat(server.stop(Duration.ofSeconds(10))).isTrue();
			assertThat(server.isRunning()).isFalse();
			assertThat(this.fixture.counts("orders")).allSatisfy((counts) -> assertThat(counts.session()).isNull());
		}
	}

	@Test
	void quietFetchesNoMoreAndGivesBackWhatIsNotBegun() throws Exception {
		CountDownLatch began = new CountDownLatch(1);
		CountDownLatch finish = new CountDownLatch(1);
		List<String> performed = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 10, 5), new SlowOnFirst(performed, began, finish));
		LowkiqClient client = this.fixture.client();
		client.enqueueAll("orders", IntStream.range(0, 10).mapToObj((i) -> JobRequest.of("id" + i, i)).toList());
		LowkiqServer server = this.fixture.server();
		server.start();
		assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
		server.quiet();
		finish.countDown();
		assertThat(server.stop(Duration.ofSeconds(10))).isTrue();
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(counts.processed()).isEqualTo(performed.size()).isEqualTo(1);
		assertThat(counts.fresh()).isEqualTo(9);
		assertThat(counts.busy()).isZero();
	}

	private record SlowOnFirst(List<String> performed, CountDownLatch began,
			CountDownLatch finish) implements Worker<Integer> {

		@Override
		public void perform(String id, List<Integer> payloads) throws Exception {
			this.performed.add(id);
			this.began.countDown();
			this.finish.await();
		}

	}

	@Test
	void aPerformThatOutlastsTheStopIsInterruptedAndItsJobGivenBack() throws Exception {
		CountDownLatch began = new CountDownLatch(1);
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			began.countDown();
			new CountDownLatch(1).await();
		});
		this.fixture.client().enqueue("orders", "a", 1);
		LowkiqServer server = this.fixture.server();
		server.start();
		assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(server.stop(Duration.ofMillis(1))).isFalse();
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(counts.session()).isNull();
		assertThat(counts.fresh()).isEqualTo(1);
		assertThat(counts.failed()).isZero();
	}

	@Test
	void theJobsOfADeadNodeAreRestored() {
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> seen.addAll(payloads));
		this.fixture.client().enqueue("orders", "a", 7);
		Shard shard = this.fixture.queues.find("orders").orElseThrow().shard(0);
		this.fixture.nodes.join("dead", Duration.ofMillis(300), new NodeInfo("dead", 0, List.of("orders"), "{}"));
		Acquisition.Acquired acquired = (Acquisition.Acquired) this.fixture.store.acquire(shard, Claim.free("dead"));
		this.fixture.store.turn(acquired.lease(), 1, List.of(), new Fetch(1, 10, false));
		this.fixture
			.server((builder) -> builder
				.settings(new ServerSettings(2, Duration.ofSeconds(1), Duration.ofSeconds(1), 100, false)))
			.start();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(seen).containsExactly(7);
	}

	@Test
	void suspectsOfOneNodeArePerformedOneAtATime() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		this.fixture.worker("orders", settings(8, 1, 5), (Worker<Integer>) (id, payloads) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			for (int i = 0; i < 1_000; i++) {
				Thread.yield();
			}
			running.decrementAndGet();
		});
		LowkiqClient client = this.fixture.client();
		IntStream.range(0, 40).forEach((i) -> client.enqueue("orders", "id" + i, i));
		dieWhilePerforming("orders");
		this.fixture
			.server((builder) -> builder.splitter(new AdaptiveShardSplitter())
				.settings(new ServerSettings(8, Duration.ofSeconds(1), Duration.ofSeconds(1), 100, false)))
			.start();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 40);
		assertThat(most).hasValue(1);
	}

	/** A node that fetches all jobs and dies. */
	private void dieWhilePerforming(String queue) {
		this.fixture.nodes.join("dead", Duration.ofMinutes(1), new NodeInfo("dead", 0, List.of(queue), "{}"));
		for (Shard shard : this.fixture.queues.find(queue).orElseThrow().allShards()) {
			Acquisition.Acquired acquired = (Acquisition.Acquired) this.fixture.store.acquire(shard,
					Claim.free("dead"));
			this.fixture.store.turn(acquired.lease(), 1, List.of(), new Fetch(1_000, 10, false));
		}
		this.fixture.nodes.leave("dead");
	}

	@Test
	void aMismatchRefusesTheQueueAndServesTheOthers() {
		this.fixture.queues.register("wrong", 9);
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("wrong", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> seen.add(-1));
		this.fixture.worker("right", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> seen.addAll(payloads));
		LowkiqServer server = this.fixture.server();
		assertThatExceptionOfType(ShardCountMismatchException.class).isThrownBy(server::registerQueues);
		server.start();
		this.fixture.client().enqueue("right", "a", 1);
		await().atMost(PATIENCE).until(() -> seen.contains(1));
		assertThat(server.status().refusedQueues()).singleElement()
			.satisfies((refused) -> assertThat(refused.reason()).contains("lowkiq.workers.wrong.shards=9"));
		QueueLayout recorded = this.fixture.queues.find("wrong").orElseThrow();
		assertThat(recorded.shards()).isEqualTo(9);
	}

	@Test
	void aDelayedJobIsPerformedWhenItIsDueThoughNobodyCalls() {
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> seen.addAll(payloads));
		this.fixture.client().enqueue("orders", JobRequest.of("a", 1).performIn(Duration.ofMillis(300)));
		this.fixture.server().start();
		await().atMost(PATIENCE).until(() -> seen.contains(1));
	}

	@Test
	void interceptorsRunAroundThePerformAndSeeItsFencingToken() {
		List<String> calls = new CopyOnWriteArrayList<>();
		ThreadPerformContext context = new ThreadPerformContext();
		this.fixture.worker("orders", settings(1, 1, 5),
				(Worker<Integer>) (id, payloads) -> calls.add("worker " + (context.fencingToken() > 0)));
		this.fixture.server((builder) -> builder.performContext(context).interceptors(List.of((call, chain) -> {
			calls.add("outer " + call.jobs().get(0).id());
			chain.proceed();
			calls.add("end");
		}, (call, chain) -> {
			calls.add("inner " + (call.fencingToken() == context.fencingToken()));
			chain.proceed();
		}))).start();
		this.fixture.client().enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(calls).containsExactly("outer a", "inner true", "worker true", "end");
	}

	@Test
	void statusTellsWhatIsPerformed() throws Exception {
		CountDownLatch began = new CountDownLatch(1);
		CountDownLatch finish = new CountDownLatch(1);
		this.fixture.worker("orders", settings(1, 1, 5), new SlowOnFirst(new ArrayList<>(), began, finish));
		LowkiqServer server = this.fixture.server();
		server.start();
		this.fixture.client().enqueue("orders", "a", 1);
		assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
		ServerStatus status = server.status();
		assertThat(status.state()).isEqualTo(ServerStatus.State.RUNNING);
		assertThat(status.threads()).filteredOn((thread) -> !thread.ids().isEmpty())
			.singleElement()
			.satisfies((thread) -> assertThat(thread.ids()).containsExactly("a"));
		assertThat(status.shards()).singleElement().satisfies((shard) -> assertThat(shard.held()).isTrue());
		finish.countDown();
		await().atMost(PATIENCE)
			.until(() -> server.status().threads().stream().allMatch((thread) -> thread.ids().isEmpty()));
		assertThat(Set.copyOf(server.status().threads())).hasSize(5);
	}

}
