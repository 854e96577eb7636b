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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.Worker;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.idsIn;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Which jobs are performed when: a slow one delays its own id only. */
class DispatcherTests {

	private static final Duration LONG_LEASE = Duration.ofMinutes(10);

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private final ObservedShardStore store = new ObservedShardStore(this.memory.shards());

	private final ServerFixture fixture = new ServerFixture(this.memory, this.store);

	private final Gate gate = new Gate();

	/** The monotonic clock of the server. Written by the test, read by its threads. */
	private volatile LongSupplier clock = System::nanoTime;

	@AfterEach
	void stopServers() {
		this.gate.open();
		this.fixture.close();
	}

	/** Performs jobs, those whose id begins with "slow" until they are let go. */
	private static final class Gate implements Worker<Integer> {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final Map<String, List<Integer>> payloads = new ConcurrentHashMap<>();

		final AtomicInteger running = new AtomicInteger();

		final AtomicInteger mostRunning = new AtomicInteger();

		private final Map<String, CountDownLatch> latches = new ConcurrentHashMap<>();

		private volatile boolean open;

		@Override
		public void perform(String id, List<Integer> numbers) throws Exception {
			this.payloads.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>()).addAll(numbers);
			this.mostRunning.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			this.begun.add(id);
			try {
				if (id.startsWith("slow")) {
					latch(id).await();
				}
			}
			finally {
				this.running.decrementAndGet();
			}
		}

		private CountDownLatch latch(String id) {
			return this.latches.computeIfAbsent(id, (key) -> new CountDownLatch(this.open ? 0 : 1));
		}

		void finish(String id) {
			latch(id).countDown();
		}

		void open() {
			this.open = true;
			this.latches.values().forEach(CountDownLatch::countDown);
		}

