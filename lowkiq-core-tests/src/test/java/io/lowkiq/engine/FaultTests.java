package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.ForwardingListener;
import io.lowkiq.testing.Intercepted;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What workers and people notice of a store that is away. The simulation proves that
 * nothing is lost and nothing overlaps.
 */
class FaultTests {

	private final RedisStore memory = InMemoryRedis.newStore(InstantSource.system());

	/** Whether no call of nodes arrives. */
	private volatile boolean away;

	@AutoClose
	private final ServerFixture fixture = new ServerFixture(this.memory,
			Intercepted.of(ShardStore.class, this.memory.shards(),
					(method, call) -> (this.away && !method.startsWith("enqueue"))
							? CompletableFuture.failedFuture(new StoreException("away", null)) : call.make()));

	private final AtomicLong nanos = new AtomicLong();

	private final CountDownLatch began = new CountDownLatch(1);

	private final AtomicInteger performs = new AtomicInteger();

	@Test
	void theServerGoesOnByItselfWhenTheStoreIsBack() {
		Set<Integer> performed = ConcurrentHashMap.newKeySet();
		this.fixture.worker("orders", settings(3, 1, 5),
				(Worker<Integer>) (id, payloads) -> performed.addAll(payloads));
		LowkiqServer server = this.fixture.started();
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> performed.contains(1));
		this.away = true;
		client.enqueueAll("orders", List.of(JobRequest.of("a", 2), JobRequest.of("a", 3)));
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() != null);
		assertThat(performed).doesNotContain(2);
		this.away = false;
		await().atMost(PATIENCE).until(() -> performed.contains(2));
		await().atMost(PATIENCE).until(() -> server.status().storeProblem() == null);
	}

	/** With so many shards, looking at one after the other takes too long. */
	@Test
	void aJobOfWhichTheStoreForgotToTellIsFoundWhenMessagesComeAgain() {
		InMemoryRedis redis = new InMemoryRedis(InstantSource.system());
		RedisStore store = redis.store();
		AtomicBoolean forgetful = new AtomicBoolean();
		try (ServerFixture deaf = new ServerFixture(store, store.shards(),
				(session, listener) -> store.wakeUps().subscribe(session, new ForwardingListener(listener) {

					@Override
					public void wake(Shard shard) {
						if (!forgetful.get()) {
							super.wake(shard);
						}
					}

				}))) {
			deaf.worker("orders", settings(200, 1, 5),
					(Worker<Integer>) (id, payloads) -> this.performs.incrementAndGet());
			LowkiqServer server = deaf.started();
			ServerFixture.awaitHeld(200, server);
			ServerFixture.awaitIdle(server);
			forgetful.set(true);
			deaf.client().enqueue("orders", "a", 1);
			forgetful.set(false);
			redis.faults().dropSubscribers();
			await().atMost(PATIENCE).until(() -> this.performs.get() == 1);
		}
	}

	@Test
	void aLapsedSessionTellsThePerformAndItsOutcomeIsNotApplied() throws Exception {
		ThreadPerformContext context = new ThreadPerformContext();
		CountDownLatch finish = new CountDownLatch(1);
		AtomicBoolean lostBefore = new AtomicBoolean(true);
		AtomicBoolean lostAfter = new AtomicBoolean();
		AtomicInteger lapses = new AtomicInteger();
		List<Long> tokens = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			tokens.add(context.fencingToken());
			if (this.performs.incrementAndGet() == 1) {
				lostBefore.set(context.isLeaseLost());
				this.began.countDown();
				finish.await();
				lostAfter.set(context.isLeaseLost());
			}
		});
		LowkiqServer server = this.fixture.server(
				(builder) -> builder.nanoTime(this.nanos::get).performContext(context).observer(new LowkiqObserver() {
					@Override
					public void leaseLost() {
						lapses.incrementAndGet();
					}
				}));
		server.start();
		this.fixture.client().enqueue("orders", "a", 1);
		assertThat(this.began.await(20, TimeUnit.SECONDS)).isTrue();
		String session = server.status().session();
		this.nanos.addAndGet(Duration.ofSeconds(15).toNanos());
		await().atMost(PATIENCE).until(() -> lapses.get() == 1);
		await().atMost(PATIENCE).until(() -> {
			String now = server.status().session();
			return now != null && !now.equals(session);
		});
		assertThat(this.performs).hasValue(1);
		finish.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		assertThat(this.performs).hasValue(2);
		assertThat(lostBefore).isFalse();
		assertThat(lostAfter).isTrue();
		assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
	}

	@Test
	void aPerformIsInterruptedWhenItsLeaseIsLostIfAskedFor() throws Exception {
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			if (this.performs.incrementAndGet() == 1) {
				this.began.countDown();
				new CountDownLatch(1).await();
			}
		});
		this.fixture
			.server((builder) -> builder.nanoTime(this.nanos::get)
				.settings(new ServerSettings(2, Duration.ofSeconds(1), Duration.ofSeconds(15), 100, true)))
			.start();
		this.fixture.client().enqueue("orders", "a", 1);
		assertThat(this.began.await(20, TimeUnit.SECONDS)).isTrue();
		this.nanos.addAndGet(Duration.ofSeconds(15).toNanos());
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 1);
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(counts.failed()).isZero();
	}

}
