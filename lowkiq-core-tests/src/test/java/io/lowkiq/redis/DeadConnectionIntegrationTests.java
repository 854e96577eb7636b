package io.lowkiq.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import io.lowkiq.StoreException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.store.ConnectionLatch;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Connections that go dead without a sign, as when a firewall forgets them, and a network
 * that hangs as a whole.
 */
class DeadConnectionIntegrationTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private static final Duration BRIEF = Duration.ofMillis(500);

	private final RedisProcess server = TestRedis.startPrivate();

	private final TcpProxy proxy = new TcpProxy(this.server.port());

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	private final RedisStore direct = new RedisStore(connect(this.server.port(), (client) -> {
	}), "lowkiq", null);

	@AfterEach
	void close() {
		this.factories.forEach(LettuceConnectionFactory::destroy);
		this.proxy.close();
		this.server.close();
	}

	private LettuceConnectionFactory connect(int port, Consumer<LettuceClientConfigurationBuilder> customizer) {
		LettuceConnectionFactory factory = TestRedis.connectionFactory(
				LettuceConnectionFactory.createRedisConfiguration("redis://127.0.0.1:" + port), customizer);
		this.factories.add(factory);
		return factory;
	}

	private LettuceConnectionFactory connect(Duration timeout) {
		return connect(this.proxy.port(), (client) -> client.commandTimeout(timeout));
	}

	private static RedisStore store(LettuceConnectionFactory factory) {
		return new RedisStore(factory, "lowkiq", null);
	}

	private static void call(RedisStore store) {
		assertThat(store.queues().all()).isEmpty();
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptionsInstanceOf(StoreException.class);
	}

	private static void awaitCall(RedisStore store) {
		eventually().untilAsserted(() -> call(store));
	}

	@Test
	void callsWorkAgainAfterTheConnectionWentDead() {
		RedisStore store = store(connect(BRIEF));
		call(store);
		this.proxy.swallow();
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> call(store));
		awaitCall(store);
	}

	@Test
	void callsWorkAgainThoughLettuceDoesNotEndThem() {
		TimeoutOptions none = TimeoutOptions.builder().timeoutCommands(false).build();
		RedisStore store = store(connect(this.proxy.port(), (client) -> client.commandTimeout(BRIEF)
			.clientOptions(ClientOptions.builder().timeoutOptions(none).build())));
		call(store);
		this.proxy.swallow();
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> call(store));
		awaitCall(store);
	}

	@Test
	@SuppressWarnings({ "deprecation", "unchecked" }) // Spring gives the commands only
	void connectionOfTheApplicationStays() {
		LettuceConnectionFactory factory = connect(BRIEF);
		RedisChannelHandler<?, ?> shared = (RedisChannelHandler<?, ?>) ((RedisAsyncCommands<byte[], byte[]>) factory
			.getConnection()
			.getNativeConnection()).getStatefulConnection();
		RedisStore store = store(factory);
		call(store);
		this.proxy.swallow();
		awaitCall(store);
		store.close();
		assertThat(shared.isClosed()).isFalse();
		assertThat(shared.isOpen()).isTrue();
	}

	@Test
	void closedStoreLeavesNoConnection() {
		RedisStore store = store(connect(BRIEF));
		call(store);
		assertThat(this.server.call("CLIENT", "LIST")).contains("cmd=eval");
		store.close();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.server.call("CLIENT", "LIST")).doesNotContain("cmd=eval"));
		call(store);
	}

	@Test
	void networkThatHangsGetsFewConnections() {
		RedisStore store = store(connect(BRIEF));
		call(store);
		int before = this.proxy.accepted();
		AtomicBoolean over = new AtomicBoolean();
		this.proxy.hang();
		long start = System.nanoTime();
		List<CompletableFuture<Void>> callers = IntStream.range(0, 8)
			.mapToObj((i) -> CompletableFuture.runAsync(() -> callUntil(over, store)))
			.toList();
		eventually().until(() -> this.proxy.accepted() >= before + 8);
		int connections = this.proxy.accepted() - before;
		// An attempt takes 1.5 s, and the pauses between them grow to 3 s
		assertThat(connections)
			.isLessThanOrEqualTo((int) Duration.ofNanos(System.nanoTime() - start).toSeconds() / 2 + 1);
		this.proxy.heal();
		awaitCall(store);
		over.set(true);
		assertThat(callers).allSatisfy((caller) -> assertThat(caller).succeedsWithin(Duration.ofSeconds(30)));
	}

	private static void callUntil(AtomicBoolean over, RedisStore store) {
		while (!over.get()) {
			try {
				call(store);
			}
			catch (StoreException ex) {
				// The network hangs
			}
		}
	}

	@Test
	void enqueuesOnADeadConnectionAreNotSentAgain() {
		RedisStore producer = store(connect(Duration.ofSeconds(3)));
		call(producer);
		this.direct.actions().pause(SHARD, false);
		this.proxy.swallow();
		List<String> accepted = new ArrayList<>();
		Map<String, StoreException> refused = new LinkedHashMap<>();
		// One is under way when the connection is closed
		Awaitility.await().pollInSameThread().atMost(Duration.ofSeconds(60)).until(() -> {
			String id = "id" + refused.size();
			try {
				producer.shards().enqueue(SHARD, List.of(newPayload(id, "1")));
				accepted.add(id);
			}
			catch (StoreException ex) {
				refused.put(id, ex);
			}
			return !accepted.isEmpty();
		});
		assertThat(refused.values()).hasAtLeastOneElementOfType(StoreTimeoutException.class)
			.hasAtLeastOneElementOfType(UnconfirmedEnqueueException.class);
		for (int i = 0; i < 10; i++) {
			accepted.add("after" + i);
			producer.shards().enqueue(SHARD, List.of(newPayload("after" + i, "1")));
		}
		assertThat(this.direct.inspection().list(SHARD, JobQuery.first(JobQuery.JobList.READY, 100)).jobs())
			.extracting(JobView::id)
			.containsExactlyElementsOf(accepted);
	}

	@Test
	void messagesComeAgain() {
		RedisStore store = store(connect(BRIEF));
		List<String> heard = new CopyOnWriteArrayList<>();
		try (WakeUps.Subscription subscription = store.wakeUps().subscribe("me", new ConnectionLatch() {

			@Override
			public void connected() {
				heard.add("connected");
			}

		})) {
			Awaitility.await().untilAsserted(() -> assertThat(heard).hasSize(1));
			this.proxy.swallow();
			subscription.reconnect();
			eventually().untilAsserted(() -> assertThat(heard).hasSize(2));
		}
	}

	@Test
	void oneServerOfAClusterIsEnough() {
		try (RedisClusterProcess cluster = RedisClusterProcess.start()) {
			Map<Integer, TcpProxy> proxies = new LinkedHashMap<>();
			cluster.masters().forEach((master) -> proxies.put(master.port(), new TcpProxy(master.port())));
			ClientResources resources = resources(proxies);
			LettuceConnectionFactory factory = TestRedis.connectionFactory(
					new RedisClusterConfiguration(cluster.nodes()),
					(client) -> client.clientResources(resources).commandTimeout(BRIEF));
			try {
				RedisStore store = store(factory);
				List<Shard> shards = store.queues().register("orders", 12).allShards();
				shards.forEach((shard) -> store.inspection().counts(shard));
				Shard dead = shards.get(0);
				RedisProcess master = cluster.masterOf(SlotHash.getSlot(dead.toString()));
				proxies.get(master.port()).swallow();
				assertThatExceptionOfType(StoreTimeoutException.class)
					.isThrownBy(() -> store.inspection().counts(dead));
				Shard alive = shards.stream()
					.filter((shard) -> cluster.masterOf(SlotHash.getSlot(shard.toString())) != master)
					.findFirst()
					.orElseThrow();
				// The others' answers don't hide that this one has none
				eventually().until(() -> {
					store.inspection().counts(alive);
					return store.inspection().counts(dead).queued() == 0;
				});
			}
			finally {
				factory.destroy();
				resources.shutdown();
				proxies.values().forEach(TcpProxy::close);
			}
		}
	}

	private static ClientResources resources(Map<Integer, TcpProxy> proxies) {
		return DefaultClientResources.builder()
			.socketAddressResolver(MappingSocketAddressResolver.create(DnsResolvers.UNRESOLVED,
					(address) -> HostAndPort.of("127.0.0.1", proxies.get(address.getPort()).port())))
			.build();
	}

}
