package io.lowkiq.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.StoreException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ReplicaWait;
import io.lowkiq.store.RandomRun.Payloads;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.SecuredRedis;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Every call of the storage works as a user that may do no more than
 * {@code docs/production.md} says, and over TLS if Redis is the one on the PATH.
 */
class SecuredRedisIntegrationTests {

	/** In the page, too. */
	private static final String RULES = "~lowkiq:* resetchannels &lowkiq:* -@all"
			+ " +ping +hello +client|setname +client|getname +info +eval +evalsha +wait"
			+ " +subscribe +unsubscribe +publish +exists +del +unlink +rename +time" + " +get +set +persist +pexpire"
			+ " +hget +hset +hsetnx +hdel +hgetall +hmget +hkeys +hincrby +hlen +hrandfield +hscan"
			+ " +lindex +llen +lpos +lpush +lrange +ltrim +rpush"
			+ " +zadd +zcard +zcount +zrange +zrangebyscore +zrem +zremrangebyrank"
			+ " +zrevrange +zscore +zunionstore";

	@Test
	void thePageNamesTheRightsThatAreTested() throws IOException {
		String page = Files.readString(Path.of("..", "docs", "production.md"));
		assertThat(page.replaceAll("[\\s\\\\]+", " ")).contains(RULES);
	}

	@Test
	void everyOperationIsAllowed() throws IOException, GeneralSecurityException {
		try (SecuredRedis redis = SecuredRedis.start(RULES)) {
			ShrinkingRun.run(ShrinkingRun.seed(), ShrinkingRun.operations(400), Payloads.OF_ALL_KINDS,
					(clock) -> new StoreComparison(TestedStore.inMemory(clock), RedisStoreIntegrationTests
						.open(redis.connectionFactory(), "lowkiq:" + TestRedis.uniquePrefix(), clock), true));
			assertThat(redis.denied()).isEmpty();
		}
	}

	@Test
	void registriesMessagesAndWaitingForReplicasAreAllowed() throws IOException, GeneralSecurityException {
		try (SecuredRedis redis = SecuredRedis.start(RULES)) {
			LettuceConnectionFactory connections = redis.connectionFactory();
			try (RedisStore store = new RedisStore(connections, "lowkiq", null,
					new ReplicaWait(1, Duration.ofMillis(10)));
					RedisConnection connection = connections.getConnection()) {
				assertThat(connection.serverCommands().info("memory")).isNotEmpty();
				Shard shard = store.queues().register("orders", 1).shard(0);
				assertThat(store.queues().find("orders")).isPresent();
				QueueLayout other = store.queues().register("other", 1);
				store.actions().hold(other.shard(0), List.of("42"));
				TestAdmin.of(store).removeQueue("other");
				assertThat(store.actions().erase(shard, "42").isAny()).isFalse();
				assertThat(store.queues().all()).hasSize(1);
				NodeInfo node = new NodeInfo("me", 0, Duration.ofSeconds(9), Set.of("orders"), false);
				store.nodes().join("me", node);
				store.nodes().beat("me", node);
				store.nodes().report("me", "{}");
				assertThat(store.nodes().reports()).hasSize(1);
				assertThat(store.nodes().assign(new Assignment(1, Map.of(shard, "me")))).isTrue();
				assertThat(store.nodes().assignment().owners()).hasSize(1);
				assertThat(store.nodes().assignedTo("me").shards()).hasSize(1);
				assertThat(store.nodes().members().members()).hasSize(1);
				ConnectionLatch latch = new ConnectionLatch();
				try (WakeUps.Subscription subscription = store.wakeUps().subscribe("me", latch)) {
					assertThat(subscription).isNotNull();
					assertThat(latch.await()).isTrue();
				}
				store.nodes().leave("me");
				assertThat(store.nodes().endedNodes()).hasSize(1);
				assertThat(store.nodes().now()).isPositive();
				store.nodes().join("you", node);
				assertThat(store.nodes().end("you", 0, true)).isTrue();
				assertThatExceptionOfType(UnconfirmedEnqueueException.class)
					.isThrownBy(() -> store.shards().enqueue(shard, List.of(NewPayload.of("a", new byte[] { 1 }))));
			}
			finally {
				connections.destroy();
			}
			assertThat(redis.denied()).isEmpty();
		}
	}

	@Test
	void otherKeysAreNot() throws IOException, GeneralSecurityException {
		try (SecuredRedis redis = SecuredRedis.start(RULES)) {
			LettuceConnectionFactory connections = redis.connectionFactory();
			RedisStore store = new RedisStore(connections, "other", null);
			try {
				assertThatExceptionOfType(StoreException.class).isThrownBy(() -> store.queues().register("orders", 1))
					.withStackTraceContaining("NOPERM");
			}
			finally {
				connections.destroy();
			}
			assertThat(redis.denied()).isNotEmpty();
		}
	}

}
