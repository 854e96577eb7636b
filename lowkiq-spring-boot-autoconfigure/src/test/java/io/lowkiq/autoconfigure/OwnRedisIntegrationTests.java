package io.lowkiq.autoconfigure;

import java.net.URI;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application with two servers: one for its cache and one for jobs.
 */
@ExtendWith(OutputCaptureExtension.class)
class OwnRedisIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void jobsAreInTheQualifiedRedisOnly(CapturedOutput output) throws Exception {
		try (RedisProcess cache = TestRedis.startPrivate();
				RedisProcess jobs = TestRedis.startPrivate("--maxmemory-policy", "volatile-lru")) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
						LowkiqAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
				.withUserConfiguration(JobsApart.class)
				.withBean(GatedWorker.class)
				.withPropertyValues("spring.data.redis.url=" + cache.url(), "jobs.redis.url=" + jobs.url())
				.run((context) -> {
					StringRedisTemplate cached = context.getBean(StringRedisTemplate.class);
					cached.opsForValue().set("cached", "value");
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
					GatedWorker worker = context.getBean(GatedWorker.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
					HealthIndicator health = context.getBean(HealthIndicator.class);
					await().atMost(LONG)
						.untilAsserted(() -> assertThat(health.health().getStatus()).isEqualTo(Status.UP));
					assertThat(cached.keys("*")).containsExactly("cached");
					StringRedisTemplate own = new StringRedisTemplate(
							context.getBean("jobs", LettuceConnectionFactory.class));
					assertThat(own.keys("*")).isNotEmpty().allMatch((key) -> key.startsWith("lowkiq:"));
					cache.stop();
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "43", "sent");
					await().atMost(LONG)
						.untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid", "43=sent"));
					await().atMost(LONG)
						.untilAsserted(
								() -> assertThat(output).contains("The maxmemory-policy of Redis is 'volatile-lru'"));
				});
		}
	}

	/** Docker Compose and {@code @ServiceConnection} make such a bean. */
	@Test
	void connectionDetailsWinOverProperties() throws Exception {
		try (RedisProcess container = TestRedis.startPrivate()) {
			URI url = URI.create(container.url());
			DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
				@Override
				public Standalone getStandalone() {
					return Standalone.of(url.getHost(), url.getPort());
				}
			};
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqAutoConfiguration.class))
				.withBean(DataRedisConnectionDetails.class, () -> details)
				.withBean(GatedWorker.class)
				.withPropertyValues("spring.data.redis.url=redis://no-such-host.invalid:1")
				.run((context) -> {
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
					GatedWorker worker = context.getBean(GatedWorker.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
				});
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class JobsApart {

		@LowkiqRedis
		@Bean(defaultCandidate = false)
		LettuceConnectionFactory jobs(@Value("${jobs.redis.url}") URI url) {
			return new LettuceConnectionFactory(url.getHost(), url.getPort());
		}

	}

}
