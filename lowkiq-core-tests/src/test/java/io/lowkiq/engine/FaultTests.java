package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.Worker;
import io.lowkiq.engine.ServerStatus.ShardStatus;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.WakeUps;
import io.lowkiq.testing.ForwardingListener;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the promise is worth when calls and answers get lost.
 */
@Timeout(120)
class FaultTests {

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private ServerFixture fixture = new ServerFixture(this.memory);

	private FaultyShardStore faulty = new FaultyShardStore(this.memory.shards());

	/** Makes calls on other threads, some at the same time. */
	private final ExecutorService network = Executors.newFixedThreadPool(3);

	@AfterEach
	void stopServers() {
		this.faulty.heal();
		this.fixture.close();
		this.network.shutdownNow();
	}

	private void failOften(long seed) {
		this.faulty = new FaultyShardStore(new ObservedShardStore(this.memory.shards(), this.network), seed, 12);
		this.fixture = new ServerFixture(this.memory, this.faulty);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5 })
	void nothingIsLostAndNothingOverlapsWhenCallsAndAnswersGetLost(long seed) {
		failOften(seed);
		Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
		Set<Integer> performed = ConcurrentHashMap.newKeySet();
		Set<Integer> failed = ConcurrentHashMap.newKeySet();
		List<String> wrong = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(5, 1, 1_000), new Worker<>() {

			@Override
			public void perform(String id, List<Integer> payloads) {
				AtomicInteger count = running.computeIfAbsent(id, (key) -> new AtomicInteger());
				if (count.incrementAndGet() != 1) {
					wrong.add("overlap of " + id);
				}
				try {
					if (payloads.get(0) % 50 == 13 && failed.add(payloads.get(0))) {
						throw new IllegalStateException("boom");
					}
					performed.addAll(payloads);
				}
				finally {
					count.decrementAndGet();
				}
			}

			@Override
			public Duration retryIn(int retryCount, Throwable error) {
				return Duration.ofMillis(1);
			}

		});
		this.fixture.started();
		LowkiqClient client = this.fixture.client();
		for (int i = 0; i < 400; i++) {
			client.enqueue("orders", "id" + i % 23, i);
			if (i == 200) {
				this.fixture.started();
			}
		}
		await().atMost(Duration.ofSeconds(60)).until(() -> performed.size() == 400);
		await().atMost(Duration.ofSeconds(60)).until(() -> this.fixture.isEmpty("orders"));
		assertThat(wrong).isEmpty();
		assertThat(this.fixture.counts("orders")).allSatisfy((counts) -> assertThat(counts.dead()).isZero());
	}

	@Test
	void aLateCallThatRenewsTheLeaseOfAnIdleShardStrandsNoJob() {
		Set<Integer> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(200, 1, 5),
				(Worker<Integer>) (id, payloads) -> performed.addAll(payloads));
		LowkiqServer server = this.fixture.server();
		server.start();
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> performed.contains(1));
		Shard shard = this.fixture.queues.find("orders").orElseThrow().shardOf("a");
		await().atMost(PATIENCE).until(() -> server.status().threads().stream().allMatch((t) -> t.shard() == null));
		Acquisition late = this.fixture.store.acquire(shard, LeaseRequest.forFreeShard(server.status().session()))
			.join();
		assertThat(late).isInstanceOf(Acquisition.Acquired.class);
		client.enqueue("orders", "a", 2);
		await().atMost(PATIENCE).until(() -> performed.contains(2));
	}

	@Test
	void theServerGoesOnByItselfWhenTheStoreIsBack() {
		failOften(1);
		this.faulty.heal();
		Set<Integer> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(3, 1, 5),
				(Worker<Integer>) (id, payloads) -> performed.addAll(payloads));
		LowkiqServer server = this.fixture.server();
		server.start();
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> performed.contains(1));
		this.faulty.goAway();
		client.enqueueAll("orders", List.of(JobRequest.of("a", 2), JobRequest.of("a", 3)));
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() != null);
		assertThat(performed).doesNotContain(2);
		this.faulty.heal();
		await().atMost(PATIENCE).until(() -> performed.contains(2));
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() == null);
	}

	@Test
	void aJobOfWhichTheStoreForgotToTellIsFoundWhenTheStoreIsBack() {
		AtomicBoolean forgetful = new AtomicBoolean();
		this.faulty.heal();
		this.fixture = new ServerFixture(this.memory, this.faulty,
				(session, listener) -> this.memory.wakeUps().subscribe(session, new Forgetful(listener, forgetful)));
		Set<String> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(200, 1, 5), (Worker<Integer>) (id, payloads) -> performed.add(id));
		LowkiqServer server = this.fixture.server();
		server.start();
		LowkiqClient client = this.fixture.client();
		await().atMost(PATIENCE)
			.until(() -> server.status().shards().stream().filter(ShardStatus::held).count() == 200);
		await().atMost(PATIENCE).until(() -> server.status().threads().stream().allMatch((t) -> t.shard() == null));
		forgetful.set(true);
		client.enqueue("orders", "a", 1);
		forgetful.set(false);
		this.faulty.goAway();
		client.enqueue("orders", "b", 1);
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() != null);
		assertThat(performed).isEmpty();
		this.faulty.heal();
		await().atMost(PATIENCE).until(() -> performed.containsAll(Set.of("a", "b")));
	}

	@Test
	void aJobWhoseEndAFailoverForgotComesAgain() {
		failOften(1);
		this.faulty.heal();
		Map<String, AtomicInteger> performs = new ConcurrentHashMap<>();
		Shard shard = new QueueLayout("orders", 1, 200).shardOf("a");
		this.fixture.worker("orders", settings(200, 1, 5), (Worker<Integer>) (id, payloads) -> {
			if (performs.computeIfAbsent(id, (key) -> new AtomicInteger()).incrementAndGet() == 1 && id.equals("a")) {
				this.faulty.forgetFetch(shard);
			}
		});
		LowkiqServer server = this.fixture.server();
		server.start();
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> performs.containsKey("a"));
		await().atMost(PATIENCE).until(() -> server.status().threads().stream().allMatch((t) -> t.shard() == null));
		this.faulty.goAway();
		client.enqueue("orders", "b", 1);
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() != null);
		this.faulty.heal();
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(performs.get("a")).hasValue(2);
		assertThat(performs.get("b")).hasValue(1);
	}

	@Test
	void aLapsedSessionTellsThePerformAndItsOutcomeIsNotApplied() throws Exception {
		AtomicLong nanos = new AtomicLong();
		ThreadPerformContext context = new ThreadPerformContext();
		CountDownLatch began = new CountDownLatch(1);
		CountDownLatch finish = new CountDownLatch(1);
		AtomicBoolean lostBefore = new AtomicBoolean(true);
		AtomicBoolean lostAfter = new AtomicBoolean();
		AtomicInteger performs = new AtomicInteger();
		AtomicInteger lapses = new AtomicInteger();
		List<Long> tokens = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			tokens.add(context.fencingToken());
			if (performs.incrementAndGet() == 1) {
				lostBefore.set(context.isLeaseLost());
				began.countDown();
				finish.await();
				lostAfter.set(context.isLeaseLost());
			}
		});
		LowkiqServer server = this.fixture
			.server((builder) -> builder.nanoTime(nanos::get).performContext(context).observer(new LowkiqObserver() {
				@Override
				public void leaseLost() {
					lapses.incrementAndGet();
				}
			}));
		server.start();
		this.fixture.client().enqueue("orders", "a", 1);
		assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
		String session = server.status().session();
		nanos.addAndGet(Duration.ofSeconds(15).toNanos());
		await().atMost(PATIENCE).until(() -> lapses.get() == 1);
		await().atMost(PATIENCE).until(() -> {
			String now = server.status().session();
			return now != null && !now.equals(session);
		});
		assertThat(performs).hasValue(1);
		finish.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(performs).hasValue(2);
		assertThat(lostBefore).isFalse();
		assertThat(lostAfter).isTrue();
		assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
	}

	@Test
	void aPerformIsInterruptedWhenItsLeaseIsLostIfAskedFor() throws Exception {
		AtomicLong nanos = new AtomicLong();
		CountDownLatch began = new CountDownLatch(1);
		AtomicInteger performs = new AtomicInteger();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			if (performs.incrementAndGet() == 1) {
				began.countDown();
				new CountDownLatch(1).await();
			}
		});
		this.fixture
			.server((builder) -> builder.nanoTime(nanos::get)
				.settings(new ServerSettings(2, Duration.ofSeconds(1), Duration.ofSeconds(15), 100, true)))
			.start();
		this.fixture.client().enqueue("orders", "a", 1);
		assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
		nanos.addAndGet(Duration.ofSeconds(15).toNanos());
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(counts.failed()).isZero();
	}

	@Test
	void performsOfALostLeaseEndBeforeTheShardIsFetchedAgain() {
		CountDownLatch finish = new CountDownLatch(1);
		List<String> begun = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			begun.add(id);
			if (id.equals("slow")) {
				finish.await();
			}
		});
		LowkiqServer server = this.fixture.started();
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "slow", 1);
		await().atMost(PATIENCE).until(() -> begun.contains("slow"));
		// As by a call that was applied late: what is busy is put back
		Shard shard = this.fixture.shard("orders", 0);
		String session = String.valueOf(server.status().session());
		Acquisition.Acquired late = (Acquisition.Acquired) this.fixture.store
			.acquire(shard, LeaseRequest.forFreeShard(session))
			.join();
		assertThat(late.restored()).isEqualTo(1);
		client.enqueue("orders", "other", 1);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).epoch() > late.lease().epoch());
		await().during(Duration.ofMillis(300)).until(() -> begun.size() == 1);
		finish.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(begun).containsExactlyInAnyOrder("slow", "slow", "other");
	}

	@Test
	void otherShardsAreAcquiredThoughOneGetsNoAnswer() {
		this.fixture = new ServerFixture(this.memory, this.faulty);
		Set<String> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(5, 1, 5), (Worker<Integer>) (id, payloads) -> performed.add(id));
		QueueLayout layout = new QueueLayout("orders", 1, 5);
		this.faulty.beSilentAbout(layout.shard(2));
		LowkiqServer server = this.fixture.started((builder) -> builder.settings(ServerFixture.BRIEF_LEASE));
		ServerFixture.awaitHeld(4, server);
		LowkiqClient client = this.fixture.client();
		for (int i = 0; i < 5; i++) {
			client.enqueue("orders", ServerFixture.idIn(layout, i), 1);
		}
		await().atMost(PATIENCE).until(() -> performed.size() == 4);
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() != null);
		this.faulty.heal();
		ServerFixture.awaitHeld(5, server);
		await().atMost(PATIENCE).until(() -> performed.size() == 5);
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() == null);
	}

	@Test
	void aFetchWithoutAnAnswerIsGivenUpAndStrandsNoJob() {
		this.fixture = new ServerFixture(this.memory, this.faulty);
		Set<String> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> performed.add(id));
		QueueLayout layout = new QueueLayout("orders", 1, 2);
		LowkiqServer server = this.fixture
			.started((builder) -> builder.settings(ServerFixture.settings(1, Duration.ofSeconds(1))));
		ServerFixture.awaitHeld(2, server);
		ServerFixture.awaitIdle(server);
		this.faulty.beSilentAbout(layout.shard(0));
		LowkiqClient client = this.fixture.client();
		String silent = ServerFixture.idIn(layout, 0);
		client.enqueue("orders", silent, 1);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).busy() == 1);
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() != null);
		for (String id : ServerFixture.idsIn(layout, 1, 20)) {
			client.enqueue("orders", id, 1);
		}
		await().atMost(PATIENCE).until(() -> performed.size() == 20);
		this.faulty.heal();
		await().atMost(PATIENCE).until(() -> performed.contains(silent));
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() == null);
	}

	@Test
	void aProblemOfTheStoreIsOverWhenItIsBackThoughTheShardsAreAnotherNodesByThen() {
		AtomicBoolean cut = new AtomicBoolean();
		ServerFixture broken = new ServerFixture(this.memory, this.faulty);
		for (ServerFixture one : List.of(broken, this.fixture)) {
			one.worker("orders", settings(4, 1, 5), (Worker<Integer>) (id, payloads) -> {
			});
		}
		try (broken) {
			LowkiqServer first = broken.server((builder) -> builder.settings(ServerFixture.BRIEF_LEASE),
					new SilentRegistry(broken.nodes, cut).nodes);
			first.start();
			ServerFixture.awaitHeld(4, first);
			this.faulty.goAway();
			this.fixture.client().enqueue("orders", "a", 1);
			await().atMost(PATIENCE).until(() -> first.status().storeProblem() != null);
			cut.set(true);
			LowkiqServer second = this.fixture.started((builder) -> builder.settings(ServerFixture.BRIEF_LEASE));
			ServerFixture.awaitHeld(4, second);
			assertThat(first.status().storeProblem()).isNotNull();
			this.faulty.heal();
			cut.set(false);
			await().atMost(PATIENCE).until(() -> first.status().storeProblem() == null);
			ServerFixture.awaitHeld(2, first, second);
			await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
			second.stop(PATIENCE);
		}
	}

	@Test
	void aDeadNodesJobsComeBackWithoutAnyWallClock() {
		Instant begin = Instant.parse("2026-01-01T00:00:00Z");
		AtomicReference<Instant> clock = new AtomicReference<>(begin);
		RedisStore store = InMemoryRedis.newStore(clock::get);
		AtomicLong nanos = new AtomicLong();
		AtomicInteger lapses = new AtomicInteger();
		Set<String> performed = ConcurrentHashMap.newKeySet();
		try (ServerFixture onIt = new ServerFixture(store)) {
			onIt.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> performed.add(id));
			onIt.client().enqueue("orders", "a", 1);
			onIt.takeAsDeadNode("dead", onIt.shard("orders", 0), Duration.ofSeconds(3));
			// Of a lease that no busy machine ends
			LowkiqServer server = onIt
				.started((builder) -> builder.settings(ServerFixture.settings(5, Duration.ofMinutes(1)))
					.clock(clock::get)
					.nanoTime(nanos::get)
					.observer(new LowkiqObserver() {
						@Override
						public void leaseLost() {
							lapses.incrementAndGet();
						}
					}));
			await().atMost(PATIENCE).until(() -> server.status().session() != null);
			String session = server.status().session();
			clock.set(begin.plus(Duration.ofHours(1)));
			await().during(Duration.ofMillis(500))
				.until(() -> "dead".equals(onIt.counts("orders", 0).session()) && performed.isEmpty());
			clock.set(begin.minus(Duration.ofHours(1)));
			await().during(Duration.ofMillis(500)).until(performed::isEmpty);
			clock.set(begin);
			await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
				nanos.addAndGet(Duration.ofMillis(50).toNanos());
				server.clockMoved();
				return performed.contains("a");
			});
			assertThat(server.status().session()).isEqualTo(session);
			assertThat(lapses).hasValue(0);
		}
	}

	@Test
	void aMessageThatAShardIsFreeMayBeLost() {
		AtomicBoolean forgetful = new AtomicBoolean();
		CountDownLatch finish = new CountDownLatch(1);
		AtomicInteger begun = new AtomicInteger();
		ServerFixture deaf = new ServerFixture(this.memory, this.memory.shards(),
				(session, listener) -> this.memory.wakeUps().subscribe(session, new Forgetful(listener, forgetful)));
		for (ServerFixture one : List.of(deaf, this.fixture)) {
			one.worker("orders", settings(2, 1, 5), (Worker<Integer>) (id, payloads) -> {
				begun.incrementAndGet();
				finish.await();
			});
		}
		try (deaf) {
			LowkiqServer first = this.fixture.started();
			ServerFixture.awaitHeld(2, first);
			QueueLayout layout = new QueueLayout("orders", 1, 2);
			layout.allShards()
				.forEach((shard) -> this.fixture.client()
					.enqueue("orders", ServerFixture.idIn(layout, shard.index()), 1));
			await().atMost(PATIENCE).until(() -> begun.get() == 2);
			LowkiqServer second = deaf.started((builder) -> builder.settings(ServerFixture.BRIEF_LEASE));
			await().atMost(PATIENCE)
				.until(() -> second.status().shards().stream().anyMatch((shard) -> shard.holder() != null));
			forgetful.set(true);
			finish.countDown();
			ServerFixture.awaitHeld(1, first, second);
			first.stop(PATIENCE);
		}
	}

	/**
	 * Loses messages at times.
	 */
	private static final class Forgetful extends ForwardingListener {

		private final AtomicBoolean forgetful;

		Forgetful(WakeUps.Listener listener, AtomicBoolean forgetful) {
			super(listener);
			this.forgetful = forgetful;
		}

		@Override
		public void wake(Shard shard) {
			if (!this.forgetful.get()) {
				super.wake(shard);
			}
		}

		@Override
		public void released(Shard shard) {
			if (!this.forgetful.get()) {
				super.released(shard);
			}
		}

		@Override
		public void changed() {
			if (!this.forgetful.get()) {
				super.changed();
			}
		}

	}

}
