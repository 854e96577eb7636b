package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.LowkiqClient;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.BRIEF_LEASE;
import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.awaitHeld;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Stops, starts and transfers while performs go on. */
class StopTests {

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	private final ServerFixture fixture = new ServerFixture(this.memory);

	private final Stubborn stubborn = new Stubborn();

	@AfterEach
	void stopServers() {
		this.stubborn.open.countDown();
		this.fixture.close();
	}

	/** Ignores interrupts until it is let go; performs of other ids end at once. */
	private static final class Stubborn implements Worker<Integer> {

		final CountDownLatch open = new CountDownLatch(1);

		final AtomicInteger begun = new AtomicInteger();

		final AtomicInteger interrupts = new AtomicInteger();

		final Set<String> overlapping = ConcurrentHashMap.newKeySet();

		final Map<String, AtomicInteger> performed = new ConcurrentHashMap<>();

		private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();

		@Override
		public void perform(String id, List<Integer> payloads) {
			AtomicInteger count = this.running.computeIfAbsent(id, (key) -> new AtomicInteger());
			if (count.incrementAndGet() > 1) {
				this.overlapping.add(id);
			}
			this.begun.incrementAndGet();
			if (id.startsWith("stubborn")) {
				boolean interrupted = false;
				while (this.open.getCount() > 0) {
					try {
						this.open.await();
					}
					catch (InterruptedException ex) {
						this.interrupts.incrementAndGet();
						interrupted = true;
					}
				}
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
			count.decrementAndGet();
			this.performed.computeIfAbsent(id, (key) -> new AtomicInteger()).incrementAndGet();
		}

	}

	private LowkiqServer started() {
		return this.fixture.started((builder) -> builder.settings(BRIEF_LEASE));
	}

