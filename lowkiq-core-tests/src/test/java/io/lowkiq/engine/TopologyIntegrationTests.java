package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ReplicaWait;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.RedisSentinelProcess;
import io.lowkiq.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server and a client on a cluster and behind Sentinel, while Redis moves: nothing is
 * lost, and the order is kept (I2, I3).
 */
class TopologyIntegrationTests {

	private static final String PREFIX = "lowkiq";

	private static final ReplicaWait ONE_REPLICA = new ReplicaWait(1, Duration.ofSeconds(10));

	@Test
	void aQueueSpreadOverThreeMastersGoesOnWhileItsSlotsMove() {
		try (RedisClusterProcess cluster = RedisClusterProcess.start();
				Running running = new Running(clusterConnections(cluster), null)) {
			running.work.inPeace(20);
			List<Shard> shards = running.fixture.queues.find(NumberedWork.QUEUE).orElseThrow().allShards();
			assertThat(shards.stream().map((shard) -> cluster.masterOf(slot(shard))).distinct()).hasSize(3);
			running.work.during(() -> {
				for (Shard shard : shards) {
					running.work.awaitProgress();
					RedisProcess from = cluster.masterOf(slot(shard));
					int next = (cluster.masters().indexOf(from) + 1) % cluster.masters().size();
					cluster.moveSlot(slot(shard), from, cluster.masters().get(next));
				}
				running.work.awaitProgress();
			});
			for (Shard shard : shards) {
				String slot = Integer.toString(slot(shard));
				assertThat(cluster.masterOf(slot(shard)).call("CLUSTER", "COUNTKEYSINSLOT", slot)).isEqualTo("0");
			}
			running.work.inPeace(20);
			running.work.expectAllInOrder();
		}
	}

	@Test
	void aQueueGoesOnAfterTheFailoverOfAMasterOfTheCluster() {
		try (RedisClusterProcess cluster = RedisClusterProcess.startWithReplicas();
				Running running = new Running(clusterConnections(cluster), ONE_REPLICA)) {
			running.work.inPeace(20);
			// The one with the registry of the nodes: the worst to lose
			int index = cluster.masters().indexOf(cluster.masterOf(SlotHash.getSlot("nodes")));
			running.work.during(() -> {
				running.work.awaitProgress();
				cluster.masters().get(index).kill();
				await().atMost(Duration.ofSeconds(30))
					.until(() -> String.valueOf(cluster.replicas().get(index).call("INFO", "replication"))
						.contains("role:master"));
				cluster.masters().get(index).restart();
				running.work.awaitProgress();
			});
			running.work.expectAllInOrder();
			running.work.inPeace(20);
		}
	}

	@Test
	void aQueueGoesOnAfterAFailoverBySentinel() {
		try (RedisSentinelProcess redis = RedisSentinelProcess.start();
				Running running = new Running(sentinelConnections(redis), ONE_REPLICA)) {
			running.work.inPeace(20);
			running.work.during(() -> {
				running.work.awaitProgress();
				redis.master().kill();
				redis.awaitFailover();
				redis.restartMasterAsReplica();
				running.work.awaitProgress();
			});
			running.work.expectAllInOrder();
			running.work.inPeace(20);
		}
	}

	@Test
	void aQueueGoesOnWhenItsMasterBecomesAReplicaAndKeepsItsConnections() {
		try (RedisSentinelProcess redis = RedisSentinelProcess.start();
				Running running = new Running(sentinelConnections(redis), ONE_REPLICA)) {
			running.work.inPeace(20);
			running.work.during(() -> {
				running.work.awaitProgress();
				redis.swapByHand();
				running.work.awaitProgress();
			});
			running.work.expectAllInOrder();
			running.work.inPeace(20);
		}
	}

	private static int slot(Shard shard) {
		return SlotHash.getSlot(shard.toString());
	}

	/**
	 * What {@code spring.data.redis.lettuce.cluster.refresh.period=1s} makes. The
	 * adaptive refresh is a default of this client.
	 */
	private static LettuceConnectionFactory clusterConnections(RedisClusterProcess cluster) {
		ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
			.enablePeriodicRefresh(Duration.ofSeconds(1))
			.build();
		return connections(new RedisClusterConfiguration(cluster.nodes()),
				ClusterClientOptions.builder().topologyRefreshOptions(refresh));
	}

	private static LettuceConnectionFactory sentinelConnections(RedisSentinelProcess redis) {
		return connections(redis.configuration(), ClientOptions.builder());
	}

	private static LettuceConnectionFactory connections(RedisConfiguration configuration,
			ClientOptions.Builder options) {
		return TestRedis.connectionFactory(configuration,
				(client) -> client.commandTimeout(Duration.ofSeconds(5))
					.clientOptions(options.timeoutOptions(TimeoutOptions.enabled())
						.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
						.build()));
	}

	/** A server, a client, and their work. */
	private static final class Running implements AutoCloseable {

		private final LettuceConnectionFactory connections;

		private final RedisStore store;

		private final ServerFixture fixture;

		private final NumberedWork work;

		Running(LettuceConnectionFactory connections, @Nullable ReplicaWait replicaWait) {
			this.connections = connections;
			this.store = new RedisStore(connections, PREFIX, null, replicaWait);
			this.fixture = new ServerFixture(this.store);
			Deferred worker = new Deferred();
			this.fixture.worker(NumberedWork.QUEUE, settings(12, 1, 25), worker);
			this.work = new NumberedWork(this.fixture.client());
			worker.work = this.work;
			this.fixture
				.server((builder) -> builder
					.settings(new ServerSettings(4, Duration.ofMillis(500), Duration.ofSeconds(5), 20, false)))
				.start();
		}

		@Override
		public void close() {
			try {
				this.fixture.close();
			}
			finally {
				this.store.close();
				this.connections.destroy();
			}
		}

	}

	/** Breaks the circle of worker and client. */
	private static final class Deferred implements Worker<Integer> {

		private volatile @Nullable NumberedWork work;

		@Override
		public void perform(String id, List<Integer> numbers) {
			Optional.ofNullable(this.work).orElseThrow().perform(id, numbers);
		}

	}

}
