package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lowkiq.BuryException;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.JobRequest;
import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class LowkiqServerTests {

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.memory);

	/** A worker that retries at once. */
	private interface Impatient extends Worker<Integer> {

		@Override
		default Duration retryIn(int retryCount, Throwable error) {
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
				.server((builder) -> builder
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
	void outOfMemoryErrorsOfThreeJobsStopTheServerAndTheOthersFinish() throws Exception {
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
		this.fixture.client().enqueue("fatal", "f1", 1);
		this.fixture.client().enqueue("fatal", "f2", 1);
		this.fixture.client().enqueue("fatal", "f3", 1);
		await().atMost(PATIENCE).until(() -> server.status().state() == ServerStatus.State.FAILED);
		assertThat(server.isRunning()).isFalse();
		assertThat(server.status().failure()).isInstanceOf(OutOfMemoryError.class)
			.hasMessageContainingAll("'f1'", "'f2'", "'f3'", "'fatal'");
		finishSlow.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("slow") == 1);
		await().atMost(PATIENCE).until(() -> this.fixture.nodes.members().members().isEmpty());
		assertThat(this.fixture.counts("slow", 0).session()).isNull();
		assertThat(events).hasAtLeastOneElementOfType(LowkiqServerEvent.Failed.class);
	}

	@Test
	void outOfMemoryErrorsOfOneJobMakeItASuspectAndTheServerGoesOn() {
		AtomicInteger performs = new AtomicInteger();
		Set<String> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(1, 1, 10), new Impatient() {

			@Override
			public void perform(String id, List<Integer> payloads) {
				if (id.equals("bad") && performs.incrementAndGet() <= 6) {
					throw new OutOfMemoryError("pretended");
				}
				performed.add(id);
			}

			@Override
			public Duration retryIn(int retryCount, Throwable error) {
				return (retryCount < 5) ? Duration.ZERO : Duration.ofHours(1);
			}

		});
		LowkiqServer server = this.fixture.started();
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "bad", 1);
		await().atMost(PATIENCE).until(() -> performs.get() == 6);
		client.enqueue("orders", "good", 1);
		await().atMost(PATIENCE).until(() -> performed.contains("good"));
		assertThat(server.isRunning()).isTrue();
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).retry() == 1);
		JobView bad = this.fixture.job("orders", JobView.State.QUEUED, "bad");
		assertThat(bad.crashes()).isGreaterThanOrEqualTo(ShardStore.SUSPECT_AFTER);
		assertThat(bad.retryCount()).isEqualTo(5);
	}

	@Test
	void whatGoesToTheMorgueIsAnEvent() {
		List<LowkiqServerEvent> events = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			throw new BuryException("no use");
		});
		this.fixture.started((builder) -> builder.events(events::add).node("node"));
		this.fixture.client().enqueue("orders", "bad", 1);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(events)
				.anySatisfy((event) -> assertThat(event).isInstanceOf(LowkiqServerEvent.PayloadsBuried.class)));
		assertThat(events).filteredOn(LowkiqServerEvent.PayloadsBuried.class::isInstance)
			.singleElement()
			.satisfies((event) -> {
				LowkiqServerEvent.PayloadsBuried buried = (LowkiqServerEvent.PayloadsBuried) event;
				assertThat(buried.node()).isEqualTo("node");
				assertThat(buried.queue()).isEqualTo("orders");
				assertThat(buried.id()).isEqualTo("bad");
				assertThat(buried.payloads()).isEqualTo(1);
				assertThat(buried.error()).contains("no use");
			});
	}

	@Test
	void changesGatherUntilTheirIdIsQuiet() {
		List<List<Integer>> seen = new CopyOnWriteArrayList<>();
		GatheringPolicy policy = new GatheringPolicy(Duration.ofMillis(500), Duration.ofSeconds(10), Duration.ZERO,
				false, false, false);
		this.fixture.worker("orders", settings(1, 1, 5).with(policy),
				(Worker<Integer>) (id, payloads) -> seen.add(payloads));
		ServerFixture.awaitHeld(1, this.fixture.started());
		for (int i = 0; i < 20; i++) {
			this.fixture.client().enqueue("orders", "a", i);
		}
		await().atMost(PATIENCE).until(() -> !seen.isEmpty());
		assertThat(seen).containsExactly(IntStream.range(0, 20).boxed().toList());
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
		this.fixture.worker("orders", settings(1, 10, 5, 1), new SlowOnFirst(performed, began, finish));
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
		this.fixture.takeAsDeadNode("dead", shard);
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
		dieWhilePerforming("orders", "dead-1");
		dieWhilePerforming("orders", "dead-2");
		this.fixture
			.server((builder) -> builder
				.settings(new ServerSettings(8, Duration.ofSeconds(1), Duration.ofSeconds(1), 100, false)))
			.start();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 40);
		assertThat(most).hasValue(1);
	}

	/** A node that fetches all jobs and dies. */
	private void dieWhilePerforming(String queue, String session) {
		QueueLayout layout = this.fixture.queues.find(queue).orElseThrow();
		layout.allShards().forEach((shard) -> this.fixture.takeAsDeadNode(session, shard));
		assertThat(this.fixture.nodes.end(session, 0, true)).isTrue();
	}

	@Test
	void aMismatchRefusesTheQueueAndServesTheOthers() {
		this.fixture.queues.register("wrong", 9);
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("wrong", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> seen.add(-1));
		this.fixture.queues.register(new QueueDeclaration("grouped", 2, ":"));
		this.fixture.worker("grouped", settings(2, 1, 5).with(new GroupPolicy(":")),
				(Worker<Integer>) (id, payloads) -> seen.add(-1));
		this.fixture.worker("right", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> seen.addAll(payloads));
		LowkiqServer server = this.fixture.server();
		assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(server::registerQueues);
		server.start();
		this.fixture.client().enqueue("right", "a", 1);
		await().atMost(PATIENCE).until(() -> seen.contains(1));
		assertThat(server.status().refusedQueues()).hasSize(2)
			.anySatisfy((refused) -> assertThat(refused.reason()).contains("lowkiq.workers.wrong.shards=9"))
			.anySatisfy((refused) -> assertThat(refused.reason()).contains(
					"lowkiq.workers.grouped.one-shard-per-group=true, lowkiq.workers.grouped.group.separator=':'"));
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
	void aJumpOfTheClocksMakesADelayedJobDueAndTheSessionLasts() {
		AtomicLong jumped = new AtomicLong();
		try (ServerFixture moved = new ServerFixture(
				InMemoryRedis.newStore(() -> Instant.now().plusSeconds(jumped.get())))) {
			moved.worker("orders", settings(1, 1, 3), (Worker<Integer>) (id, payloads) -> {
			});
			LowkiqServer server = moved.started((builder) -> builder.settings(settings(1, Duration.ofHours(1)))
				.nanoTime(() -> System.nanoTime() + TimeUnit.SECONDS.toNanos(jumped.get())));
			await().atMost(PATIENCE).until(() -> server.status().session() != null);
			String session = server.status().session();
			moved.client().enqueue("orders", JobRequest.of("42", 1).performIn(Duration.ofMinutes(20)));
			jumped.set(TimeUnit.MINUTES.toSeconds(20));
			server.clockMoved();
			await().atMost(PATIENCE).until(() -> moved.processed("orders") == 1);
			assertThat(server.status().session()).isEqualTo(session);
		}
	}

	/** However many shards it holds. Only the test lets time go on. */
	@Test
	void anIdleNodeOnlyBeatsAndReports() {
		AtomicLong clock = new AtomicLong();
		AtomicInteger beats = new AtomicInteger();
		List<String> others = new CopyOnWriteArrayList<>();
		ShardStore shards = Intercepted.of(ShardStore.class, this.memory.shards(), (method, call) -> {
			others.add(method);
			return call.make();
		});
		NodeRegistry nodes = Intercepted.of(NodeRegistry.class, this.memory.nodes(), (method, call) -> {
			Object answer = call.make();
			if (method.equals("beat")) {
				beats.incrementAndGet();
			}
			else if (!method.equals("report")) {
				others.add(method);
			}
			return answer;
		});
		try (ServerFixture idle = new ServerFixture(this.memory, shards)) {
			idle.worker("orders", settings(100, 1, 5), (Worker<Integer>) (id, payloads) -> {
			});
			LowkiqServer server = idle
				.server((builder) -> builder.settings(ServerFixture.BRIEF_LEASE).nanoTime(clock::get), nodes);
			server.start();
			ServerFixture.awaitHeld(100, server);
			Runnable beat = () -> {
				int before = beats.get();
				clock.addAndGet(ServerFixture.BRIEF_LEASE.leaseDuration().toNanos() / 5);
				server.clockMoved();
				await().atMost(PATIENCE).until(() -> beats.get() > before);
			};
			// Once it is subscribed, it looks at all shards again
			await().atMost(PATIENCE).until(() -> {
				others.clear();
				IntStream.range(0, 2).forEach((i) -> beat.run());
				return others.isEmpty();
			});
			IntStream.range(0, 5).forEach((i) -> beat.run());
			assertThat(others).isEmpty();
		}
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