		void awaitBegun(String... ids) {
			await().atMost(PATIENCE).until(() -> this.begun.containsAll(List.of(ids)));
		}

	}

	private LowkiqServer started(int threads) {
		return this.fixture.started(
				(builder) -> builder.settings(settings(threads, LONG_LEASE)).nanoTime(() -> this.clock.getAsLong()));
	}

	@Test
	void aSlowPerformDelaysNoOtherIdOfItsShardOrOfAnyOther() {
		this.fixture.worker("orders", settings(2, 1, 5), this.gate);
		started(2);
		LowkiqClient client = this.fixture.client();
		QueueLayout layout = new QueueLayout("orders", 1, 2);
		client.enqueue("orders", "slow", 1);
		this.gate.awaitBegun("slow");
		List<String> others = new ArrayList<>(idsIn(layout, 0, 50));
		others.addAll(idsIn(layout, 1, 50));
		client.enqueueAll("orders", others.stream().map((id) -> JobRequest.of(id, 1)).toList());
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 100);
		assertThat(this.gate.begun).containsAll(others);
		assertThat(this.gate.running).hasValue(1);
	}

	@Test
	void newPayloadsOfAnIdWaitForItsPerform() {
		this.fixture.worker("orders", settings(1, 1, 5), this.gate);
		started(3);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "slow", 1);
		this.gate.awaitBegun("slow");
		client.enqueue("orders", "slow", 2);
		client.enqueue("orders", "other", 1);
		this.gate.awaitBegun("other");
		assertThat(this.gate.payloads.get("slow")).containsExactly(1);
		this.gate.finish("slow");
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 3);
		assertThat(this.gate.payloads.get("slow")).containsExactly(1, 2);
	}

	@Test
	void aShardConcurrencyOfOneIsStrictlySerial() {
		this.fixture.worker("orders", settings(1, 1, 5, 1), this.gate);
		started(4);
		LowkiqClient client = this.fixture.client();
		for (int i = 0; i < 200; i++) {
			client.enqueue("orders", "id" + (1_000 + i), i);
		}
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 200);
		assertThat(this.gate.mostRunning).hasValue(1);
		assertThat(this.gate.begun).isEqualTo(IntStream.range(1_000, 1_200).mapToObj((i) -> "id" + i).toList());
	}

	@Test
	void aShardConcurrencyOfTwoAllowsTwo() {
		this.fixture.worker("orders", settings(1, 1, 5, 2), this.gate);
		started(4);
		LowkiqClient client = this.fixture.client();
		List<String> ids = List.of("slow1", "slow2", "slow3", "slow4");
		ids.forEach((id) -> client.enqueue("orders", id, 1));
		await().atMost(PATIENCE).until(() -> this.gate.running.get() == 2);
		for (String id : ids) {
			this.gate.finish(id);
		}
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 4);
		assertThat(this.gate.mostRunning).hasValue(2);
	}

	@Test
	void withoutAShardConcurrencyAllThreadsMayPerformJobsOfOneShard() {
		this.fixture.worker("orders", settings(1, 1, 5), this.gate);
		started(4);
		LowkiqClient client = this.fixture.client();
		IntStream.range(0, 4).forEach((i) -> client.enqueue("orders", "slow" + i, 1));
		await().atMost(PATIENCE).until(() -> this.gate.running.get() == 4);
	}

	/** Leaves two jobs fetched behind a slow one, which the only thread performs. */
	private LowkiqClient fetchedAndNotBegun() {
		this.fixture.worker("orders", settings(1, 1, 5, 1), this.gate);
		LowkiqClient client = this.fixture.client();
		// Runs that take no time, however busy the machine is, so that several jobs are
		// fetched at once. Jobs that go back and are due in the same millisecond are
		// performed in the order of their ids.
		this.clock = () -> 0;
		IntStream.range(0, 500).forEach((i) -> client.enqueue("orders", "quick" + i, 1));
		client.enqueue("orders", "slow", 1);
		client.enqueue("orders", JobRequest.of("ta", 20).score(20));
		client.enqueue("orders", "tb", 1);
		started(1);
		this.gate.awaitBegun("slow");
		long begun = System.nanoTime();
		this.clock = () -> System.nanoTime() - begun;
		return client;
	}

	private void awaitReturned() {
		await().atMost(PATIENCE).until(() -> this.store.outcomes.contains(new Outcome.Returned("ta")));
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).busy() == 1);
	}

	@Test
	void whatIsFetchedAndNotBegunGoesBackSoThatASmallerScoreComesFirst() {
		LowkiqClient client = fetchedAndNotBegun();
		awaitReturned();
		client.enqueue("orders", JobRequest.of("ta", 10).score(10));
		this.gate.finish("slow");
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(this.gate.payloads.get("ta")).containsExactly(10, 20);
	}

	@Test
	void whatIsFetchedAndNotBegunCanBeDeletedAndPaused() {
		fetchedAndNotBegun();
		awaitReturned();
		assertThat(this.memory.actions().delete(this.fixture.shard("orders", 0), Set.of("ta")).changed()).isEqualTo(1);
		this.memory.actions().pause(this.fixture.shard("orders", 0), true);
		this.gate.finish("slow");
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).busy() == 0);
		assertThat(this.fixture.counts("orders", 0).fresh()).isEqualTo(1);
		this.memory.actions().pause(this.fixture.shard("orders", 0), false);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(this.gate.begun).contains("tb").doesNotContain("ta");
	}

	@Test
	void aDelayedJobIsPerformedNow() {
		this.fixture.worker("orders", settings(1, 1, 5), this.gate);
		LowkiqServer server = started(1);
		this.fixture.client().enqueue("orders", JobRequest.of("later", 1).performIn(Duration.ofHours(1)));
		ServerFixture.awaitIdle(server);
		assertThat(this.memory.actions().performNow(this.fixture.shard("orders", 0), Set.of("later")).changed())
			.isEqualTo(1);
		this.gate.awaitBegun("later");
	}

	@Test
	void outcomesAreSentThoughAllThreadsAreBusy() {
		fetchedAndNotBegun();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 500);
		assertThat(this.gate.running).hasValue(1);
	}

	@Test
	void aJobIsPerformedThoughOtherQueuesAlwaysHaveJobsThatAreDue() {
		// A perform takes time, also by the clock of the store
		AtomicLong nanos = new AtomicLong();
		RedisStore slow = InMemoryRedis.newStore(() -> Instant.parse("2026-01-01T00:00:00Z").plusNanos(nanos.get()));
		AtomicReference<LowkiqClient> feeding = new AtomicReference<>();
		AtomicInteger number = new AtomicInteger();
		AtomicInteger seen = new AtomicInteger();
		try (ServerFixture onIt = new ServerFixture(slow)) {
			onIt.worker("endless", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
				nanos.addAndGet(Duration.ofMillis(2).toNanos());
				LowkiqClient client = feeding.get();
				if (client != null) {
					client.enqueue("endless", "id" + number.incrementAndGet(), 1);
				}
			});
			onIt.worker("quiet", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> seen.incrementAndGet());
			LowkiqClient client = onIt.client();
			feeding.set(client);
			IntStream.range(0, 100).forEach((i) -> client.enqueue("endless", "first" + i, 1));
			// One job per call, so that a fetch leaves jobs behind
			onIt.started((builder) -> builder.nanoTime(nanos::get)
				.settings(new ServerSettings(1, Duration.ofSeconds(1), Duration.ofHours(1), 1, false)));
			for (int i = 1; i <= 5; i++) {
				int performs = i;
				client.enqueue("quiet", "a", 1);
				await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> seen.get() == performs);
			}
			feeding.set(null);
			await().atMost(PATIENCE).until(() -> onIt.isEmpty("endless"));
		}
	}

	@Test
	void aSchedulerThatThrowsOrChoosesNonsenseDoesNoHarm() {
		this.fixture.worker("orders", settings(8, 1, 5), this.gate);
		AtomicInteger calls = new AtomicInteger();
		ShardScheduler scheduler = (due, last) -> switch (calls.incrementAndGet() % 4) {
			case 0 -> throw new IllegalStateException("boom");
			case 1 -> throw new StackOverflowError("boom");
			case 2 -> new ShardScheduler.Candidate(due.get(0).shard(), -7);
			default -> due.get(due.size() - 1);
		};
		LowkiqClient client = this.fixture.client();
		IntStream.range(0, 500).forEach((i) -> client.enqueue("orders", "id" + i, 1));
		LowkiqServer server = this.fixture
			.started((builder) -> builder.scheduler(scheduler).settings(settings(2, LONG_LEASE)));
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 500);
		assertThat(calls).hasPositiveValue();
		assertThat(server.isRunning()).isTrue();
	}

	@Test
	void anObserverThatThrowsDoesNoHarm() {
		this.fixture.worker("orders", settings(2, 1, 5), this.gate);
		LowkiqServer server = this.fixture.started((builder) -> builder.observer(new LowkiqObserver() {

			@Override
			public void performed(String queue, int done, int failed, Duration took) {
				throw new AssertionError("boom");
			}

		}).events((event) -> {
			throw new NoClassDefFoundError("boom");
		}));
		LowkiqClient client = this.fixture.client();
		IntStream.range(0, 20).forEach((i) -> client.enqueue("orders", "id" + i, 1));
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 20);
		assertThat(this.fixture.counts("orders")).extracting(ShardCounts::failed).containsOnly(0L);
		assertThat(this.gate.begun).hasSize(20);
		assertThat(server.isRunning()).isTrue();
	}

}
