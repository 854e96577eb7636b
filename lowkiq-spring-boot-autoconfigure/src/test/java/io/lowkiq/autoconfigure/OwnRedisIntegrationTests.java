package io.lowkiq.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.EpollProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.autoconfigure.health.LowkiqHealthContributorAutoConfiguration;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** An application with two servers: one for its cache and one for jobs. */
@ExtendWith(OutputCaptureExtension.class)
class OwnRedisIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@Test
	void jobsAreInTheQualifiedRedisOnly(CapturedOutput output) throws Exception {
		try (RedisProcess cache = TestRedis.startPrivate();
				RedisProcess jobs = TestRedis.startPrivate("--maxmemory-policy", "allkeys-lfu")) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
						LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqHealthContributorAutoConfiguration.class))
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
								() -> assertThat(output).contains("The maxmemory-policy of Redis is 'allkeys-lfu'"));
				});
		}
	}

	/** A cache, a session and the like take the only connection factory that there is. */
	@Test
	void aUrlDescribesARedisThatOnlyJobsUse() {
		try (RedisProcess cache = TestRedis.startPrivate(); RedisProcess jobs = TestRedis.startPrivate()) {
			jobs.call("ACL", "SETUSER", "me", "on", ">secret", "~*", "&*", "+@all");
			String url = jobs.url().replace("redis://", "redis://me:secret@") + "?clientName=jobs-of-shop";
			// The end of the context ends no connection by ending these
			DefaultClientResources resources = DefaultClientResources.create();
			withPropertiesOnly(cache, jobs).withPropertyValues("lowkiq.redis.url=" + url)
				.withBean(ClientResources.class, () -> resources, (definition) -> definition.setDestroyMethodName(""))
				.run((context) -> {
					context.getBean(StringRedisTemplate.class).opsForValue().set("cached", "value");
					context.getBean(LowkiqClient.class).enqueue(GatedWorker.class, "42", "paid");
					GatedWorker worker = context.getBean(GatedWorker.class);
					await().atMost(LONG).untilAsserted(() -> assertThat(worker.performed).containsExactly("42=paid"));
					assertThat(context).hasSingleBean(RedisConnectionFactory.class);
					assertThat(context.getBean(StringRedisTemplate.class).keys("*")).containsExactly("cached");
					assertThat(jobs.call("EXISTS", "cached")).isEqualTo("0");
					assertThat(Integer.parseInt(String.valueOf(jobs.call("DBSIZE")))).isPositive();
					assertThat(jobs.call("CLIENT", "LIST")).contains("name=jobs-of-shop", "user=me");
					assertThat(cache.call("CLIENT", "LIST")).doesNotContain("name=jobs-of-shop");
					new StringRedisTemplate(jobsFactory(context)).hasKey("shared connection");
				});
			await().atMost(LONG)
				.untilAsserted(() -> assertThat(jobs.call("CLIENT", "LIST")).doesNotContain("jobs-of-shop"));
			resources.shutdown(0, 0, TimeUnit.SECONDS);
		}
	}

	@Test
	void enqueueFailsWithinTheTimeoutOfAFrozenRedis() {
		try (RedisProcess cache = TestRedis.startPrivate(); RedisProcess jobs = TestRedis.startPrivate()) {
			withPropertiesOnly(cache, jobs)
				.withPropertyValues("spring.data.redis.timeout=300ms", "lowkiq.server.enabled=false")
				.run((context) -> {
					LowkiqClient client = context.getBean(LowkiqClient.class);
					client.enqueue(GatedWorker.class, "41", "sent");
					jobs.pause();
					try {
						// Without the property, the timeout is 60 seconds
						await().atMost(LONG)
							.untilAsserted(() -> assertThat(CompletableFuture.supplyAsync(
									() -> catchThrowable(() -> client.enqueue(GatedWorker.class, "42", "paid"))))
								.succeedsWithin(LONG.dividedBy(2))
								.isInstanceOf(StoreException.class));
					}
					finally {
						jobs.resume();
					}
					await().atMost(LONG)
						.untilAsserted(() -> assertThatCode(() -> client.enqueue(GatedWorker.class, "43", "paid"))
							.doesNotThrowAnyException());
				});
		}
	}

	@Test
	void theUrlHasAllButTheTimeoutsAndCustomizersOfTheApplication() {
		DefaultClientResources resources = DefaultClientResources.create();
		try {
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
								LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
				.withBean(ClientResources.class, () -> resources, (definition) -> definition.setDestroyMethodName(""))
				.withBean(LettuceClientConfigurationBuilderCustomizer.class,
						() -> (builder) -> builder.clientName("customized"))
				.withPropertyValues("spring.data.redis.host=shared", "spring.data.redis.password=other",
						"spring.data.redis.timeout=7s", "spring.data.redis.connect-timeout=3s",
						"lowkiq.redis.url=rediss://me:s%40cret@jobs:7402/3")
				.run((context) -> {
					LettuceConnectionFactory factory = jobsFactory(context);
					LettuceClientConfiguration client = factory.getClientConfiguration();
					assertThat(client.isUseSsl()).isTrue();
					assertThat(client.getClientResources()).containsSame(resources);
					assertThat(client.getClientName()).contains("customized");
					assertThat(client.getCommandTimeout()).isEqualTo(Duration.ofSeconds(7));
					ClientOptions options = client.getClientOptions().orElseThrow();
					assertThat(options.getTimeoutOptions().isTimeoutCommands()).isTrue();
					assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofSeconds(3));
					assertThat(options.getSocketOptions().isEnableTcpUserTimeout())
						.isEqualTo(EpollProvider.isAvailable());
					assertThat(factory.getHostName()).isEqualTo("jobs");
					assertThat(factory.getPort()).isEqualTo(7402);
					assertThat(factory.getDatabase()).isEqualTo(3);
					assertThat(factory.getPassword()).isEqualTo("s@cret");
					LettuceConnectionFactory boots = context.getBean(LettuceConnectionFactory.class);
					assertThat(boots.getHostName()).isEqualTo("shared");
					assertThat(boots.isUseSsl()).isFalse();
				});
		}
		finally {
			resources.shutdown(0, 0, TimeUnit.SECONDS);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "jobs", "localhost:6379", "http://jobs", "redis://", "redis:///3",
			"redis://jobs:99999", "redis://jobs/x" })
	void aUrlThatCanNotWorkIsRefused(String url) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withPropertyValues("lowkiq.redis.url=" + url)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessage("lowkiq.redis.url is no URL of a Redis"));
	}

	@Test
	void aUrlAndAQualifiedConnectionAreRefused() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withUserConfiguration(JobsApart.class)
			.withPropertyValues("jobs.redis.url=redis://jobs:1", "lowkiq.redis.url=redis://jobs:1")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageStartingWith("It is not clear which Redis is for jobs: lowkiq.redis.url is set"));
	}

	/** As it was possible once: it would move all jobs to localhost. */
	@Test
	void nothingButTheUrlMovesJobs(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=shared", "lowkiq.redis.port=7402")
			.run((context) -> {
				assertThat(jobsFactory(context)).isSameAs(context.getBean(LettuceConnectionFactory.class));
				assertThat(output)
					.contains("Lowkiq does not know these properties; they have no effect: lowkiq.redis.port");
			});
	}

	@Test
	void optionsOfTheApplicationReplaceThoseForDeadConnections() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withBean(LettuceClientOptionsBuilderCustomizer.class,
					() -> (options) -> options.socketOptions(SocketOptions.create()))
			.withPropertyValues("lowkiq.redis.url=redis://jobs")
			.run((context) -> {
				ClientOptions options = jobsFactory(context).getClientConfiguration().getClientOptions().orElseThrow();
				assertThat(options.getSocketOptions().isEnableTcpUserTimeout()).isFalse();
			});
	}

	private static LettuceConnectionFactory jobsFactory(ApplicationContext context) {
		return (LettuceConnectionFactory) context.getBean(RedisStore.class).connectionFactory();
	}

	private static ApplicationContextRunner withPropertiesOnly(RedisProcess cache, RedisProcess jobs) {
		return new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withBean(GatedWorker.class)
			.withPropertyValues("spring.data.redis.url=" + cache.url(), "lowkiq.redis.url=" + jobs.url());
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
						AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
								LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
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
