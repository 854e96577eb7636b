package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.resource.ClientResources;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.StoreException;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The connection that a shard thread has for itself, on a Redis of this test's own.
 */
@EnabledOnOs(OS.LINUX)
class ThreadConnectionIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final RedisProcess server = TestRedis.startPrivate();

	private final RedisShardFixture fixture = new RedisShardFixture(
			TestRedis.connectionFactory(LettuceConnectionFactory.createRedisConfiguration(this.server.url()),
					(client) -> client.commandTimeout(TIMEOUT)));

	@AfterEach
	void close() {
		this.fixture.close();
		this.server.close();
	}

	private void attached(Runnable task) {
		this.fixture.shardStore().runAttached(5, task);
	}

	private long connections() {
		return String.valueOf(this.server.call("CLIENT", "LIST")).lines().count();
	}

	private List<FetchedJob> enqueueAndFetch(String id, Outcome... outcomes) {
		this.fixture.advance(1);
		this.fixture.enqueue(push(id, "1"));
		return this.fixture.fetch(1, outcomes);
	}

	@Test
	void threadHasAConnectionForAsLongAsTheTaskRuns() {
		this.fixture.own();
		long before = connections();
		attached(() -> {
			assertThat(connections()).as("before the first call").isEqualTo(before);
			assertThat(enqueueAndFetch("a")).extracting(FetchedJob::id).containsExactly("a");
			assertThat(enqueueAndFetch("b", new Outcome.Done("a"))).extracting(FetchedJob::id).containsExactly("b");
			assertThat(connections()).isEqualTo(before + 1);
		});
		await().untilAsserted(() -> assertThat(connections()).isEqualTo(before));
		assertThat(this.fixture.fetch(1, new Outcome.Done("b"))).isEmpty();
		assertThat(this.fixture.state().processed()).isEqualTo(2);
		ClientResources shared = ((LettuceConnectionFactory) this.fixture.connectionFactory).getRequiredNativeClient()
			.getResources();
		assertThat(shared.eventExecutorGroup().isShuttingDown()).isFalse();
		assertThat(shared.timer().newTimeout((timeout) -> {
		}, 1, TimeUnit.NANOSECONDS)).as("what the application's timer takes").isNotNull();
	}

	@Test
	void manyThreadsShareOneConnection() {
		this.fixture.own();
		long before = connections();
		this.fixture.shardStore().runAttached(11, () -> {
			assertThat(enqueueAndFetch("a")).hasSize(1);
			assertThat(connections()).isEqualTo(before);
		});
	}

	@Test
	void factoryThatDoesNotTellWhereItLeadsIsShared() {
		RedisConfiguration configuration = LettuceConnectionFactory.createRedisConfiguration(this.server.url());
		assertShared(new LettuceConnectionFactory(configuration));
	}

	@Test
	void factoryToAMasterAndItsReplicasIsShared() {
		assertShared(new LettuceConnectionFactory(
				new RedisStaticMasterReplicaConfiguration(this.server.host(), this.server.port())));
	}

	private void assertShared(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		try (RedisShardFixture other = new RedisShardFixture(factory)) {
			other.own();
			long before = connections();
			other.shardStore().runAttached(1, () -> {
				other.enqueue(push("a", "1"));
				assertThat(other.fetch(1)).hasSize(1);
				assertThat(connections()).isEqualTo(before);
			});
		}
	}

	@Test
	void scriptIsSentAgainWhenRedisForgotIt() {
		this.fixture.own();
		attached(() -> {
			assertThat(enqueueAndFetch("a")).hasSize(1);
			this.server.call("SCRIPT", "FLUSH");
			assertThat(enqueueAndFetch("b", new Outcome.Done("a"))).hasSize(1);
		});
	}

	@Test
	void connectionThatWasKilledIsMadeAnew() {
		this.fixture.own();
		attached(() -> {
			assertThat(enqueueAndFetch("a")).hasSize(1);
			this.server.call("CLIENT", "KILL", "TYPE", "normal");
			assertThat(enqueueAndFetch("b", new Outcome.Done("a"))).hasSize(1);
		});
	}

	@Test
	void redisThatIsAwayIsAStoreExceptionUntilItIsBack() {
		this.fixture.own();
		attached(() -> {
			assertThat(enqueueAndFetch("a")).hasSize(1);
			this.server.stop();
			NewPayload push = push("b", "1");
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push));
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push));
			this.server.restart();
			await().ignoreExceptions().untilAsserted(() -> assertThat(this.fixture.enqueue(push)).isNotNull());
		});
	}

	@Test
	void answerThatIsLateIsAStoreExceptionAndNotThatOfTheNextCall() {
		this.fixture.own();
		attached(() -> {
			assertThat(enqueueAndFetch("a")).hasSize(1);
			this.server.pause();
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push("b", "1")))
				.withMessageContaining("No answer within");
			this.server.resume();
			this.fixture.advance(1);
			assertThat(this.fixture.enqueue(push("c", "1")).now()).isEqualTo(this.fixture.millis());
			assertThat(this.fixture.fetch(5, new Outcome.Done("a"))).extracting(FetchedJob::id).contains("c");
		});
	}

	@Test
	void interruptEndsTheWaitAndTheThreadGoesOn() throws InterruptedException {
		this.fixture.own();
		CountDownLatch paused = new CountDownLatch(1);
		AtomicReference<Throwable> failure = new AtomicReference<>();
		Thread thread = new Thread(() -> attached(() -> {
			assertThat(enqueueAndFetch("a")).hasSize(1);
			this.server.pause();
			paused.countDown();
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.fixture.enqueue(push("b", "1")))
				.withMessageContaining("nterrupted");
			assertThat(Thread.interrupted()).isTrue();
			this.server.resume();
			assertThat(enqueueAndFetch("c", new Outcome.Done("a"))).hasSize(1);
		}));
		thread.setUncaughtExceptionHandler((ended, ex) -> failure.set(ex));
		thread.start();
		paused.await();
		thread.interrupt();
		thread.join(20_000);
		assertThat(failure.get()).isNull();
		assertThat(thread.isAlive()).isFalse();
	}

}
