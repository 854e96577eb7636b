package io.lowkiq.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.Worker;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import io.lowkiq.testing.TestRedis;

import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node and a producer whose connections all go dead without a sign.
 */
@Timeout(180)
class DeadConnectionIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final ServerSettings SETTINGS = new ServerSettings(5, Duration.ofSeconds(1), Duration.ofSeconds(15),
			100, false);

	/** How often each number was performed. */
	private final Map<Integer, AtomicInteger> performed = new ConcurrentHashMap<>();

	private static LettuceConnectionFactory connect(TcpProxy proxy) {
		return TestRedis.connectionFactory(
				LettuceConnectionFactory.createRedisConfiguration("redis://127.0.0.1:" + proxy.port()),
				(client) -> client.commandTimeout(TIMEOUT));
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().pollInSameThread().atMost(Duration.ofSeconds(60));
	}

	private void perform(int number) {
		this.performed.computeIfAbsent(number, (key) -> new AtomicInteger()).incrementAndGet();
	}

	@Test
	void nodeAndProducerGoOnByThemselves() {
		try (RedisProcess redis = TestRedis.startPrivate(); TcpProxy proxy = new TcpProxy(redis.port())) {
			LettuceConnectionFactory ofNode = connect(proxy);
			LettuceConnectionFactory ofProducer = connect(proxy);
			try (ServerFixture node = new ServerFixture(new RedisStore(ofNode, "lowkiq", null))) {
				Worker<Integer> worker = (id, payloads) -> payloads.forEach(this::perform);
				node.worker("orders", settings(4, 1, 25), worker).started((builder) -> builder.settings(SETTINGS));
				LowkiqClient client = new ServerFixture(new RedisStore(ofProducer, "lowkiq", null))
					.worker("orders", settings(4, 1, 25), worker)
					.client();
				client.enqueue("orders", "first", -1);
				eventually().until(() -> this.performed.containsKey(-1));
				proxy.swallow();
				Set<Integer> refused = ConcurrentHashMap.newKeySet();
				AtomicInteger last = new AtomicInteger();
				eventually().until(() -> isAccepted(client, last.incrementAndGet(), refused));
				eventually().until(() -> this.performed.containsKey(last.get()));
				assertThat(refused).isNotEmpty();
				// What was refused is not sent again, also not before this one
				client.enqueue("orders", "last", 0);
				eventually().until(() -> this.performed.containsKey(0));
				assertThat(refused).allSatisfy((number) -> assertThat(this.performed).doesNotContainKey(number));
				assertThat(this.performed.get(last.get())).hasValue(1);
			}
			finally {
				ofNode.destroy();
				ofProducer.destroy();
			}
		}
	}

	private static boolean isAccepted(LowkiqClient client, int number, Set<Integer> refused) {
		try {
			client.enqueue("orders", "id" + number, number);
			return true;
		}
		catch (StoreException ex) {
			refused.add(number);
			return false;
		}
	}

}
