package io.lowkiq.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.GroupPolicy;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.Limits;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetryAfterException;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.ForwardingShardStore;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.LogLines;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.awaitHeld;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Limits of each group of a queue. Each run waits until the test lets one end. */
class GroupLimitTests {

	private static final Duration LONG_LEASE = Duration.ofHours(1);

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq");

	/** By it, time goes on for the servers, and beside its own for the store. */
	private final AtomicLong clock = new AtomicLong();

	private final RedisStore store = InMemoryRedis.newStore(() -> Instant.now().plusNanos(this.clock.get()));

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.store);

	private LongSupplier time = this.clock::get;

	/** When each run of a group began, in seconds. */
	private final Map<String, ConcurrentLinkedQueue<Long>> starts = new ConcurrentHashMap<>();

	private final Map<String, Integer> running = new ConcurrentHashMap<>();

	private final Map<String, Integer> most = new ConcurrentHashMap<>();

	private final Semaphore end = new Semaphore(0);

	private final Worker<Integer> worker = this::perform;

	private void perform(String id, List<Integer> payloads) {
		String group = id.substring(0, Math.max(0, id.indexOf(':')));
		startsOf(group).add(Duration.ofNanos(this.clock.get()).toSeconds());
		int now = this.running.merge(group, 1, Integer::sum);
		this.most.merge(group, now, Math::max);
		this.end.acquireUninterruptibly();
		this.running.merge(group, -1, Integer::sum);
	}

	private ConcurrentLinkedQueue<Long> startsOf(String group) {
		return this.starts.computeIfAbsent(group, (key) -> new ConcurrentLinkedQueue<>());
	}

	@AfterEach
	void endRuns() {
		this.end.release(1_000_000);
	}

	private LowkiqServer started(int shards, Limits limits) {
		this.fixture.worker("sync",
				ServerFixture.settings(shards, 1, 5).with(new GroupPolicy(":", 100, Map.of(), true, limits)),
				this.worker);
		return started();
	}

	private LowkiqServer started() {
		return this.fixture
			.started((builder) -> builder.settings(ServerFixture.settings(8, LONG_LEASE)).nanoTime(this.time));
	}

	private void enqueue(String group, int count) {
		this.fixture.client()
			.enqueueAll("sync",
					IntStream.rangeClosed(1, count).mapToObj((i) -> JobRequest.of(group + ":" + i, i)).toList());
	}

	private void move(LowkiqServer server, Duration duration) {
		this.clock.addAndGet(duration.toNanos());
		server.clockMoved();
	}

	private void awaitStarts(String group, int count) {
		await().atMost(PATIENCE).until(() -> startsOf(group).size() >= count);
	}

	@Test
	void groupRunsNoMoreJobsThanItMay() {
		this.time = System::nanoTime;
		LowkiqServer first = started(4, new Limits(2, null));
		LowkiqServer second = started();
		awaitHeld(2, first, second);
		for (String group : List.of("a", "b", "c")) {
			enqueue(group, 60);
		}
		for (String group : List.of("a", "b", "c")) {
			await().atMost(PATIENCE).until(() -> this.running.getOrDefault(group, 0) == 2);
		}
		enqueue("d", 1);
		awaitStarts("d", 1);
		this.end.release(1_000_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(this.most).containsEntry("a", 2).containsEntry("b", 2).containsEntry("c", 2);
		assertThat(startsOf("a")).hasSize(60);
	}

	/**
	 * The first comes after a second, since nothing is saved up when the lease begins.
	 */
	@Test
	void runsOfAGroupBeginAsTokensCome() {
		this.end.release(1_000_000);
		LowkiqServer server = started(1, new Limits(0, new RateLimit(1, Duration.ofSeconds(1), 2)));
		awaitHeld(1, server);
		enqueue("a", 30);
		enqueue("b", 3);
		for (int i = 1; i <= 4; i++) {
			move(server, Duration.ofMillis(500));
			move(server, Duration.ofMillis(500));
			awaitStarts("a", i);
			awaitStarts("b", Math.min(i, 3));
		}
		move(server, Duration.ofMinutes(5));
		awaitStarts("a", 6);
		// A group of which nothing is known has a full bucket
		enqueue("c", 9);
		awaitStarts("c", 2);
		move(server, Duration.ofSeconds(1));
		awaitStarts("a", 7);
		awaitStarts("c", 3);
		assertThat(startsOf("a")).containsExactly(1L, 2L, 3L, 4L, 304L, 304L, 305L);
		assertThat(startsOf("b")).containsExactly(1L, 2L, 3L);
		assertThat(startsOf("c")).containsExactly(304L, 304L, 305L);
	}

	@Test
	void manyThrottledGroupsDelayNoOther() {
		this.end.release(1_000_000);
		LowkiqServer server = started(1, new Limits(0, new RateLimit(1, Duration.ofMinutes(1), 1)));
		awaitHeld(1, server);
		move(server, Duration.ofMinutes(1));
		this.fixture.client()
			.enqueueAll("sync",
					IntStream.range(0, 3_000).mapToObj((i) -> JobRequest.of("g" + i % 1_500 + ":" + i, 1)).toList());
		await().atMost(PATIENCE).until(() -> this.fixture.processed("sync") == 1_500);
		enqueue("small", 2);
		awaitStarts("small", 1);
		assertThat(this.starts.values()).allMatch((times) -> times.size() == 1);
		move(server, Duration.ofMinutes(1));
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(this.starts).hasSize(1_501);
		assertThat(this.starts.values()).allMatch((times) -> List.copyOf(times).equals(List.of(60L, 120L)));
	}

	@Test
	void idsWithoutTheSeparatorHaveNoLimitAndAreCounted() {
		AtomicInteger counted = new AtomicInteger();
		LowkiqObserver observer = new LowkiqObserver() {

			@Override
			public void ungrouped(String queue, int jobs) {
				counted.addAndGet(jobs);
			}

		};
		GroupPolicy policy = new GroupPolicy(":", 100, Map.of(), true, new Limits(1, null));
		this.fixture.worker("sync", ServerFixture.settings(2, 1, 5).with(policy), this.worker);
		LowkiqServer server = this.fixture
			.started((builder) -> builder.settings(ServerFixture.settings(8, LONG_LEASE)).observer(observer));
		awaitHeld(2, server);
		enqueue("a", 2);
		this.fixture.client()
			.enqueueAll("sync", IntStream.range(0, 20).mapToObj((i) -> JobRequest.of("id" + i, i)).toList());
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault("", 0) > 1);
		this.end.release(1_000_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(counted).hasValue(20);
		assertThat(this.log.warnings()).filteredOn((line) -> line.contains("names no group"))
			.singleElement()
			.asString()
			.contains("of queue 'sync'", "':'");
	}

	/** Else all jobs of the shard would wait for each fetch in vain. */
	@Test
	void suspectOfAThrottledGroupIsFetchedWhenItMayBegin() {
		this.end.release(1_000_000);
		AtomicInteger fetches = new AtomicInteger();
		AtomicInteger calls = new AtomicInteger();
		ShardStore counting = new ForwardingShardStore(this.store.shards()) {

			@Override
			public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
					List<Outcome> outcomes, Fetch fetch) {
				fetches.addAndGet(fetch.suspects() ? 1 : 0);
				calls.incrementAndGet();
				return super.completeAndFetch(lease, sequence, busy, outcomes, fetch);
			}

		};
		Limits limits = new Limits(0, new RateLimit(1, Duration.ofMinutes(1), 1));
		try (ServerFixture counted = new ServerFixture(this.store, counting)) {
			counted.worker("sync",
					ServerFixture.settings(1, 1, 5).with(new GroupPolicy(":", 100, Map.of(), true, limits)),
					this.worker);
			counted.queues.register(new QueueDeclaration("sync", 1, ":"));
			for (int i = 1; i <= 2; i++) {
				counted.client().enqueue("sync", "a:" + i, i);
			}
			for (String session : List.of("dead-1", "dead-2")) {
				counted.takeAsDeadNode(session, counted.shard("sync", 0));
				assertThat(counted.nodes.end(session, 0, true)).isTrue();
			}
			LowkiqServer server = counted
				.started((builder) -> builder.settings(ServerFixture.settings(8, LONG_LEASE)).nanoTime(this.time));
			awaitHeld(1, server);
			move(server, Duration.ofMinutes(1));
			awaitStarts("a", 1);
			fetches.set(0);
			calls.set(0);
			for (int i = 1; i <= 20; i++) {
				move(server, Duration.ofMillis(10));
				counted.client().enqueue("sync", "b" + i + ":1", i);
				awaitStarts("b" + i, 1);
			}
			assertThat(startsOf("a")).hasSize(1);
			assertThat(fetches).hasValueLessThanOrEqualTo(1);
			// A few for each job, and none for the suspect
			assertThat(calls).hasValueLessThan(500);
			move(server, Duration.ofMinutes(1));
			awaitStarts("a", 2);
		}
	}

	private LowkiqAdmin admin() {
		return TestAdmin.of(this.store);
	}

	@Test
	void groupIsPausedAndResumedWhileItRuns() {
		this.time = System::nanoTime;
		this.fixture.worker("sync", ServerFixture.settings(2, 1, 5).with(new GroupPolicy(":")), this.worker);
		LowkiqServer server = started();
		awaitHeld(2, server);
		enqueue("a", 60);
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault("a", 0) == 8);
		admin().group("sync", "a").pause();
		// The node learns of it meanwhile
		await().atMost(PATIENCE).until(() -> {
			enqueue("b", 1);
			this.end.release(1);
			return startsOf("b").size() >= 20;
		});
		this.end.release(100);
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault("a", 0) == 0);
		int begun = startsOf("a").size();
		enqueue("c", 20);
		awaitStarts("c", 20);
		assertThat(startsOf("a")).hasSize(begun);
		assertThat(begun).isLessThan(60);
		this.end.release(1_000);
		admin().group("sync", "a").resume();
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(startsOf("a")).hasSize(60);
	}

	/** As when its memory is full. */
	@Test
	void settingsAreReadAgainThoughTheStoreRefusesReports() {
		NodeRegistry nodes = Intercepted.of(NodeRegistry.class, this.fixture.nodes, (method, call) -> {
			if (method.equals("report")) {
				throw new StoreException("The memory is full", null);
			}
			return call.make();
		});
		CountDownLatch readAgain = new CountDownLatch(1);
		QueueRegistry queues = Intercepted.of(QueueRegistry.class, this.fixture.queues, (method, call) -> {
			if (method.equals("changedOverrides")) {
				readAgain.countDown();
			}
			return call.make();
		});
		RegisteredWorker sync = new RegisteredWorker("sync", Worker.class, Integer.class,
				ServerFixture.settings(1, 1, 5).with(new GroupPolicy(":")), () -> this.worker);
		LowkiqServer server = new LowkiqServer(new ServerOptions(new WorkerRegistry(List.of(sync)),
				new ServerFixture.StoreParts(this.fixture.store, queues, nodes, this.fixture.wakeUps)));
		server.start();
		try {
			await().atMost(PATIENCE).until(() -> readAgain.getCount() == 0);
		}
		finally {
			server.stop(PATIENCE);
		}
	}

	/**
	 * A node knows it before it acquires its first shard. It names 100 groups in advance;
	 * if a job of another goes back, it names the next 500.
	 */
	@Test
	void groupThatWasPausedBeforeTheStartBeginsNothing() {
		this.end.release(1_000_000);
		AtomicInteger returned = new AtomicInteger();
		AtomicInteger returnedInAll = new AtomicInteger();
		ShardStore counting = new ForwardingShardStore(this.store.shards()) {

			@Override
			public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
					List<Outcome> outcomes, Fetch fetch) {
				int now = (int) outcomes.stream().filter(Outcome.Returned.class::isInstance).count();
				returned.addAndGet(now);
				returnedInAll.addAndGet(now);
				return super.completeAndFetch(lease, sequence, busy, outcomes, fetch);
			}

		};
		GroupPolicy policy = new GroupPolicy(":", 100, Map.of(), true, Limits.NONE);
		try (ServerFixture counted = new ServerFixture(this.store, counting)) {
			counted.worker("sync", ServerFixture.settings(1, 1, 5).with(policy), this.worker);
			counted.queues.register(new QueueDeclaration("sync", 1, ":"));
			List<String> paused = IntStream.range(0, 2_000).mapToObj((i) -> "p%04d".formatted(i)).toList();
			paused.forEach((group) -> admin().group("sync", group).pause());
			counted.client()
				.enqueueAll("sync",
						paused.stream()
							.flatMap((group) -> Stream.of(group + ":1", group + ":2"))
							.map((id) -> JobRequest.of(id, 1))
							.toList());
			LowkiqServer server = counted
				.started((builder) -> builder.settings(ServerFixture.settings(8, LONG_LEASE)).nanoTime(this.time));
			awaitHeld(1, server);
			AtomicInteger round = new AtomicInteger();
			await().atMost(PATIENCE).until(() -> {
				returned.set(0);
				for (int i = 0; i < 20; i++) {
					String group = "b" + round.incrementAndGet();
					counted.client().enqueue("sync", group + ":1", 1);
					awaitMoving(server, group);
				}
				return returned.get() == 0;
			});
			// One of each group, if none named others
			assertThat(returnedInAll).hasValueLessThan(1_000);
			assertThat(this.starts.keySet()).allMatch((group) -> group.startsWith("b"));
			paused.forEach((group) -> admin().group("sync", group).reset());
			await().atMost(PATIENCE).until(() -> {
				move(server, Duration.ofMillis(10));
				return counted.isEmpty("sync");
			});
			assertThat(this.starts.keySet()).containsAll(paused);
		}
	}

	private void awaitMoving(LowkiqServer server, String group) {
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> {
			move(server, Duration.ofMillis(10));
			return !startsOf(group).isEmpty();
		});
	}

	@Test
	void limitsOfAGroupChangeWhileItRuns() {
		this.time = System::nanoTime;
		LowkiqServer server = started(1, new Limits(4, null));
		awaitHeld(1, server);
		enqueue("a", 60);
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault("a", 0) == 4);
		admin().group("sync", "a").concurrency(6);
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault("a", 0) == 6);
		admin().group("sync", "a").concurrency(1);
		// After this one, the node knows the limit
		admin().group("sync", "b").concurrency(5);
		enqueue("b", 60);
		await().atMost(PATIENCE).until(() -> {
			this.end.release(1);
			return this.running.getOrDefault("b", 0) == 5;
		});
		this.end.release(5);
		await().atMost(PATIENCE).until(() -> this.running.getOrDefault("a", 0) <= 1);
		this.most.clear();
		this.end.release(1_000_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(this.most).containsEntry("a", 1);
	}

	/** The clock stands still until the test moves it. */
	@Test
	void groupWaitsWhenOneOfItsJobsAsksForIt() {
		AtomicInteger refused = new AtomicInteger();
		this.fixture.worker("sync", ServerFixture.settings(2, 1, 5).with(new GroupPolicy(":")),
				(Worker<Integer>) (id, payloads) -> {
					if (id.startsWith("a:") && this.clock.get() < Duration.ofSeconds(30).toNanos()) {
						refused.incrementAndGet();
						throw new RetryAfterException(Duration.ofSeconds(30)).forGroup();
					}
					perform(id, payloads);
				});
		this.end.release(1_000_000);
		LowkiqServer server = started();
		awaitHeld(2, server);
		enqueue("a", 1);
		await().atMost(PATIENCE).until(() -> refused.get() == 1);
		enqueue("a", 40);
		enqueue("b", 40);
		awaitStarts("b", 40);
		for (int i = 0; i < 29; i++) {
			move(server, Duration.ofSeconds(1));
			enqueue("c", i + 1);
			awaitStarts("c", i + 1);
		}
		assertThat(refused).hasValue(1);
		assertThat(this.starts).doesNotContainKey("a");
		move(server, Duration.ofSeconds(1));
		awaitStarts("a", 1);
		// The other shard looks again when the first job, the probe, may have lasted for
		// a second
		move(server, Duration.ofSeconds(1));
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(this.starts.get("a")).hasSize(40);
		assertThat(this.fixture.failed("sync")).isZero();
		assertThat(this.log.warnings()).filteredOn((line) -> line.contains("'a:1'"))
			.singleElement()
			.asString()
			.contains("comes back without a retry used; no job of its group 'a' begins on this node for 30 s");
	}

	/** Of the jobs of a group, some always answer 429. */
	@ParameterizedTest
	@CsvSource({ "1, 20", "5, 20", "1, 1" })
	void jobsThatAlwaysAskAreDeadAfterTheirRetriesAndTheOthersDone(int bad, int all) {
		Map<String, Integer> asked = new ConcurrentHashMap<>();
		this.fixture.worker("sync",
				ServerFixture.settings(1, 1, 3).with(new GroupPolicy(":", 100, Map.of(), true, new Limits(2, null))),
				new Worker<Integer>() {

					@Override
					public void perform(String id, List<Integer> payloads) {
						if (payloads.get(0) <= bad) {
							asked.merge(id, 1, Integer::sum);
							throw new RetryAfterException(Duration.ofMillis(500)).forGroup();
						}
						GroupLimitTests.this.perform(id, payloads);
					}

					@Override
					public Duration retryIn(int retryCount, Throwable error) {
						return Duration.ofSeconds(2);
					}

				});
		this.end.release(1_000_000);
		enqueue("a", all);
		LowkiqServer server = started();
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
			move(server, Duration.ofMillis(250));
			return this.fixture.isEmpty("sync");
		});
		assertThat(startsOf("a")).hasSize(all - bad);
		assertThat(asked).hasSize(bad);
		// Nine times in a row at most without a failure, and then four attempts
		assertThat(asked.values()).allMatch((times) -> times <= 13);
		assertThat(this.fixture.counts("sync", 0).dead()).isEqualTo(bad);
	}

	/** When the time is over, one job starts; the others when it has ended. */
	@Test
	void anotherJobOfTheGroupTriesFirst() {
		AtomicInteger refused = new AtomicInteger();
		ConcurrentLinkedQueue<String> begun = new ConcurrentLinkedQueue<>();
		this.fixture.worker("sync", ServerFixture.settings(1, 1, 5).with(new GroupPolicy(":")),
				(Worker<Integer>) (id, payloads) -> {
					if (id.equals("a:1") && refused.incrementAndGet() == 1) {
						throw new RetryAfterException(Duration.ofSeconds(30)).forGroup();
					}
					begun.add(id);
					perform(id, payloads);
				});
		LowkiqServer server = started();
		awaitHeld(1, server);
		enqueue("a", 1);
		await().atMost(PATIENCE).until(() -> refused.get() == 1);
		this.fixture.client()
			.enqueueAll("sync", IntStream.rangeClosed(2, 6).mapToObj((i) -> JobRequest.of("a:" + i, i)).toList());
		move(server, Duration.ofSeconds(30));
		await().atMost(PATIENCE).until(() -> !begun.isEmpty());
		enqueue("b", 3);
		awaitStarts("b", 3);
		assertThat(begun).filteredOn((id) -> id.startsWith("a:")).containsExactly("a:2");
		this.end.release(1);
		await().atMost(PATIENCE).until(() -> begun.size() > 4 || this.running.getOrDefault("a", 0) > 1);
		this.end.release(1_000_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
	}

	/**
	 * The clock stands still, so that runs seem quick, and many jobs are fetched ahead.
	 */
	@Test
	void fetchedJobsOfAGroupThatBeginsToWaitGoBack() {
		AtomicInteger begun = new AtomicInteger();
		this.fixture.worker("sync", ServerFixture.settings(1, 1, 5).with(new GroupPolicy(":")),
				(Worker<Integer>) (id, payloads) -> {
					if (id.startsWith("a:") && begun.incrementAndGet() == 200) {
						throw new RetryAfterException(Duration.ofSeconds(30)).forGroup();
					}
					startsOf(id).add(0L);
				});
		enqueue("a", 1_000);
		LowkiqServer server = this.fixture
			.started((builder) -> builder.settings(ServerFixture.settings(1, LONG_LEASE)).nanoTime(this.time));
		awaitHeld(1, server);
		await().atMost(PATIENCE).until(() -> begun.get() >= 200);
		enqueue("b", 1);
		awaitStarts("b:1", 1);
		assertThat(begun).hasValue(200);
		move(server, Duration.ofSeconds(30));
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("sync"));
		assertThat(begun).hasValue(1_001);
	}

	/** A call that was under way may bring a job of the group. */
	@Test
	void jobThatArrivesWhenItsGroupHasBegunToWaitGoesBack() {
		CompletableFuture<Void> arrives = new CompletableFuture<>();
		CountDownLatch fetched = new CountDownLatch(1);
		ShardStore slow = new ForwardingShardStore(this.store.shards()) {

			@Override
			public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
					List<Outcome> outcomes, Fetch fetch) {
				FetchResult result = super.completeAndFetch(lease, sequence, busy, outcomes, fetch).join();
				boolean isSecond = result instanceof FetchResult.Fetched found
						&& found.jobs().stream().anyMatch((job) -> job.id().equals("a:2")) && fetched.getCount() == 1;
				if (!isSecond) {
					return CompletableFuture.completedFuture(result);
				}
				fetched.countDown();
				return arrives.thenApply((nothing) -> result);
			}

		};
		Set<String> begun = ConcurrentHashMap.newKeySet();
		try (ServerFixture counted = new ServerFixture(this.store, slow)) {
			counted.worker("sync", ServerFixture.settings(1, 1, 5).with(new GroupPolicy(":")),
					(Worker<Integer>) (id, payloads) -> {
						if (begun.add(id) && id.equals("a:1")) {
							this.end.acquireUninterruptibly();
							throw new RetryAfterException(Duration.ofSeconds(30)).forGroup();
						}
					});
			LowkiqServer server = counted
				.started((builder) -> builder.settings(ServerFixture.settings(4, LONG_LEASE)).nanoTime(this.time));
			awaitHeld(1, server);
			counted.client().enqueue("sync", "a:1", 1);
			await().atMost(PATIENCE).until(() -> begun.contains("a:1"));
			counted.client().enqueue("sync", "a:2", 2);
			await().atMost(PATIENCE).until(() -> fetched.getCount() == 0);
			this.end.release();
			await().atMost(PATIENCE)
				.until(() -> this.log.warnings().stream().anyMatch((line) -> line.contains("'a:1'")));
			arrives.complete(null);
			for (int i = 0; i < 20; i++) {
				String id = "b:" + i;
				counted.client().enqueue("sync", id, i);
				move(server, Duration.ofMillis(10));
				await().atMost(PATIENCE).until(() -> begun.contains(id));
			}
			assertThat(begun).doesNotContain("a:2");
			move(server, Duration.ofSeconds(30));
			await().atMost(PATIENCE).until(() -> begun.contains("a:2"));
		}
		finally {
			this.end.release(1_000);
		}
	}

	@Test
	void limitsNeedOneShardForEachGroup() {
		RateLimit rate = new RateLimit(1, Duration.ofSeconds(1));
		for (GroupPolicy wrong : List.of(new GroupPolicy(":", 100, Map.of(), false, new Limits(1, null)),
				new GroupPolicy(":", 100, Map.of(), false, new Limits(0, rate)),
				new GroupPolicy("", 100, Map.of(), false, new Limits(1, null)),
				new GroupPolicy(":", 100, Map.of(), true, new Limits(-1, null)))) {
			RegisteredWorker.Settings settings = ServerFixture.settings(2, 1, 5).with(wrong);
			assertThat(catchThrowable(
					() -> new RegisteredWorker("sync", Worker.class, Integer.class, settings, () -> this.worker)))
				.as(wrong.toString())
				.isInstanceOf(InvalidQueueException.class)
				.hasMessageContaining("group");
		}
	}

}
