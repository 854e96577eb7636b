package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import io.lowkiq.testing.ForwardingShardStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.lowkiq.engine.ServerFixture.BRIEF_LEASE;
import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A failover that forgets calls that were answered, and what must not be taken for one.
 * The registry of the nodes is on another master.
 */
class LostWritesTests {

	private static final int SHARDS = 4;

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final RedisStore store = this.redis.store();

	private final RedisStore registry = InMemoryRedis.newStore(InstantSource.system());

	private final RefusingStore refusing = new RefusingStore(this.store.shards());

	@AutoClose
	private ServerFixture fixture = fixture(this.refusing);

	private final AtomicInteger performed = new AtomicInteger();

	/** How many shards each report names. */
	private final List<Integer> told = new CopyOnWriteArrayList<>();

	/** By how much the monotonic clock of the nodes is ahead. */
	private final AtomicLong ahead = new AtomicLong();

	private ServerFixture fixture(ShardStore shards) {
		this.store.queues().register("orders", SHARDS);
		return new ServerFixture(this.registry, shards,
				FailoverTests.both(this.registry.wakeUps(), this.store.wakeUps()));
	}

	private void worker() {
		this.fixture.worker("orders", settings(SHARDS, 1, 5),
				(Worker<Integer>) (id, payloads) -> this.performed.addAndGet(payloads.size()));
	}

	private LowkiqServer start() {
		return this.fixture.started((builder) -> builder.settings(BRIEF_LEASE)
			.nanoTime(() -> System.nanoTime() + this.ahead.get())
			.observer(new LowkiqObserver() {

				@Override
				public void callsForgotten(int shards) {
					LostWritesTests.this.told.add(shards);
				}

			}));
	}

	private void lapse(LowkiqServer server) {
		String session = server.status().session();
		this.ahead.addAndGet(Duration.ofSeconds(1).toNanos());
		server.clockMoved();
		await().atMost(PATIENCE).until(() -> {
			String now = server.status().session();
			return now != null && !now.equals(session);
		});
	}

	/** One job of each shard. */
	private void perform(ShardStore clean, int payload) {
		LowkiqClient client = new ServerFixture(this.registry, clean)
			.worker("orders", settings(SHARDS, 1, 5), (Worker<Integer>) (id, payloads) -> {
			})
			.client();
		// A node records its queues when the store lets it
		await().atMost(PATIENCE).until(() -> this.registry.queues().find("orders").isPresent());
		QueueLayout layout = this.registry.queues().find("orders").orElseThrow();
		int before = this.performed.get();
		layout.allShards()
			.forEach((shard) -> client.enqueue("orders", ServerFixture.idIn(layout, shard.index()), payload));
		await().atMost(PATIENCE).until(() -> this.performed.get() >= before + SHARDS);
		await().atMost(PATIENCE)
			.until(() -> layout.allShards()
				.stream()
				.map(this.store.inspection()::counts)
				.allMatch((counts) -> counts.busy() == 0 && counts.queued() == 0));
	}

	private Forgotten awaitTold() {
		await().atMost(PATIENCE).until(() -> !this.told.isEmpty());
		assertThat(this.told).hasSize(1);
		List<Forgotten> recorded = this.registry.nodes().forgotten();
		assertThat(recorded).extracting(Forgotten::degree).containsExactly(Degree.CALLS);
		return recorded.get(0);
	}

	/** How the owner gets to know what the shard knows. */
	enum Way {

		REFUSED_CALL, REFUSED_LEASE, LOST_CALL, LAPSE

	}

	@ParameterizedTest
	@EnumSource
	void aFailoverThatForgetsAnsweredCallsIsSaidOnce(Way way) {
		worker();
		Faults.Snapshot replica = this.redis.faults().snapshot();
		long since = this.store.nodes().now();
		LowkiqServer server = start();
		ServerFixture.awaitHeld(SHARDS, server);
		if (way != Way.REFUSED_LEASE) {
			perform(this.store.shards(), 1);
			replica = this.redis.faults().snapshot();
		}
		perform(this.store.shards(), 2);
		this.refusing.acquires = way != Way.LOST_CALL;
		this.refusing.fetches = way == Way.LOST_CALL || way == Way.LAPSE;
		this.redis.faults().promote(replica);
		if (way == Way.LAPSE) {
			lapse(server);
			this.refusing.acquires = false;
		}
		Forgotten loss = awaitTold();
		assertThat(loss.sentence()).contains(" of orders that it had acknowledged");
		if (way == Way.REFUSED_LEASE) {
			assertThat(loss.knownAt()).isZero();
		}
		else {
			assertThat(loss.knownAt()).isBetween(since, loss.noticedAt());
		}
		this.refusing.acquires = false;
		this.refusing.fetches = false;
		ServerFixture.awaitHeld(SHARDS, server);
	}

	/** Refuses some calls before they are made. */
	private static final class RefusingStore extends ForwardingShardStore {

		private volatile boolean acquires;

		private volatile boolean fetches;

		RefusingStore(ShardStore store) {
			super(store);
		}

		@Override
		public CompletableFuture<Acquisition> acquire(Shard shard, LeaseRequest request) {
			return this.acquires ? CompletableFuture.failedFuture(new StoreException("refused", null))
					: super.acquire(shard, request);
		}

		@Override
		public CompletableFuture<FetchResult> completeAndFetch(Lease lease, long sequence, int busy,
				List<Outcome> outcomes, Fetch fetch) {
			return this.fetches ? CompletableFuture.failedFuture(new StoreException("refused", null))
					: super.completeAndFetch(lease, sequence, busy, outcomes, fetch);
		}

	}

}
