package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.store.inspection.QueueStatistics;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that has Jedis and no Lettuce. The build gives these tests a class path
 * of their own.
 */
class WithoutLettuceIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				LowkiqAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.url=" + TestRedis.shared().url(),
				"lowkiq.key-prefix=" + TestRedis.uniquePrefix())
		.withBean(GatedWorker.class);

	@Test
	void theClassPathIsAsTheNameSays() {
		assertThat(ClassUtils.isPresent("io.lettuce.core.RedisClient", getClass().getClassLoader())).isFalse();
		this.application.run((context) -> assertThat(context.getBean(RedisConnectionFactory.class).getClass().getName())
			.contains("Jedis"));
	}

	@Test
	void performsWhatIsEnqueued() {
		this.application.withPropertyValues("lowkiq.metrics.cache=0s").run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			client.enqueue(GatedWorker.class, "42", "paid");
			client.enqueueAll(GatedWorker.class, List.of(JobRequest.of("43", "sent"), JobRequest.of("44", "sent")));
			GatedWorker worker = context.getBean(GatedWorker.class);
			await().atMost(LONG)
				.untilAsserted(
						() -> assertThat(worker.performed).containsExactlyInAnyOrder("42=paid", "43=sent", "44=sent"));
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(
						context.getBean(QueueStatistics.class).snapshot().sum((counts) -> counts.processed()))
					.isEqualTo(3));
		});
	}

	@Test
	void tellsThatWaitingForReplicasNeedsLettuce() {
		this.application.withPropertyValues("lowkiq.client.wait-for-replicas=1")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("not Lettuce's"));
	}

}
