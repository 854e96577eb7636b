package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.answer;
import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static io.lowkiq.testing.Outcomes.buried;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The storage on a cluster of three masters. */
class RedisClusterIntegrationTests {

	@Test
	void shardsSpreadOverTheMastersAndEveryStepWorks() {
		try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
			LettuceConnectionFactory connectionFactory = cluster.connectionFactory();
			try {
				RedisStore store = new RedisStore(connectionFactory, "lowkiq", null);
				QueueLayout queue = store.queues().register("orders", 12);
				Released heard = new Released();
				try (WakeUps.Subscription subscription = store.wakeUps().subscribe("me", heard)) {
					assertThat(subscription).isNotNull();
					await().untilAsserted(() -> assertThat(heard.connected).isNotEmpty());
					NodeInfo info = new NodeInfo("me", 0, Duration.ofSeconds(9), Set.of(), false);
					store.nodes().join("me", info);
					assertThat(store.nodes().beat("me", info).held()).isTrue();
					queue.allShards().forEach((shard) -> useShard(store, shard));
					await().untilAsserted(() -> assertThat(heard.released).containsAll(queue.allShards()));
				}
			}
			finally {
				connectionFactory.destroy();
			}
			for (RedisProcess master : cluster.masters()) {
				assertThat(keys(master)).as("keys of %s", master.url()).isPositive();
			}
		}
	}

	private static void useShard(RedisStore store, Shard shard) {
		Lease lease = ((Acquisition.Acquired) answer(store.shards().acquire(shard, LeaseRequest.forFreeShard("me"))))
			.lease();
		store.shards()
			.enqueue(shard,
					List.of(newPayload("a", "1"), newPayload("a", "2"), newPayload("b", "1"), newPayload("c", "1")));
		List<FetchedJob> jobs = new ArrayList<>(fetch(store, lease, 1, 0, new Fetch(9, 1, false)).jobs());
		assertThat(jobs).extracting(FetchedJob::id).containsExactly("a", "b", "c");
		fetch(store, lease, 2, 3, Fetch.NONE, buried("a", "dead"), new Outcome.Retry("b", 0, "oops"));
		assertThat(store.inspection().list(shard, JobQuery.first(JobQuery.JobList.DELAYED, 9)).jobs())
			.extracting(JobView::id)
			.containsExactly("a", "b");
		assertThat(store.actions().reEnqueue(shard, List.of("a")).changed()).isEqualTo(1);
		assertThat(Optional.of(store.inspection().counts(shard))).get()
			.satisfies((counts) -> assertThat(counts.queued()).isEqualTo(2));
		assertThat(answer(store.shards().release(lease, 3, List.of(new Outcome.Done("c"))))).isTrue();
	}

	private static FetchResult.Fetched fetch(RedisStore store, Lease lease, long sequence, int busy, Fetch fetch,
			Outcome... outcomes) {
		return (FetchResult.Fetched) answer(
				store.shards().completeAndFetch(lease, sequence, busy, List.of(outcomes), fetch));
	}

	private static long keys(RedisProcess master) {
		LettuceConnectionFactory connectionFactory = TestRedis.connectionFactory(master.url());
		try (RedisConnection connection = connectionFactory.getConnection()) {
			return Optional.ofNullable(connection.serverCommands().dbSize()).orElseThrow();
		}
		finally {
			connectionFactory.destroy();
		}
	}

	/** Records the shards that were given back. */
	private static final class Released implements WakeUps.Listener {

		private final Set<Shard> released = new CopyOnWriteArraySet<>();

		private final Set<String> connected = new CopyOnWriteArraySet<>();

		@Override
		public void wake(Shard shard) {
		}

		@Override
		public void released(Shard shard) {
			this.released.add(shard);
		}

		@Override
		public void connected() {
			this.connected.add("yes");
		}

	}

}
