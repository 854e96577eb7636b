package io.lowkiq.autoconfigure;

import java.net.URI;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs go to the Redis of the connection details, which {@code @ServiceConnection} and
 * Docker Compose provide, whatever the properties say.
 */
class ServiceConnectionIntegrationTests {

	@Test
	void jobsGoWhereTheConnectionDetailsLead() {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			URI uri = URI.create(redis.url());
			DataRedisConnectionDetails details = new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of(uri.getHost(), uri.getPort());
				}

			};
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
				.withPropertyValues("spring.data.redis.url=redis://localhost:1", "lowkiq.server.enabled=false")
				.withBean(DataRedisConnectionDetails.class, () -> details)
				.withBean(OrderWorker.class)
				.run((context) -> {
					context.getBean(LowkiqClient.class).enqueue(OrderWorker.class, "42", "paid");
					assertThat(redis.call("KEYS", "lowkiq:*orders*")).isNotEmpty();
				});
		}
	}

	@LowkiqWorker(queue = "orders")
	static class OrderWorker implements Worker<String> {

		@Override
		public void perform(String id, java.util.List<String> payloads) {
		}

	}

}
