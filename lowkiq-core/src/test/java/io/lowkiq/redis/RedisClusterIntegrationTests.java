package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.WakeUps;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The storage on a cluster of three masters.
 */
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
					store.nodes().join("me", Duration.ofSeconds(9), new NodeInfo("me", 0, List.of(), ""));
					assertThat(store.nodes()
						.beat("me", Duration.ofSeconds(9), new NodeInfo("me", 0, List.of(), ""))
						.held()).isTrue();
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
		Lease lease = ((Acquisition.Acquired) store.shardStore().acquire(shard, Claim.free("me"))).lease();
		store.shardStore().push(shard, List.of(push("a", "1"), push("a", "2"), push("b", "1"), push("c", "1")));
		List<FetchedJob> jobs = new ArrayList<>(turn(store, lease, 1, new Fetch(9, 1, false)).jobs());
		assertThat(jobs).extracting(FetchedJob::id).containsExactly("a", "b", "c");
		turn(store, lease, 2, Fetch.NONE, new Outcome.Bury("a", "dead"), new Outcome.Retry("b", 0, "oops"));
		assertThat(store.inspection()
			.list(shard, JobQuery.first(JobView.State.QUEUED, JobQuery.Order.PERFORM_AT, 9))
			.jobs()).extracting(JobView::id).containsExactly("a", "b");
		assertThat(store.actions().revive(shard, List.of("a")).changed()).isEqualTo(1);
		assertThat(Optional.of(store.inspection().counts(shard))).get()
			.satisfies((counts) -> assertThat(counts.queued()).isEqualTo(2));
		assertThat(store.shardStore().release(lease, 3, List.of(new Outcome.Done("c")))).isTrue();
	}

	private static FetchResult.Fetched turn(RedisStore store, Lease lease, long sequence, Fetch fetch,
			Outcome... outcomes) {
		return (FetchResult.Fetched) store.shardStore().turn(lease, sequence, List.of(outcomes), fetch);
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

	/**
	 * Notes the shards that were given back.
	 */
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
		public void echo() {
		}

		@Override
		public void connected() {
			this.connected.add("yes");
		}

	}

}