	@Test
	void anOrderlyStopMarksNoCrashThoughAPerformIgnoresTheInterruptFourTimesInARow() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		this.fixture.client().enqueue("orders", "stubborn", 1);
		for (int i = 1; i <= 4; i++) {
			int performs = i;
			LowkiqServer server = started();
			await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == performs);
			assertThat(server.stop(Duration.ofMillis(1))).isFalse();
			assertThat(this.fixture.job("orders", JobView.State.BUSY, "stubborn").crashes()).isZero();
		}
		this.stubborn.open.countDown();
		started();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(this.fixture.counts("orders", 0).dead()).isZero();
	}

	@Test
	void whatIsPerformedSinceBeforeARestartIsPerformedAgainOnlyAfterItHasEnded() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "stubborn", 1);
		LowkiqServer server = started();
		await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == 1);
		assertThat(server.stop(Duration.ofMillis(1))).isFalse();
		String before = this.fixture.counts("orders", 0).session();
		server.start();
		await().atMost(PATIENCE).until(() -> {
			String session = this.fixture.counts("orders", 0).session();
			return session != null && !session.equals(before);
		});
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).fresh() == 1);
		await().during(Duration.ofMillis(300)).until(() -> this.stubborn.begun.get() == 1);
		this.stubborn.open.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(this.stubborn.begun).hasValue(2);
		assertThat(this.stubborn.overlapping).isEmpty();
	}

	@Test
	void aQuietServerFetchesNothingAndEndsWhatRuns() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "stubborn", 1);
		LowkiqServer server = started();
		await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == 1);
		server.quiet();
		client.enqueue("orders", "quick", 1);
		await().during(Duration.ofMillis(200)).until(() -> this.fixture.counts("orders", 0).fresh() == 1);
		this.stubborn.open.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).session() == null);
	}

	@Test
	void aLeavingShardWithALongPerformIsServedOnAndMovesAfterwards() {
		this.fixture.worker("orders", settings(2, 1, 5), this.stubborn);
		LowkiqClient client = this.fixture.client();
		LowkiqServer first = this.fixture.started();
		awaitHeld(2, first);
		for (String id : List.of("stubborn1", "stubborn2", "stubborn3", "stubborn4")) {
			client.enqueue("orders", id, 1);
		}
		await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == 4);
		assertThat(this.fixture.counts("orders")).allSatisfy((counts) -> assertThat(counts.busy()).isPositive());
		LowkiqServer second = this.fixture.started();
		String session = first.status().session();
		await().atMost(PATIENCE)
			.until(() -> this.fixture.nodes.assignedTo(String.valueOf(session)).shards().size() == 1);
		for (int i = 0; i < 20; i++) {
			client.enqueue("orders", "quick" + i, 1);
		}
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 20);
		assertThat(ServerFixture.held(second)).isEmpty();
		this.stubborn.open.countDown();
		awaitHeld(1, first, second);
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 24);
		assertThat(this.stubborn.begun).hasValue(24);
	}

	@Test
	void startsAndStopsInARowLeaveNoThreadAndLoseNothing() {
		this.fixture.worker("orders", settings(8, 1, 5), this.stubborn);
		LowkiqClient client = this.fixture.client();
		LowkiqServer server = this.fixture.server();
		for (int i = 0; i < 30; i++) {
			client.enqueue("orders", "a" + i, 1);
			server.start();
			client.enqueue("orders", "b" + i, 1);
			assertThat(server.stop(Duration.ofSeconds(10))).isTrue();
		}
		// A thread that has ended its work may live on for a moment
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("lowkiq-")));
		assertThat(this.fixture.nodes.members().members()).isEmpty();
		server.start();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 60);
		assertThat(this.stubborn.performed.values()).allSatisfy((count) -> assertThat(count).hasValue(1));
		assertThat(this.fixture.counts("orders")).extracting(ShardCounts::dead).containsOnly(0L);
	}

	@Test
	void anInterruptedThreadThatStopsTheServerWaitsForRunningJobsToo() throws Exception {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		this.fixture.client().enqueue("orders", "stubborn", 1);
		LowkiqServer server = this.fixture.started();
		await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == 1);
		FutureTask<Boolean> stop = new FutureTask<>(() -> {
			Thread.currentThread().interrupt();
			return server.stop(PATIENCE) && Thread.interrupted();
		});
		Thread stopping = new Thread(stop);
		stopping.start();
		await().atMost(PATIENCE).until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
		stopping.interrupt();
		this.stubborn.open.countDown();
		assertThat(stop.get(20, TimeUnit.SECONDS)).isTrue();
		assertThat(this.fixture.processed("orders")).isEqualTo(1);
		assertThat(this.fixture.nodes.members().members()).isEmpty();
		assertThat(this.stubborn.interrupts).hasValue(0);
	}

	@Test
	void twoThreadsMayStopTheServerAtOnce() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		this.fixture.client().enqueue("orders", "stubborn", 1);
		LowkiqServer server = started();
		await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == 1);
		List<CompletableFuture<Boolean>> stops = List.of(
				CompletableFuture.supplyAsync(() -> server.stop(Duration.ofMinutes(1))),
				CompletableFuture.supplyAsync(() -> server.stop(Duration.ofMinutes(1))));
		await().atMost(PATIENCE).until(() -> server.status().state() == ServerStatus.State.STOPPING);
		this.stubborn.open.countDown();
		assertThat(stops).allSatisfy((stop) -> assertThat(stop).succeedsWithin(PATIENCE).isEqualTo(true));
	}

	@Test
	void aServerThatSaysThatItHasStartedHasItsThreads() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		List<String> threads = new CopyOnWriteArrayList<>();
		this.fixture.started((builder) -> builder.events((event) -> {
			if (event instanceof LowkiqServerEvent.Started) {
				Thread.getAllStackTraces().keySet().forEach((thread) -> threads.add(thread.getName()));
			}
		}));
		assertThat(threads).contains("lowkiq-perform-5", "lowkiq-timer", "lowkiq-follow-ups", "lowkiq-membership",
				"lowkiq-heartbeat");
	}

	@Test
	void aListenerMayHaveAnotherThreadStopTheServerThatHasStartedAndWait() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		CompletableFuture<Boolean> stop = new CompletableFuture<>();
		LowkiqServer[] server = new LowkiqServer[1];
		server[0] = this.fixture.server((builder) -> builder.events((event) -> {
			if (event instanceof LowkiqServerEvent.Started) {
				stop.complete(onAnotherThread(() -> server[0].stop(PATIENCE)));
			}
		}));
		server[0].start();
		assertThat(stop).isCompletedWithValue(true);
		assertThat(server[0].isRunning()).isFalse();
	}

	@Test
	void aListenerMayHaveAnotherThreadStartTheServerAgainThatHasFailedAndWait() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		this.fixture.worker("fatal", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			throw new OutOfMemoryError("pretended");
		});
		CompletableFuture<Boolean> start = new CompletableFuture<>();
		LowkiqServer[] server = new LowkiqServer[1];
		server[0] = this.fixture.server((builder) -> builder.events((event) -> {
			if (event instanceof LowkiqServerEvent.Stopped && !start.isDone()) {
				start.complete(onAnotherThread(() -> {
					server[0].start();
					return server[0].isRunning();
				}));
			}
		}));
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "stubborn", 1);
		server[0].start();
		await().atMost(PATIENCE).until(() -> this.stubborn.begun.get() == 1);
		List.of("a", "b", "c").forEach((id) -> client.enqueue("fatal", id, 1));
		await().atMost(PATIENCE).until(() -> server[0].status().state() == ServerStatus.State.FAILED);
		server[0].start();
		assertThat(start).isCompletedWithValue(true);
		assertThat(server[0].isRunning()).isTrue();
	}

	private static boolean onAnotherThread(Callable<Boolean> call) {
		FutureTask<Boolean> task = new FutureTask<>(call);
		new Thread(task).start();
		try {
			return task.get(20, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** As an application without a web server needs it. */
	@Test
	void onlyThePerformingThreadsKeepTheJvmAlive() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		started();
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().startsWith("lowkiq-") && !thread.isDaemon())
			.extracting(Thread::getName)
			.containsExactlyInAnyOrder("lowkiq-perform-1", "lowkiq-perform-2", "lowkiq-perform-3", "lowkiq-perform-4",
					"lowkiq-perform-5");
	}

	@Test
	void aServerWhoseThreadsCanNotBeStartedDoesNotSayThatItHas() {
		this.fixture.worker("orders", settings(1, 1, 5), this.stubborn);
		List<LowkiqServerEvent> events = new CopyOnWriteArrayList<>();
		AtomicInteger threads = new AtomicInteger();
		LowkiqServer server = this.fixture.server((builder) -> builder.events(events::add).threadFactory((loop) -> {
			if (threads.incrementAndGet() > 2) {
				throw new OutOfMemoryError("no thread left");
			}
			return new Thread(loop);
		}));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(server::start);
		assertThat(events).isEmpty();
		assertThat(server.isRunning()).isFalse();
	}

	@Test
	void aWorkerThatStopsItsServerDoesNotWaitForItself() {
		LowkiqServer[] server = new LowkiqServer[1];
		this.fixture.worker("orders", settings(1, 1, 5),
				(Worker<Integer>) (id, payloads) -> server[0].stop(Duration.ofHours(1)));
		server[0] = this.fixture.server();
		this.fixture.client().enqueue("orders", "a", 1);
		server[0].start();
		await().atMost(PATIENCE).until(() -> server[0].status().state() == ServerStatus.State.STOPPED);
	}

}
