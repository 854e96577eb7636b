package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lowkiq.LowkiqClient;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.testing.ForwardingShardStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.idsIn;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster of two masters with a shard each. One of them fails over to a replica that
 * has not received the lease of its shard, while the node's session goes on.
 */
@Timeout(60)
class LostLeaseTests {

	/** As many as there are jobs: none is free to fetch. */
	private static final int THREADS = 4;

	private final RedisStore registry = InMemoryRedis.newStore(InstantSource.system());

	private final InMemoryRedis master = new InMemoryRedis(InstantSource.system());

	private final RedisStore onMaster = this.master.store();

	private final ServerFixture fixture = new ServerFixture(this.registry,
			new TwoMasters(this.onMaster.shards(), this.registry.shards()),
			FailoverTests.both(this.registry.wakeUps(), this.onMaster.wakeUps()));

	private final ThreadPerformContext context = new ThreadPerformContext();

	private final Set<String> begun = ConcurrentHashMap.newKeySet();

	private final Set<String> told = ConcurrentHashMap.newKeySet();

	private final CountDownLatch finish = new CountDownLatch(1);

	private final QueueLayout layout = new QueueLayout("orders", 1, 2);

	private final List<String> ofFirst = idsIn(this.layout, 0, 2);

	private final List<String> ofSecond = idsIn(this.layout, 1, 2);

	@AfterEach
	void stopServers() {
		this.finish.countDown();
		this.fixture.close();
	}

	/** Ends when it is told. */
	private void askingWorker(String id, List<Integer> payloads) throws InterruptedException {
		this.begun.add(id);
		boolean over = false;
		while (!over && !this.context.isLeaseLost()) {
			over = this.finish.await(1, TimeUnit.MILLISECONDS);
		}
		if (!over) {
			this.told.add(id);
		}
	}

	/** Ends when it is interrupted. */
	private void waitingWorker(String id, List<Integer> payloads) throws InterruptedException {
		this.begun.add(id);
		try {
			this.finish.await();
		}
		catch (InterruptedException ex) {
			this.told.add(id);
			throw ex;
		}
	}

	private LowkiqServer failedOver(Worker<Integer> worker, boolean interrupting) {
		this.fixture.worker("orders", settings(2, 1, 5), worker);
		Faults.Snapshot replica = this.master.faults().snapshot();
		LowkiqServer server = this.fixture.started((builder) -> builder.performContext(this.context)
			.settings(new ServerSettings(THREADS, Duration.ofSeconds(1), Duration.ofMinutes(10), 100, interrupting)));
		ServerFixture.awaitHeld(2, server);
		LowkiqClient client = this.fixture.client();
		this.ofFirst.forEach((id) -> client.enqueue("orders", id, 1));
		this.ofSecond.forEach((id) -> client.enqueue("orders", id, 1));
		await().atMost(PATIENCE).until(() -> this.begun.size() == 4);
		this.master.faults().promote(replica);
		return server;
	}

	@Test
	void theRunsOfAShardWhoseLeaseAFailoverForgotAreToldAndNoOthers() {
		LowkiqServer server = failedOver(this::askingWorker, false);
		String session = server.status().session();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.told).containsExactlyInAnyOrderElementsOf(this.ofFirst));
		ServerFixture.awaitHeld(2, server);
		this.finish.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 2);
		assertThat(this.told).containsExactlyInAnyOrderElementsOf(this.ofFirst);
		assertThat(server.status().session()).isEqualTo(session);
	}

	@Test
	void theRunsOfAShardWhoseLeaseAFailoverForgotAreInterruptedIfAskedForAndNoOthers() {
		failedOver(this::waitingWorker, true);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.told).containsExactlyInAnyOrderElementsOf(this.ofFirst));
		this.finish.countDown();
		await().atMost(PATIENCE).until(() -> this.fixture.processed("orders") == 2);
		assertThat(this.told).containsExactlyInAnyOrderElementsOf(this.ofFirst);
	}

	/** Has the first shard on a master of its own. */
	private static final class TwoMasters extends ForwardingShardStore {

		private final ShardStore first;

		TwoMasters(ShardStore first, ShardStore second) {
			super(second);
			this.first = first;
		}

		private ShardStore of(Shard shard) {
			return (shard.index() == 0) ? this.first : this.store;
		}

		@Override
		public EnqueueResult enqueue(Shard shard, List<NewPayload> payloads) {
			return of(shard).enqueue(shard, payloads);
		}

		@Override
		public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
			return of(shard).acquire(shard, request);
		}

		@Override
		public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
				List<Outcome> outcomes, Fetch fetch) {
			return of(lease.shard()).completeAndFetch(lease, sequence, busy, outcomes, fetch);
		}

		@Override
		public CompletableFuture<Boolean> release(Lease lease, long sequence, List<Outcome> outcomes) {
			return of(lease.shard()).release(lease, sequence, outcomes);
		}

	}

}
