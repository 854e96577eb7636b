package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ReadFrom;
import io.lowkiq.StoreAccessException;
import io.lowkiq.StoreException;
import io.lowkiq.StoreFullException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Lease;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/** How scripts reach Redis, and what the exceptions say. */
class ScriptRunnerIntegrationTests {

	private static final Shard SHARD = new Shard("orders", 1, 0);

	private final RedisProcess server = TestRedis.startPrivate();

	private final LettuceConnectionFactory connections = TestRedis.connectionFactory(this.server.url());

	private final RedisStore store = new RedisStore(this.connections, "lowkiq", null);

	@BeforeEach
	void know() {
		this.server.call("SET", "lowkiq:{%s}:meta".formatted(SHARD), "known");
	}

	@AfterEach
	void close() {
		this.connections.destroy();
		this.server.close();
	}

	private int enqueue(String id) {
		return this.store.shards().enqueue(SHARD, List.of(newPayload(id, "1"))).merged();
	}

	@Test
	void otherClientsThanLettuceAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedisStore(mock(RedisConnectionFactory.class), "lowkiq", null))
			.withMessageContaining("Define a LettuceConnectionFactory");
	}

	@Test
	void callsShareAConnectionThoughTheApplicationSharesNone() {
		this.connections.setShareNativeConnection(false);
		this.connections.resetConnection();
		for (int i = 0; i < 20; i++) {
			enqueue("a" + i);
		}
		await().untilAsserted(() -> assertThat(clients()).isLessThanOrEqualTo(2));
		assertThat(queued()).isEqualTo(20);
	}

	private long clients() {
		return String.valueOf(this.server.call("CLIENT", "LIST")).lines().filter((client) -> !client.isBlank()).count();
	}

	@Test
	void masterIsFoundByTheAddressOfAReplica() {
		try (RedisProcess replica = TestRedis.startPrivate("--replicaof", this.server.host(),
				Integer.toString(this.server.port()))) {
			await().until(() -> String.valueOf(this.server.call("INFO", "replication")).contains("state=online"));
			LettuceConnectionFactory byReplica = TestRedis.connectionFactory(
					LettuceConnectionFactory.createRedisConfiguration(replica.url()),
					(client) -> client.readFrom(ReadFrom.REPLICA_PREFERRED));
			try {
				new RedisStore(byReplica, "lowkiq", null).shards().enqueue(SHARD, List.of(newPayload("a", "1")));
				assertThat(queued()).isEqualTo(1);
			}
			finally {
				byReplica.destroy();
			}
		}
	}

	@Test
	void connectionToAReplicaIsLeft() {
		enqueue("a");
		long before = connectionsReceived();
		this.server.call("REPLICAOF", "127.0.0.1", "1");
		assertThatExceptionOfType(StoreUnreachableException.class).isThrownBy(() -> enqueue("b"))
			.withMessageContaining("READONLY");
		await().untilAsserted(() -> assertThat(connectionsReceived() - before).isGreaterThanOrEqualTo(3));
		this.server.call("REPLICAOF", "NO", "ONE");
		await().ignoreExceptionsInstanceOf(StoreException.class).until(() -> enqueue("a") == 1);
	}

	/** Counts the connections of the tests' own calls, too. */
	private long connectionsReceived() {
		return String.valueOf(this.server.call("INFO", "stats"))
			.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
			.sum();
	}

	@Test
	void enqueueWhoseAnswerIsLostIsNotSentAgain() {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			LettuceConnectionFactory throughProxy = TestRedis.connectionFactory("redis://127.0.0.1:" + proxy.port());
			try {
				ShardStore producer = new RedisStore(throughProxy, "lowkiq", null).shards();
				producer.enqueue(SHARD, List.of(newPayload("before", "1")));
				proxy.loseAnswers();
				CompletableFuture<EnqueueResult> enqueue = CompletableFuture
					.supplyAsync(() -> producer.enqueue(SHARD, List.of(newPayload("a", "old"))));
				await().until(() -> queued() == 2);
				// As if it had been performed meanwhile
				this.store.actions().delete(SHARD, List.of("a"));
				proxy.heal();
				assertThat(enqueue).failsWithin(30, TimeUnit.SECONDS)
					.withThrowableThat()
					.withCauseInstanceOf(UnconfirmedEnqueueException.class)
					.withMessageContaining("It is unknown whether the jobs are queued");
				producer.enqueue(SHARD, List.of(newPayload("after", "1")));
				assertThat(this.store.inspection().find(SHARD, JobView.State.QUEUED, "a", 1)).isEmpty();
				assertThat(queued()).isEqualTo(2);
			}
			finally {
				throughProxy.destroy();
			}
		}
	}

	private long queued() {
		return this.store.inspection().counts(SHARD).queued();
	}

	@Test
	void refusalSaysWhatRedisSaid() {
		this.server.call("ACL", "SETUSER", "default", "-rpush");
		assertThatExceptionOfType(StoreAccessException.class).isThrownBy(() -> enqueue("a"))
			.withMessageStartingWith("Redis refused to enqueue: ")
			.withMessageContaining("command")
			.withMessageNotContaining("script: ");
	}

	@Test
	void wrongPasswordIsNamed() {
		this.server.call("CONFIG", "SET", "requirepass", "secret");
		LettuceConnectionFactory wrong = TestRedis
			.connectionFactory(this.server.url().replace("redis://", "redis://:wrong@"));
		try {
			RedisStore other = new RedisStore(wrong, "lowkiq", null);
			// Lettuce closes a connection that Redis refused, and may tell no more than
			// that
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(StoreAccessException.class)
					.isThrownBy(() -> other.queues().all())
					.withMessageStartingWith("Redis refused to look up the queues: WRONGPASS"));
		}
		finally {
			wrong.destroy();
		}
	}

	@Test
	void missingPasswordIsNamed() {
		enqueue("a");
		this.server.call("CONFIG", "SET", "requirepass", "secret");
		LettuceConnectionFactory without = TestRedis.connectionFactory(this.server.url());
		try {
			RedisStore other = new RedisStore(without, "lowkiq", null);
			assertThatExceptionOfType(StoreAccessException.class).isThrownBy(() -> other.queues().all())
				.withMessageStartingWith("Redis refused to look up the queues: NOAUTH");
		}
		finally {
			without.destroy();
		}
	}

	@Test
	void commandWithoutPermissionIsNamed() {
		this.server.call("ACL", "SETUSER", "default", "-evalsha");
		assertThatExceptionOfType(StoreAccessException.class).isThrownBy(() -> this.store.queues().all())
			.withMessageStartingWith("Redis refused to look up the queues: NOPERM")
			.withMessageContaining("evalsha");
	}

	@Test
	void commandOfAScriptWithoutPermissionIsNamed() {
		this.server.call("ACL", "SETUSER", "default", "-hgetall");
		assertThatExceptionOfType(StoreAccessException.class).isThrownBy(() -> this.store.queues().all())
			.withMessageStartingWith("Redis refused to look up the queues: ")
			.withMessageContaining("command")
			.withMessageNotContaining("script: ");
	}

	@Test
	void fullMemoryIsNamed() {
		this.server.call("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(StoreFullException.class).isThrownBy(() -> enqueue("a"))
			.withMessageStartingWith("Redis refused to enqueue: OOM ");
	}

	@Test
	void slowAnswerIsATimeout() {
		LettuceConnectionFactory impatient = TestRedis.connectionFactory(
				LettuceConnectionFactory.createRedisConfiguration(this.server.url()),
				(client) -> client.commandTimeout(Duration.ofMillis(200)));
		try {
			RedisStore other = new RedisStore(impatient, "lowkiq", null);
			await().ignoreExceptionsInstanceOf(StoreException.class).until(() -> other.queues().all().isEmpty());
			this.server.call("CLIENT", "PAUSE", "60000");
			assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> other.queues().all())
				.withMessageStartingWith("No reply from Redis when asked to look up the queues: ");
		}
		finally {
			impatient.destroy();
		}
	}

	@Test
	void serverThatIsNotThereIsUnreachable() {
		this.server.stop();
		assertThatExceptionOfType(StoreUnreachableException.class).isThrownBy(() -> this.store.queues().all())
			.withMessageContaining("Connection refused");
	}

	@Test
	void callsOfOwnersEndWithAStoreException() {
		this.server.stop();
		assertThat(this.store.shards().release(new Lease(SHARD, "me", 1), 1, List.of()))
			.failsWithin(30, TimeUnit.SECONDS)
			.withThrowableThat()
			.withCauseInstanceOf(StoreException.class)
			.withMessageContaining("No reply from Redis when asked to take a lease back");
	}

}
