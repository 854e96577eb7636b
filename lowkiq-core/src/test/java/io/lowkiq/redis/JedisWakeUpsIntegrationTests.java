package io.lowkiq.redis;

import io.lowkiq.store.WakeUps;
import io.lowkiq.testing.JedisConnections;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static io.lowkiq.redis.RedisShardFixture.push;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The messages to waiting nodes with Jedis, which reads them on the thread that
 * subscribed.
 */
class JedisWakeUpsIntegrationTests extends RedisWakeUpsIntegrationTests {

	@Override
	RedisConnectionFactory connect(String url) {
		return JedisConnections.connectionFactory(url);
	}

	@Test
	void takesNoConnectionOfTheApplication() {
		try (RedisShardFixture fixture = new RedisShardFixture(
				JedisConnections.connectionFactory(TestRedis.shared().url(), 1))) {
			Recorder recorder = new Recorder();
			try (WakeUps.Subscription subscription = fixture.store.wakeUps().subscribe("me", recorder)) {
				recorder.await("connected");
				subscription.reconnect();
				recorder.await("connected", "connected");
				assertThat(fixture.enqueue(push("a", "1")).merged()).isZero();
			}
		}
	}

}
