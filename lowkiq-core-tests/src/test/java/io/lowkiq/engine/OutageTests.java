package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Outages of the store that last longer than a lease, and jobs that last longer than the
 * outages: each time all nodes lose their sessions, and no node has crashed.
 */
@Timeout(120)
class OutageTests {

	private static final int SHARDS = 8;

	/**
	 * So long that no node loses its session because the machine is busy: the other one
	 * would rightly count a crash.
	 */
	private static final Duration LEASE = Duration.ofSeconds(5);

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final ServerFixture fixture = new ServerFixture(this.store);

	/** Awaited by the runs of one round. Written by the test, read by workers. */
	private volatile CountDownLatch gate = new CountDownLatch(1);

	/** By how much the clock of the nodes is ahead. */
	private final AtomicLong ahead = new AtomicLong();

	@AfterEach
	void stopServers() {
		this.gate.countDown();
		this.fixture.close();
	}

	@Test
	void jobsThatOutlastOutagesCountNoCrash() {
		this.fixture.worker("orders", settings(SHARDS, 1, 5), (Worker<Integer>) (id, payloads) -> this.gate.await());
		LowkiqServer first = start();
		LowkiqServer second = start();
		ServerFixture.awaitHeld(SHARDS / 2, first, second);
		QueueLayout layout = this.fixture.queues.find("orders").orElseThrow();
		List<Shard> shards = layout.allShards();
		shards
			.forEach((shard) -> this.fixture.client().enqueue("orders", ServerFixture.idIn(layout, shard.index()), 1));
		for (int outage = 0; outage < 4; outage++) {
			awaitBusy(shards);
			this.redis.faults().hang();
			this.ahead.addAndGet(LEASE.toNanos());
			first.clockMoved();
			second.clockMoved();
			await().atMost(PATIENCE).until(() -> first.status().session() == null && second.status().session() == null);
			// The runs end, and nobody hears of it
			CountDownLatch over = this.gate;
			this.gate = new CountDownLatch(1);
			this.redis.faults().promote(this.redis.faults().snapshot());
			over.countDown();
			// Whoever comes back first may take all, and a long run keeps its shard
			await().atMost(PATIENCE)
				.until(() -> ServerFixture.held(first).size() + ServerFixture.held(second).size() == SHARDS);
			assertThat(shards).allSatisfy(this::assertNoCrash);
		}
		this.gate.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == SHARDS);
	}

	private LowkiqServer start() {
		return this.fixture.started((builder) -> builder.settings(settings(SHARDS, LEASE))
			.nanoTime(() -> System.nanoTime() + this.ahead.get()));
	}

	private void awaitBusy(List<Shard> shards) {
		await().atMost(PATIENCE)
			.until(() -> this.store.inspection().counts(shards).stream().mapToLong(ShardCounts::busy).sum() == SHARDS);
	}

	private void assertNoCrash(Shard shard) {
		assertThat(this.store.inspection().counts(shard).dead()).isZero();
		String id = ServerFixture.idIn(this.fixture.queues.find("orders").orElseThrow(), shard.index());
		for (JobView.State state : List.of(JobView.State.QUEUED, JobView.State.BUSY)) {
			this.store.inspection().find(shard, state, id, 1).ifPresent((job) -> assertThat(job.crashes()).isZero());
		}
	}

}
