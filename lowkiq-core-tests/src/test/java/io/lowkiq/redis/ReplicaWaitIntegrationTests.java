package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import io.lowkiq.StoreException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.redis.call.ReplicaWait;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Enqueuing that waits for replicas. */
class ReplicaWaitIntegrationTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private final RedisProcess master = TestRedis.startPrivate("--repl-diskless-sync-delay", "0");

	private final RedisProcess replica = TestRedis.startPrivate("--replicaof", this.master.host(),
			Integer.toString(this.master.port()));

	private final LettuceConnectionFactory connections = TestRedis.connectionFactory(this.master.url());

	@BeforeEach
	void awaitReplication() {
		know();
		await().until(() -> String.valueOf(this.master.call("INFO", "replication")).contains("state=online"));
	}

	private void know() {
		for (int shard = 0; shard < 2; shard++) {
			this.master.call("SET", "lowkiq:{orders:1:%d}:meta".formatted(shard), "known");
		}
	}

	@AfterEach
	void close() {
		this.connections.destroy();
		this.replica.close();
		this.master.close();
	}

	private RedisStore store(Duration timeout) {
		return new RedisStore(this.connections, "lowkiq", null, new ReplicaWait(1, timeout));
	}

	private static int queued(RedisStore store) {
		return (int) store.inspection().counts(SHARD).queued();
	}

	@Test
	void returnsWhenTheReplicaHasTheJob() {
		try (RedisStore store = store(Duration.ofSeconds(10))) {
			store.shards().enqueue(SHARD, List.of(newPayload("a", "1")));
			assertThat(this.replica.call("LLEN", "lowkiq:{" + SHARD + "}:ready")).isEqualTo("1");
		}
	}

	@Test
	void throwsWhenTheReplicaDoesNotConfirmInTimeAndGoesOnWhenItDoes() {
		try (RedisStore store = store(Duration.ofMillis(100))) {
			this.replica.pause();
			assertThatExceptionOfType(UnconfirmedEnqueueException.class)
				.isThrownBy(() -> store.shards().enqueue(SHARD, List.of(newPayload("a", "1"))))
				.withMessageContaining("0 confirmed")
				.withMessageContaining("safe to enqueue them again");
			assertThat(queued(store)).isEqualTo(1);
			this.replica.resume();
			await().ignoreExceptionsInstanceOf(UnconfirmedEnqueueException.class)
				.until(() -> store.shards().enqueue(SHARD, List.of(newPayload("a", "1"))).merged() == 1);
			assertThat(queued(store)).isEqualTo(1);
		}
	}

	@Test
	void aConnectionThatBrokeConfirmsNothing() {
		try (RedisStore store = store(Duration.ofSeconds(4))) {
			this.replica.pause();
			CompletableFuture<?> enqueued = CompletableFuture
				.supplyAsync(() -> store.shards().enqueue(SHARD, List.of(newPayload("a", "1"))));
			await().until(() -> String.valueOf(this.master.call("CLIENT", "LIST")).contains("cmd=wait"));
			this.master.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			assertThat(enqueued).failsWithin(60, TimeUnit.SECONDS)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(UnconfirmedEnqueueException.class)
				.withMessageContaining("connection broke");
		}
	}

	@Test
	void enqueueWhoseAnswerIsLostIsNotSentAgain() {
		try (TcpProxy proxy = new TcpProxy(this.master.port())) {
			LettuceConnectionFactory throughProxy = TestRedis.connectionFactory("redis://127.0.0.1:" + proxy.port());
			try (RedisStore producer = new RedisStore(throughProxy, "lowkiq", null,
					new ReplicaWait(1, Duration.ofSeconds(10))); RedisStore store = store(Duration.ofSeconds(10))) {
				producer.shards().enqueue(SHARD, List.of(newPayload("before", "1")));
				proxy.loseAnswers();
				CompletableFuture<?> enqueued = CompletableFuture
					.supplyAsync(() -> producer.shards().enqueue(SHARD, List.of(newPayload("a", "1"))));
				await().until(() -> queued(store) == 2);
				store.actions().delete(SHARD, List.of("a"));
				proxy.heal();
				assertThat(enqueued).failsWithin(60, TimeUnit.SECONDS)
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(UnconfirmedEnqueueException.class);
				assertThat(queued(store)).isEqualTo(1);
			}
			finally {
				throughProxy.destroy();
			}
		}
	}

	@Test
	void severalShardsWaitToo() {
		try (RedisStore store = store(Duration.ofMillis(100))) {
			this.replica.pause();
			assertThat(store.shards()
				.enqueueAll(List.of(new ShardPayloads(SHARD, List.of(newPayload("a", "1"))),
						new ShardPayloads(new Shard("orders", 1, 1), List.of(newPayload("b", "1")))))
				.problems()
				.values()).hasSize(2).hasOnlyElementsOfType(UnconfirmedEnqueueException.class);
		}
	}

	@Test
	void otherCallsDoNotWaitBehindAProducer() {
		try (RedisStore store = store(Duration.ofSeconds(60))) {
			this.replica.pause();
			CompletableFuture<?> enqueued = CompletableFuture
				.supplyAsync(() -> store.shards().enqueue(SHARD, List.of(newPayload("a", "1"))));
			await().until(() -> String.valueOf(this.master.call("CLIENT", "LIST")).contains("cmd=wait"));
			assertThat(queued(store)).isEqualTo(1);
			assertThat(enqueued).isNotDone();
			this.replica.resume();
			assertThat(enqueued).succeedsWithin(60, TimeUnit.SECONDS);
		}
	}

	@Test
	void connectionsAreUsedAgain() {
		try (RedisStore store = store(Duration.ofSeconds(10))) {
			store.shards().enqueue(SHARD, List.of(newPayload("a", "1")));
			long before = connectionsReceived();
			for (int i = 0; i < 10; i++) {
				store.shards().enqueue(SHARD, List.of(newPayload("a", "1")));
			}
			assertThat(connectionsReceived() - before).isEqualTo(1);
		}
	}

	/** The first failure ends the unused connections, which have gone dead, too. */
	@Test
	void connectionsThatWentDeadCostOneFailure() {
		try (TcpProxy proxy = new TcpProxy(this.master.port())) {
			LettuceConnectionFactory throughProxy = TestRedis.connectionFactory(
					LettuceConnectionFactory.createRedisConfiguration("redis://127.0.0.1:" + proxy.port()),
					(client) -> client.commandTimeout(Duration.ofSeconds(3)));
			try (RedisStore producer = new RedisStore(throughProxy, "lowkiq", null,
					new ReplicaWait(1, Duration.ofSeconds(20)))) {
				this.replica.pause();
				List<CompletableFuture<?>> enqueued = Stream.of("a", "b", "c")
					.<CompletableFuture<?>>map((id) -> CompletableFuture
						.supplyAsync(() -> producer.shards().enqueue(SHARD, List.of(newPayload(id, "1")))))
					.toList();
				await().until(() -> String.valueOf(this.master.call("CLIENT", "LIST"))
					.lines()
					.filter((client) -> client.contains("cmd=wait"))
					.count() == 3);
				this.replica.resume();
				assertThat(enqueued).allSatisfy((one) -> assertThat(one).succeedsWithin(60, TimeUnit.SECONDS));
				proxy.swallow();
				assertThatExceptionOfType(StoreException.class)
					.isThrownBy(() -> producer.shards().enqueue(SHARD, List.of(newPayload("d", "1"))));
				producer.shards().enqueue(SHARD, List.of(newPayload("e", "1")));
			}
			finally {
				throughProxy.destroy();
			}
		}
	}

	/** Counts the connection that asks, too. */
	private long connectionsReceived() {
		return String.valueOf(this.master.call("INFO", "stats"))
			.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
			.sum();
	}

	@Test
	void goesOnAfterTheMasterCameBack() {
		try (RedisStore store = store(Duration.ofSeconds(1))) {
			store.shards().enqueue(SHARD, List.of(newPayload("a", "1")));
			this.master.restart();
			know();
			await().ignoreExceptionsInstanceOf(StoreException.class)
				.until(() -> store.shards().enqueue(SHARD, List.of(newPayload("b", "1"))).now() > 0);
			assertThat(queued(store)).isEqualTo(1);
		}
	}

	@Test
	void nothingWaitsWhenItIsOff() {
		this.replica.pause();
		try (RedisStore store = new RedisStore(this.connections, "lowkiq", null)) {
			store.shards().enqueue(SHARD, List.of(newPayload("a", "1")));
		}
		assertThat(commands()).noneMatch((name) -> name.matches("cmdstat_(wait|client.[gs]etname)"));
	}

	private List<String> commands() {
		try (RedisConnection connection = this.connections.getConnection()) {
			Properties stats = connection.serverCommands().info("commandstats");
			assertThat(stats).isNotNull().containsKey("cmdstat_evalsha");
			return List.copyOf(stats.stringPropertyNames());
		}
	}

	@Test
	void inAClusterTheReplicaOfTheShardConfirms() {
		try (RedisClusterProcess cluster = RedisClusterProcess.startWithReplicas()) {
			LettuceConnectionFactory factory = cluster.connectionFactory();
			try (RedisStore store = new RedisStore(factory, "lowkiq", null,
					new ReplicaWait(1, Duration.ofMillis(500)))) {
				List<Shard> shards = store.queues().register("orders", 12).allShards();
				shards.forEach((shard) -> store.shards().enqueue(shard, List.of(newPayload("a", "1"))));
				cluster.replicas().get(0).pause();
				List<Shard> unconfirmed = shards.stream().filter((shard) -> !isConfirmed(store, shard)).toList();
				assertThat(unconfirmed).isNotEmpty()
					.containsExactlyElementsOf(shards.stream()
						.filter((shard) -> cluster.masterOf(slot(shard)) == cluster.masters().get(0))
						.toList());
			}
			finally {
				factory.destroy();
			}
		}
	}

	private static int slot(Shard shard) {
		return SlotHash.getSlot(shard.toString());
	}

	private static boolean isConfirmed(RedisStore store, Shard shard) {
		try {
			store.shards().enqueue(shard, List.of(newPayload("b", "1")));
			return true;
		}
		catch (UnconfirmedEnqueueException ex) {
			return false;
		}
	}

}
