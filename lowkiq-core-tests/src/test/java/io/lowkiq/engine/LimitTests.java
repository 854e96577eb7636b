package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.lowkiq.BatchWorker;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.JobRequest;
import io.lowkiq.Limits;
import io.lowkiq.QueueWorker;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.awaitHeld;
import static io.lowkiq.engine.ServerFixture.idsIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Limits of a queue over all nodes. Each run waits until the test lets one end. */
class LimitTests {

	private static final Duration LONG_LEASE = Duration.ofHours(1);

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.store);

	/** By it, time goes on for the servers. */
	private final AtomicLong clock = new AtomicLong();

	/** When each run began. */
	private final ConcurrentLinkedQueue<Long> starts = new ConcurrentLinkedQueue<>();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger most = new AtomicInteger();

	private final Semaphore end = new Semaphore(0);

	private final Worker<Integer> worker = (id, payloads) -> perform(1);

	private final BatchWorker<Integer> batches = (batch) -> perform(batch.jobs().size());

	private void perform(int jobs) {
		this.starts.add(this.clock.get());
		this.most.accumulateAndGet(this.running.addAndGet(jobs), Math::max);
		this.end.acquireUninterruptibly();
		this.running.addAndGet(-jobs);
	}

	@AfterEach
	void endRuns() {
		this.end.release(1_000_000);
	}

	private LowkiqServer started() {
		return this.fixture.started((builder) -> builder.settings(ServerFixture.settings(8, LONG_LEASE)));
	}

	private LowkiqServer startedWithClock() {
		return this.fixture
			.started((builder) -> builder.settings(ServerFixture.settings(8, LONG_LEASE)).nanoTime(this.clock::get));
	}

	private void worker(int shardCount, int batchSize, Limits limits, QueueWorker<Integer> of, Class<?> type) {
		this.fixture.worker(new RegisteredWorker("orders", type, Integer.class,
				ServerFixture.settings(shardCount, batchSize, 5).with(limits), () -> of));
	}

	private void worker(int shardCount, Limits limits) {
		worker(shardCount, 1, limits, this.worker, Worker.class);
	}

	private void enqueue(int count) {
		this.fixture.client()
			.enqueueAll("orders", IntStream.range(0, count).mapToObj((i) -> JobRequest.of("id" + i, i)).toList());
	}

	private void move(LowkiqServer server, Duration duration) {
		this.clock.addAndGet(duration.toNanos());
		server.clockMoved();
	}

	private void awaitStarts(int count) {
		await().atMost(PATIENCE).until(() -> this.starts.size() >= count);
	}

	private void awaitEmpty() {
		this.end.release(1_000_000);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
	}

	@Test
	void shardsShareTheConcurrencyOverAllNodes() {
		worker(4, new Limits(6, null));
		LowkiqServer first = started();
		LowkiqServer second = started();
		awaitHeld(2, first, second);
		enqueue(200);
		await().atMost(PATIENCE).until(() -> this.running.get() == 6);
		for (int i = 1; i <= 50; i++) {
			this.end.release();
			awaitStarts(6 + i);
		}
		awaitEmpty();
		assertThat(this.most).hasValue(6);
		assertThat(this.starts).hasSize(200);
	}

	@Test
	void jobsOfBatchesCount() {
		worker(1, 3, new Limits(4, null), this.batches, BatchWorker.class);
		enqueue(40);
		started();
		await().atMost(PATIENCE).until(() -> this.running.get() == 4);
		awaitEmpty();
		assertThat(this.most).hasValue(4);
	}

	/** The shard has half of the rate, and half of the burst. */
	@Test
	void runsBeginAsTokensCome() {
		worker(2, new Limits(0, new RateLimit(2, Duration.ofSeconds(1), 4)));
		this.end.release(1_000_000);
		LowkiqServer server = startedWithClock();
		awaitHeld(2, server);
		this.fixture.client()
			.enqueueAll("orders",
					idsIn(new QueueLayout("orders", 1, 2), 0, 20).stream().map((id) -> JobRequest.of(id, 1)).toList());
		for (int i = 1; i <= 5; i++) {
			move(server, Duration.ofMillis(500));
			move(server, Duration.ofMillis(500));
			awaitStarts(i);
		}
		move(server, Duration.ofMinutes(5));
		awaitStarts(7);
		// Nothing was saved up beyond the burst
		move(server, Duration.ofSeconds(1));
		awaitStarts(8);
		assertThat(this.starts.stream().map((nanos) -> Duration.ofNanos(nanos).toSeconds())).containsExactly(1L, 2L, 3L,
				4L, 5L, 305L, 305L, 306L);
	}

	@Test
	void throttledShardDelaysNoOthers() {
		worker(2, new Limits(0, new RateLimit(2, Duration.ofMinutes(1), 2)));
		this.fixture.worker("mails", ServerFixture.settings(1, 1, 5), this.worker);
		this.end.release(1_000_000);
		LowkiqServer server = startedWithClock();
		awaitHeld(3, server);
		enqueue(50);
		for (int i = 1; i <= 20; i++) {
			int sent = i;
			this.fixture.client().enqueue("mails", "id" + i, 1);
			await().atMost(PATIENCE).until(() -> this.fixture.processed("mails") == sent);
		}
		assertThat(this.fixture.processed("orders")).isZero();
		move(server, Duration.ofMinutes(1));
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 2);
	}

	@Test
	void limitsAreChecked() {
		Duration second = Duration.ofSeconds(1);
		for (Limits wrong : List.of(new Limits(-1, null), new Limits(9, null), new Limits(0, new RateLimit(0, second)),
				new Limits(0, new RateLimit(1, Duration.ofSeconds(61))), new Limits(0, new RateLimit(1, Duration.ZERO)),
				new Limits(0, new RateLimit(1, second, 9)))) {
			RegisteredWorker.Settings settings = ServerFixture.settings(10, 1, 5).with(wrong);
			assertThat(catchThrowable(
					() -> new RegisteredWorker("orders", Worker.class, Integer.class, settings, () -> this.worker)))
				.as(wrong.toString())
				.isInstanceOf(InvalidQueueException.class);
		}
	}

}
