package io.lowkiq.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lowkiq.store.Fetch;
import io.lowkiq.store.WakeUps;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.types.RedisClientInfo;

import static io.lowkiq.redis.RedisShardFixture.newPayload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The messages to waiting nodes, on a Redis of this test's own. */
@ExtendWith(OutputCaptureExtension.class)
class RedisWakeUpsIntegrationTests {

	private static final Fetch ONE = new Fetch(1, 10, false);

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final NodeInfo INFO = new NodeInfo("node", 0, LEASE, Set.of(), false);

	private final RedisProcess server = TestRedis.startPrivate();

	private final RedisShardFixture fixture = new RedisShardFixture(connect(this.server.url()));

	private final Recorder heard = new Recorder();

	private final WakeUps.Subscription subscription = this.fixture.store.wakeUps().subscribe("me", this.heard);

	RedisConnectionFactory connect(String url) {
		return TestRedis.connectionFactory(url);
	}

	@AfterEach
	void close() {
		this.subscription.close();
		this.fixture.close();
		this.server.close();
	}

	private void awaitEvents(String... events) {
		this.heard.await(events);
	}

	/**
	 * Messages of one publisher come in their order: with this one all earlier ones have
	 * come.
	 */
	private void awaitEventsThenEcho(String... events) {
		this.fixture.store.nodes().beat("me", INFO);
		String[] all = Arrays.copyOf(events, events.length + 1);
		all[events.length] = "echo";
		awaitEvents(all);
		this.heard.events.clear();
		this.heard.events.add("connected");
	}

	@Test
	void aRedisThatTakesNoMoreConnectionsIsNoErrorOfTheLog(CapturedOutput output) {
		awaitEvents("connected");
		limitConnections("1");
		this.subscription.reconnect();
		await().atMost(Duration.ofSeconds(30)).until(() -> refusedConnections() >= 3);
		assertThat(output).doesNotContain("ERROR");
		limitConnections("1000");
		awaitEvents("connected", "connected");
	}

	private void limitConnections(String most) {
		this.fixture.redis.execute((RedisCallback<Object>) (connection) -> {
			connection.serverCommands().setConfig("maxclients", most);
			return most;
		});
	}

	private long refusedConnections() {
		Properties stats = this.fixture.redis
			.execute((RedisCallback<Properties>) (connection) -> connection.serverCommands().info("stats"));
		return (stats != null) ? Long.parseLong(stats.getProperty("rejected_connections")) : 0;
	}

	@Test
	void beatOfAnEndedSessionHasNoEcho() {
		awaitEvents("connected");
		this.fixture.store.nodes().beat("me", INFO);
		this.fixture.store.nodes().join("me", INFO);
		awaitEventsThenEcho("connected");
	}

	@Test
	void brokenConnectionIsReplaced() {
		awaitEvents("connected");
		try (RedisConnection connection = this.fixture.connectionFactory.getConnection()) {
			String[] address = subscribers(connection).get(0).getAddressPort().split(":");
			connection.serverCommands().killClient(address[0], Integer.parseInt(address[1]));
		}
		awaitEvents("connected", "connected");
		this.server.restart();
		awaitEvents("connected", "connected", "connected");
	}

	@Test
	void reconnectMakesANewConnection() {
		awaitEvents("connected");
		this.subscription.reconnect();
		awaitEvents("connected", "connected");
		await().untilAsserted(() -> assertThat(subscribers()).isEqualTo(1));
	}

	@Test
	void closedSubscriptionLeavesNoConnectionAndNoThread() {
		awaitEvents("connected");
		this.subscription.close();
		await().untilAsserted(() -> assertThat(subscribers()).isZero());
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.doesNotContain("lowkiq-wake-ups-me");
		this.fixture.store.nodes().join("me", INFO);
		this.fixture.store.nodes().beat("me", INFO);
		assertThat(this.heard.events).containsExactly("connected");
	}

	@Test
	void reconnectsAsOftenAsItIsAsked() {
		awaitEvents("connected");
		for (int times = 2; times <= 50; times++) {
			this.subscription.reconnect();
			int expected = times;
			await().pollInterval(Duration.ofMillis(1)).until(() -> this.heard.events.size() == expected);
		}
		await().untilAsserted(() -> assertThat(subscribers()).isEqualTo(1));
	}

	@Test
	void reconnectDoesNotWaitForAServerThatHangs() {
		awaitEvents("connected");
		this.server.pause();
		this.subscription.reconnect();
		this.subscription.reconnect();
		this.server.resume();
		awaitEvents("connected", "connected");
		await().untilAsserted(() -> assertThat(subscribers()).isEqualTo(1));
		this.fixture.redis.convertAndSend(this.fixture.prefix + ":released", "a:1:2");
		awaitEvents("connected", "connected", "released a:1:2");
	}

	@Test
	void closingEndsThoughTheServerHangs() {
		awaitEvents("connected");
		this.server.pause();
		this.subscription.close();
		this.server.resume();
		this.fixture.redis.convertAndSend(this.fixture.prefix + ":released", "a:1:2");
		await().untilAsserted(() -> assertThat(subscribers()).isZero());
		assertThat(this.heard.events).containsExactly("connected");
	}

	@Test
	void startsWhenRedisIsAway() {
		awaitEvents("connected");
		this.server.stop();
		Recorder late = new Recorder();
		try (WakeUps.Subscription started = this.fixture.store.wakeUps().subscribe("late", late)) {
			assertThat(late.events).isEmpty();
			this.server.restart();
			await().untilAsserted(() -> assertThat(late.events).containsExactly("connected"));
			assertThat(started).isNotNull();
		}
	}

	@Test
	void messagesInAnUnknownFormAreIgnored() {
		awaitEvents("connected");
		this.fixture.redis.convertAndSend(this.fixture.prefix + ":wake:me", "no shard");
		this.fixture.redis.convertAndSend(this.fixture.prefix + ":released", "a:b:c");
		this.fixture.redis.convertAndSend(this.fixture.prefix + ":released", "a:1:2");
		awaitEvents("connected", "released a:1:2");
	}

	@Test
	void ownerThatMayNotPublishIsServedAllTheSame() {
		awaitEvents("connected");
		this.fixture.own();
		this.fixture.completeAndFetch(ONE);
		this.fixture.redis.execute((RedisCallback<Object>) (connection) -> connection.execute("ACL",
				"SETUSER".getBytes(), "default".getBytes(), "-publish".getBytes()));
		this.fixture.enqueue(newPayload("a", "1"));
		assertThat(this.fixture.fetch(1)).hasSize(1);
		assertThat(this.fixture.release()).isTrue();
	}

	private long subscribers() {
		try (RedisConnection connection = this.fixture.connectionFactory.getConnection()) {
			return subscribers(connection).size();
		}
	}

	private static List<RedisClientInfo> subscribers(RedisConnection connection) {
		return connection.serverCommands()
			.getClientList()
			.stream()
			.filter((client) -> !"0".equals(client.get("sub")))
			.toList();
	}

	/** Records the messages as text. */
	static final class Recorder implements WakeUps.Listener {

		private final List<String> events = new CopyOnWriteArrayList<>();

		void await(String... expected) {
			Awaitility.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
		}

		@Override
		public void wake(Shard shard) {
			this.events.add("wake " + shard);
		}

		@Override
		public void released(Shard shard) {
			this.events.add("released " + shard);
		}

		@Override
		public void echo() {
			this.events.add("echo");
		}

		@Override
		public void connected() {
			this.events.add("connected");
		}

	}

}
